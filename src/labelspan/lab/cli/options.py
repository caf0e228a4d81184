"""Options shared by several commands, and checks of options and output paths."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from labelspan.lab import Step
from labelspan.lab.plan import EMPTY, LIST_FIELDS, READING_FIELDS, SCALES, preprocessing_of
from labelspan.system import closed_folder

SCALE_HELP = f"Scaling of the features, fitted on the training rows: {', '.join(SCALES)}."

# Options of the readers; the names of the parameters are the fields of a source.
Test = Annotated[str, typer.Option(help="File of the test part.")]
Xml = Annotated[str, typer.Option(help="Mulan XML file of the labels.")]
LabelCount = Annotated[
    int | None, typer.Option(help="Labels of an ARFF file: first columns, or last if < 0.")
]
Labels = Annotated[
    list[str] | None,
    typer.Option(
        help="Label columns of a CSV or ARFF file, separated by commas; for CSV also one column "
        "that lists the labels of each row."
    ),
]
Ignore = Annotated[
    list[str] | None,
    typer.Option(help="Columns to leave out, such as identifiers, separated by commas."),
]
Separator = Annotated[
    str, typer.Option(help="Separator between the labels of a row in a CSV file.")
]
Delimiter = Annotated[str, typer.Option(help="Separator between the columns of a CSV file.")]
Decimal = Annotated[
    str, typer.Option(help="Decimal sign of numbers in a CSV file: . or , (default: what fits).")
]
Variables = Annotated[
    list[str] | None,
    typer.Option(help="Variables of a MATLAB file that hold features and labels: X,Y."),
]
FirstFeature = Annotated[int | None, typer.Option(help="Number of the first LibSVM feature.")]
FirstLabel = Annotated[int | None, typer.Option(help="Number of the first LibSVM label.")]
NFeatures = Annotated[int | None, typer.Option(help="Number of features of LibSVM text.")]
NLabels = Annotated[int | None, typer.Option(help="Number of labels of LibSVM text.")]
Encoding = Annotated[str, typer.Option(help="Encoding of an ARFF or CSV file; utf-8 by default.")]


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
