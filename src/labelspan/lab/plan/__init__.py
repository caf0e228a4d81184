"""Plans of experiments: data, methods, splits, and what can be checked before a run."""

from labelspan.lab.plan._checks import (
    check_data,
    check_methods,
    check_scaling,
    parameters_of,
    scaling_lines,
    with_scaling,
)
from labelspan.lab.plan._digest import as_read, as_written
from labelspan.lab.plan._estimators import OUTPUTS, dense, made_step, outputs_of
from labelspan.lab.plan._missing import holed_sources, learnt, refuse_holes, removed
from labelspan.lab.plan._plan import DEFAULT_MEASURES, Cell, Plan, cell_from_dict, digest, load_plan
from labelspan.lab.plan._preprocessing import (
    AUTO,
    SCALES,
    choose_scaler,
    made_preprocessing,
    preprocessing_of,
)
from labelspan.lab.plan._sources import (
    EMPTY,
    LIST_FIELDS,
    READING_FIELDS,
    Source,
    check_shares,
    fields_of,
    loaded,
    sources_of,
    split_indices,
    text_fields,
)
from labelspan.lab.plan._splits import Splits
from labelspan.lab.plan._step import ZERO, Step, steps_of

__all__ = [
    "AUTO",
    "DEFAULT_MEASURES",
    "EMPTY",
    "LIST_FIELDS",
    "OUTPUTS",
    "READING_FIELDS",
    "SCALES",
    "ZERO",
    "Cell",
    "Plan",
    "Source",
    "Splits",
    "Step",
    "as_read",
    "as_written",
    "cell_from_dict",
    "check_data",
    "check_methods",
    "check_scaling",
    "check_shares",
    "choose_scaler",
    "dense",
    "digest",
    "fields_of",
    "holed_sources",
    "learnt",
    "load_plan",
    "loaded",
    "made_preprocessing",
    "made_step",
    "outputs_of",
    "parameters_of",
    "preprocessing_of",
    "refuse_holes",
    "removed",
    "scaling_lines",
    "sources_of",
    "split_indices",
    "steps_of",
    "text_fields",
    "with_scaling",
]
