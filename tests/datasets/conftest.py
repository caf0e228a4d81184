"""What the tests of the data sets share."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def data_folder() -> Path:
    """Folder of the benchmark files; tests that need it skip where there is none."""
    folder = os.environ.get("LABELSPAN_DATA")
    if not folder or not Path(folder).is_dir():
        pytest.skip("set LABELSPAN_DATA to the folder of the benchmark data sets")
    return Path(folder).resolve()


#: Limits that only very large data, or very slow servers, would meet.
LIMITS = {
    "profile values": "labelspan.datasets.description._profiles.MAX_PROFILE_VALUES",
    "download bytes": "labelspan.datasets.catalogue._download.MAX_DOWNLOAD_BYTES",
    "grace seconds": "labelspan.datasets.catalogue._transfer.GRACE_SECONDS",
}


@pytest.fixture
def lower(monkeypatch: pytest.MonkeyPatch) -> Callable[[str, float], None]:
    """Lower a limit, so that small data meet it."""
    return lambda name, value: monkeypatch.setattr(LIMITS[name], value)


@pytest.fixture
def no_network_folders(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """An empty cache and no data folder."""
    monkeypatch.delenv("LABELSPAN_DATA", raising=False)
    monkeypatch.setenv("LABELSPAN_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"
