"""Options shared by several commands, and checks of options and output paths."""

from __future__ import annotations

import functools
import inspect
import os
import tempfile
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from labelspan.lab import Step
from labelspan.lab.plan import EMPTY, LIST_FIELDS, READING_FIELDS, SCALES, preprocessing_of
from labelspan.system import closed_folder

SCALE_HELP = f"Scaling of the features, fitted on the training rows: {', '.join(SCALES)}."

# Type and help of the options of the readers; their names are fields of a source.
READING: dict[str, tuple[Any, str]] = {
    "test": (str, "File of the test part."),
    "xml": (str, "Mulan XML file of the labels."),
    "label_count": (int | None, "Labels of an ARFF file: first columns, or last if < 0."),
    "labels": (
        list[str] | None,
        "Label columns of a CSV or ARFF file, separated by commas; for CSV also one column that "
        "lists the labels of each row.",
    ),
    "ignore": (
        list[str] | None,
        "Columns to leave out, such as identifiers, separated by commas.",
    ),
    "separator": (str, "Separator between the labels of a row in a CSV file."),
    "delimiter": (str, "Separator between the columns of a CSV file."),
    "decimal": (str, "Decimal sign of numbers in a CSV file: . or , (default: what fits)."),
    "text": (
        list[str] | None,
        "Columns of text in a CSV file, separated by commas: their words become features, weighted "
        "by TF-IDF.",
    ),
    "variables": (
        list[str] | None,
        "Variables of a MATLAB file that hold features and labels: X,Y.",
    ),
    "first_feature": (int | None, "Number of the first LibSVM feature."),
    "first_label": (int | None, "Number of the first LibSVM label."),
    "n_features": (int | None, "Number of features of LibSVM text."),
    "n_labels": (int | None, "Number of labels of LibSVM text."),
    "encoding": (str, "Encoding of an ARFF or CSV file; utf-8 by default."),
}


def reads_files(command: Callable[..., None]) -> Callable[..., None]:
    """Add the options of the readers to a command, for `reading_options` of its context."""

    @functools.wraps(command)
    def without(**given: Any) -> None:
        command(**{name: value for name, value in given.items() if name not in READING})

    signature = inspect.signature(command, eval_str=True)
    more = [
        inspect.Parameter(
            name,
            inspect.Parameter.KEYWORD_ONLY,
            default="" if kind is str else None,
            annotation=Annotated[kind, typer.Option(help=text)],
        )
        for name, (kind, text) in READING.items()
    ]
    parameters = [*signature.parameters.values(), *more]
    without.__dict__["__signature__"] = signature.replace(parameters=parameters)
    without.__annotations__ = {item.name: item.annotation for item in parameters}
    return without


def reading_options(context: typer.Context) -> dict[str, Any]:
    """Return the fields of a source given on the command line."""
    given = {key: context.params[key] for key in READING_FIELDS}
    for key in LIST_FIELDS:
        parts = [part.strip() for text in given[key] or () for part in text.split(",")]
        given[key] = tuple(part for part in parts if part)
    return {key: value for key, value in given.items() if value not in EMPTY}


def refuse_beside(context: typer.Context, option: str, names: Iterable[str], why: str) -> None:
    """Refuse options that another option would silently override."""
    for name in names:
        if _is_given(context, name):
            raise ValueError(
                f"--{name.replace('_', '-')} cannot be combined with --{option}, {why}; "
                "leave one out."
            )


def refuse_alone(context: typer.Context, option: str, partner: str) -> None:
    """Refuse an option that works only together with another one."""
    if _is_given(context, option):
        raise ValueError(f"--{option} needs --{partner}; give both, or leave it out.")


def _is_given(context: typer.Context, name: str) -> bool:
    source = context.get_parameter_source(name)
    # By its name: the class is click's or typer's own, depending on the version.
    return source is not None and source.name == "COMMANDLINE"


def scale_steps(text: str) -> tuple[Step, ...]:
    """The steps of ``--scale``."""
    if text not in SCALES:
        raise ValueError(
            f"--scale is {text!r}; give one of {', '.join(SCALES)}. A plan can name any "
            "transformer of scikit-learn."
        )
    return preprocessing_of(text)


def check_outputs(outputs: Mapping[str, Path | None], inputs: Iterable[str | Path | None]) -> None:
    """Fail before the work if an output cannot be written, or is an input or another output."""
    taken = [(Path(path), str(path)) for path in inputs if path is not None]
    for option, path in outputs.items():
        if path is None:
            continue
        _check_place(path, option)
        for other, text in taken:
            if _is_same(path, other):
                raise ValueError(
                    f"--{option} is {str(path)!r}, which is the same file as {text}: it would be "
                    "overwritten; choose another place."
                )
        taken.append((path, f"--{option}"))


def _is_same(path: Path, other: Path) -> bool:
    """Whether two names mean one file, also by a link or by another spelling."""
    if path.exists() and other.exists():
        return path.samefile(other)
    return os.path.realpath(path) == os.path.realpath(other)


def _check_place(path: Path, option: str) -> None:
    """Refuse a folder that is missing or not writable."""
    folder = path.absolute().parent
    if closed := closed_folder(folder):
        raise ValueError(
            f"--{option} is {str(path)!r}, but the folder {closed} cannot be opened; change its "
            "permissions, or choose another place."
        )
    if not folder.is_dir():
        raise ValueError(
            f"--{option} is {str(path)!r}, but there is no folder {folder}; make it first, or "
            "choose another place."
        )
    if path.is_dir() or not os.access(path if path.exists() else folder, os.W_OK):
        raise ValueError(f"--{option} is {str(path)!r}, which is not writable; choose another.")
    if not path.exists():
        try:
            with tempfile.TemporaryFile(dir=folder):
                pass
        except OSError as error:
            # Such as /proc, which even root cannot fill.
            raise ValueError(
                f"--{option} is {str(path)!r}, but the folder {folder} cannot hold new files; "
                "choose another place."
            ) from error


def check_suffix(path: Path, option: str, *known: str) -> None:
    """Refuse an output file whose name tells of another format."""
    if path.suffix not in known:
        *first, last = known
        listed = f"{', '.join(first)} or {last}" if first else last
        raise ValueError(f"--{option} is {str(path)!r}; give a name that ends with {listed}.")
