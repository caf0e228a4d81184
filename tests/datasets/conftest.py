"""What the tests of the data sets share."""

from __future__ import annotations

import os
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def data_folder() -> Path:
    """Folder of the benchmark files; tests that need it skip where there is none."""
    folder = os.environ.get("LABELSPAN_DATA")
    if not folder or not Path(folder).is_dir():
        pytest.skip("set LABELSPAN_DATA to the folder of the benchmark data sets")
    return Path(folder).resolve()


@pytest.fixture
def no_network_folders(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """An empty cache and no data folder."""
    monkeypatch.delenv("LABELSPAN_DATA", raising=False)
    monkeypatch.setenv("LABELSPAN_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"
