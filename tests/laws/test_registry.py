"""The registry is complete: every estimator, each with an oracle, and no orphaned excuse."""

import importlib
import inspect
from pathlib import Path

import pytest

import labelspan
from labelspan.registry import BY_NAME
from tests.known import KNOWN
from tests.laws import (  # noqa: F401
    test_ecosystem_every,
    test_every_estimator,
    test_missing_labels,
    test_soft_labels,
    test_weights,
)
from tests.laws.law import LAWS
from tests.registry import ESTIMATORS, METHODS, entry_by_default

ROOT = Path(__file__).parents[2]
NAMES = [entry.name for entry in ESTIMATORS]


def public_estimators():
    """What labelspan exports and can be fitted: neither functions nor plain values."""
    exported = {name: getattr(labelspan, name) for name in labelspan.__all__}
    return {name for name, value in exported.items() if inspect.isclass(value)}


def test_every_public_estimator_is_registered_once():
    assert sorted(NAMES) == sorted(public_estimators())
    assert all(callable(getattr(labelspan, name).fit) for name in NAMES)


def test_every_extractor_has_its_transcription():
    extractors = {name for name in NAMES if name in labelspan.extraction.__all__}
    assert {type(method.estimator).__name__ for method in METHODS} | {"LPP"} == extractors


@pytest.mark.parametrize("name", ["OPLS", "LabelCCA"])
def test_the_default_entry_of_an_extractor_is_the_one_that_is_listed(name):
    (listed,) = (entry for entry in ESTIMATORS if entry.name == name)
    by_default = entry_by_default(BY_NAME[name])
    assert by_default.estimator.get_params() == listed.estimator.get_params()
    # Listed because of its variants, or because its file has another name than its transcription.
    same = ("tests", "dask", "one_pass", "weights", "per_row", "per_unit", "excuses")
    assert [getattr(by_default, what) for what in same] == [getattr(listed, what) for what in same]
    assert by_default.oracle == f"tests.reference.extraction:{BY_NAME[name].home[12:]}"


@pytest.mark.parametrize("entry", ESTIMATORS, ids=NAMES)
def test_the_oracle_exists_and_is_asked(entry):
    module, name = entry.oracle.split(":")
    assert callable(getattr(importlib.import_module(module), name))
    text = (ROOT / entry.tests).read_text(encoding="utf-8")
    if entry.tests.startswith("tests/extraction"):
        text += (ROOT / "tests/registry.py").read_text(encoding="utf-8")
    kinds = {
        (type(m.estimator).__name__, getattr(m.transcription, "__name__", "")) for m in METHODS
    }
    assert (entry.name, name) in kinds or (entry.name in text and name in text)


def test_excuses_and_defects_are_those_of_laws():
    """A misspelt law would excuse nothing, and this would go unnoticed."""
    excused = [(law, entry.name) for entry in ESTIMATORS for law in entry.excuses]
    for law, name in [*excused, *KNOWN]:
        assert name in LAWS[law], f"{law} is not run for {name}"
    assert not set(excused) & set(KNOWN)


def test_reasons_are_sentences_not_labels():
    reasons = [reason for entry in ESTIMATORS for reason in entry.excuses.values()]
    assert all(len(reason.split()) >= 4 for reason in reasons)
