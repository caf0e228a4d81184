"""Data sets of OpenML."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from labelspan.datasets.io._dataset import MultilabelDataset
from labelspan.datasets.io._errors import DataFileError
from labelspan.datasets.io._limits import Limits
from labelspan.datasets.io.frames._frame import from_frame


def from_openml(
    name: str | None = None,
    *,
    data_id: int | None = None,
    version: int | str = "active",
    labels: str | Sequence[str] | None = None,
    ignore: Sequence[str] = (),
    separator: str | None = None,
    limits: Limits | None = None,
    **options: Any,
) -> MultilabelDataset:
    """Download a data set of OpenML, by its name or its number.

    Parameters
    ----------
    name : str, optional
        Name of the data set, such as ``"yeast"``.
    data_id : int, optional
        Its number, instead of a name: names are not unique there.
    version : int or "active", default="active"
        Version of a data set of this name.
    labels : str or sequence of str, optional
        Columns of the labels, as in :func:`from_frame`; by default the targets that OpenML names.
    ignore : sequence of str, default=()
        Columns to leave out.
    separator : str, optional
        As in :func:`from_frame`.
    limits : Limits, optional
        Largest matrices and longest names to make.
    **options
        For :func:`sklearn.datasets.fetch_openml`, which downloads, checks and caches the file:
        ``data_home``, ``cache``, ``n_retries``, ``delay``, ``parser`` (by default "liac-arff":
        "pandas" cannot read labels TRUE and FALSE with pandas 3).

    Returns
    -------
    MultilabelDataset
        As :func:`from_frame` makes it.

    Examples
    --------
    >>> from labelspan.datasets import from_openml
    >>> emotions = from_openml("emotions", version=4)  # doctest: +SKIP
    """
    # Imported here, because it takes as long as all other readers together.
    from sklearn.datasets import fetch_openml

    options = {"parser": "liac-arff", **options}
    found = fetch_openml(name, data_id=data_id, version=version, as_frame=True, **options)
    called = str(found.details["name"])
    if labels is None:
        labels = list(found.target_names)
        if len(labels) < 2:
            told = f"only {labels[0]!r}" if labels else "none"
            raise DataFileError(
                f"OpenML names {told} as a target; name the columns by labels=", file=called
            )
    return from_frame(
        found.frame, labels, ignore=ignore, separator=separator, name=called, limits=limits
    )
