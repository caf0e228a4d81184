"""Options that do not go together, and places where nothing can be written."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

import typer

from labelspan.experiments import Step
from labelspan.experiments._preprocessing import SCALES, preprocessing_of

SCALE_HELP = f"Scaling of the features, fitted on the training rows: {', '.join(SCALES)}."


def refuse_beside(context: typer.Context, option: str, names: Iterable[str], why: str) -> None:
    """Refuse options that another one makes useless: ignored, they would seem to count."""
    for name in names:
        source = context.get_parameter_source(name)
        # By its name: the class is click's or typer's own, as the version of typer has it.
        if source is not None and source.name == "COMMANDLINE":
            raise ValueError(
                f"--{name.replace('_', '-')} does not go with --{option}, {why}; leave one out."
            )


def scale_steps(text: str) -> tuple[Step, ...]:
    """The steps of ``--scale``."""
    if text not in SCALES:
        raise ValueError(
            f"--scale is {text!r}; give one of {', '.join(SCALES)}. A plan can name any "
            "transformer of scikit-learn."
        )
    return preprocessing_of(text)


def check_place(path: Path, option: str) -> None:
    """Meet a folder that is missing or may not be written before the work, not after it."""
    folder = path.absolute().parent
    if not folder.is_dir():
        raise ValueError(
            f"--{option} is {str(path)!r}, but there is no folder {folder}; make it first, or "
            "choose another place."
        )
    if path.is_dir() or not os.access(path if path.exists() else folder, os.W_OK):
        raise ValueError(f"--{option} is {str(path)!r}, which may not be written; choose another.")
