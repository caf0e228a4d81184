"""The list of benchmark data sets."""

from __future__ import annotations

from dataclasses import dataclass, fields

from labelspan.datasets.catalogue._built_in import BUILT_IN
from labelspan.datasets.catalogue._catalogue import CATALOGUE, Entry
from labelspan.datasets.catalogue._locate import cache_folder, in_cache, in_data_folder


@dataclass(frozen=True)
class DatasetInfo:
    """Statistics of a benchmark data set, and where its files are.

    Parameters
    ----------
    name : str
        Name for `load_dataset`.
    n_samples, n_features, n_labels : int
        Size of the whole set.
    cardinality : float
        Mean number of labels per sample.
    n_train : int or None
        Rows of the standard training part, where there is one.
    where : str
        ``"data folder"``, ``"cache"``, ``"package"``, ``"download"`` or ``"missing"``.
    citation : str
        Paper to cite.
    """

    name: str
    n_samples: int
    n_features: int
    n_labels: int
    cardinality: float
    n_train: int | None
    where: str
    citation: str

    @property
    def density(self) -> float:
        """Cardinality divided by the number of labels."""
        return self.cardinality / self.n_labels


COPIED = [field.name for field in fields(DatasetInfo) if field.name != "where"]


class DatasetList(tuple[DatasetInfo, ...]):
    """A tuple of `DatasetInfo` that prints as a table."""

    __slots__ = ()

    def __repr__(self) -> str:
        lines = [
            f"{'name':<26}{'samples':>8}{'features':>9}{'labels':>7}{'cardinality':>12}"
            f"{'density':>8}{'train':>7}  where"
        ]
        lines += [
            f"{info.name:<26}{info.n_samples:>8}{info.n_features:>9}{info.n_labels:>7}"
            f"{info.cardinality:>12.3f}{info.density:>8.3f}{info.n_train or '-':>7}  {info.where}"
            for info in self
        ]
        return "\n".join(lines)


def list_datasets() -> DatasetList:
    """List the benchmark data sets with their statistics; nothing is loaded.

    Returns
    -------
    DatasetList
        A tuple of `DatasetInfo`, printed as a table.

    Examples
    --------
    >>> from labelspan.datasets import list_datasets
    >>> scene = next(info for info in list_datasets() if info.name == "scene")
    >>> scene.n_samples, scene.n_features, scene.n_labels, scene.cardinality
    (2407, 294, 6, 1.074)
    """
    return DatasetList(
        DatasetInfo(**{name: getattr(entry, name) for name in COPIED}, where=_where(entry))
        for entry in CATALOGUE.values()
    )


def _where(entry: Entry) -> str:
    if in_data_folder(entry):
        return "data folder"
    if in_cache(entry, cache_folder()):
        return "cache"
    if entry.name in BUILT_IN:
        return "package"
    return "download" if all(file.address for file in entry.files) else "missing"
