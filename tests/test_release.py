"""The versions that a release states, and the targets that the workflows call."""

import re
import runpy
from pathlib import Path

import pytest

import labelspan

ROOT = Path(__file__).parents[1]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))


def test_every_file_states_the_same_version(tmp_path, monkeypatch):
    check = runpy.run_path(str(ROOT / "tools" / "release_check.py"))["check_versions"]
    assert check() == labelspan.__version__
    files = ("pyproject.toml", "src/labelspan/__init__.py", "CHANGELOG.md", "CITATION.cff")
    for file in files:
        (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / file).write_text((ROOT / file).read_text(encoding="utf-8"), encoding="utf-8")
    stale = (tmp_path / "CITATION.cff").read_text().replace(labelspan.__version__, "0.0.1")
    (tmp_path / "CITATION.cff").write_text(stale)
    monkeypatch.setitem(check.__globals__, "ROOT", tmp_path)
    with pytest.raises(SystemExit, match=r"CITATION.cff states version 0.0.1, pyproject.toml"):
        check()


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_workflows_call_targets_that_there_are(path):
    yaml = pytest.importorskip("yaml", reason="PyYAML is not installed")
    jobs = yaml.safe_load(path.read_text())["jobs"].values()
    called = [step["run"] for job in jobs for step in job["steps"] if "run" in step]
    assert called
    targets = set(re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    made = [command.split()[1:] for command in called if command.startswith("make ")]
    assert made
    # Only the release needs more: it fetches data, and attaches the store.
    assert len(made) == len(called) or path.stem == "release"
    for asked in made:
        assert {word for word in asked if "=" not in word} <= targets


def test_the_newest_environment_gets_every_package_of_the_tests():
    wanted = runpy.run_path(str(ROOT / "tools" / "newest.py"))["requirements"]("test")
    names = {re.match(r"[\w-]+", requirement)[0] for requirement in wanted}
    # From the extra itself, from one it names, and from one that this one names.
    assert {"pytest", "anndata", "dask", "skops", "matplotlib"} <= names
    assert "labelspan" not in names
