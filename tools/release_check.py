"""Build the release, install it in clean environments and try it: ``make release-check``."""

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
# The interpreters of pyproject.toml that are on the PATH are used.
VERSIONS = ("3.11", "3.12", "3.13", "3.14")
# Seconds of `import labelspan` with all families beyond that of scikit-learn, best of several.
IMPORT_LIMIT = 0.3
# Imports that users of scikit-learn already have.
IMPORT_BASE = "import sklearn.linear_model, sklearn.neighbors"
IMPORT_ALL = (
    f"{IMPORT_BASE}; from labelspan import "
    "CMLFS, CPLST, MDDM, KernelMDDM, LaRankSVM, MLkNN, SharedSubspaceClassifier"
)


def run(*command: object, **settings: object) -> str:
    """Run a command; show its output if it fails."""
    # Neither the checkout nor the caller's packages may be found.
    environment = {k: v for k, v in os.environ.items() if not k.startswith("PYTHON")}
    done = subprocess.run(
        [str(part) for part in command],
        capture_output=True,
        text=True,
        check=False,
        env=environment,
        **settings,
    )
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))}\n{done.stdout}{done.stderr}")
    return done.stdout


def check_versions() -> str:
    """Compare the version in every file that states it, and return it."""
    version = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
    patterns = {
        "src/labelspan/__init__.py": r'__version__ = "(.*?)"',
        "CHANGELOG.md": r"^## \[?([\d.]+\w*)",
        "CITATION.cff": r"^version: (.*)$",
    }
    for name, pattern in patterns.items():
        found = re.search(pattern, (ROOT / name).read_text(), re.MULTILINE)
        stated = found.group(1) if found else None
        if stated != version:
            sys.exit(f"{name} states version {stated}, pyproject.toml {version}")
    return version


def python_of(version: str) -> str | None:
    """Return the interpreter of a version that runs, if there is one."""
    found = shutil.which(f"python{version}")
    if found is None:
        return None
    works = subprocess.run([found, "-c", "import venv"], capture_output=True, check=False)
    return found if works.returncode == 0 else None


def import_seconds(python: Path, code: str, folder: str) -> float:
    """Return CPU seconds of a fresh interpreter that runs `code`, the least of five."""
    timed = f"import time; {code}; print(time.process_time())"
    return min(float(run(python, "-c", timed, cwd=folder)) for _ in range(5))


def try_archive(archive: Path, python: str, folder: str, version: str) -> Path:
    """Install an archive in a clean environment, run the smoke test there, return its Python."""
    run(python, "-m", "venv", folder)
    installed = Path(folder, "bin", "python")
    options = "--disable-pip-version-check", "--quiet"
    run(installed, "-m", "pip", "install", *options, f"{archive}[cli,data]")
    said = run(installed, ROOT / "tools" / "smoke.py", version, cwd=folder)
    print(said.splitlines()[-1], f"({archive.name})")
    return installed


def check_import(python: Path, folder: str) -> None:
    """Compare the import of all families with the limit."""
    beyond = import_seconds(python, IMPORT_ALL, folder) - import_seconds(
        python, IMPORT_BASE, folder
    )
    print(f"import of the families: {beyond:.2f} s beyond scikit-learn (at most {IMPORT_LIMIT})")
    if beyond > IMPORT_LIMIT:
        sys.exit("the import takes too long: see `python -X importtime`")


def main() -> None:
    """Build, check, install and try."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--versions", nargs="*", default=VERSIONS, help="Pythons to try")
    parser.add_argument("--dist", type=Path, default=ROOT / "dist", help="where to build")
    asked = parser.parse_args()
    version = check_versions()
    shutil.rmtree(asked.dist, ignore_errors=True)
    run(sys.executable, "-m", "build", "--outdir", asked.dist, ROOT)
    dist = asked.dist.resolve()
    (wheel,), (source,) = dist.glob("*.whl"), dist.glob("*.tar.gz")
    run(sys.executable, "-m", "twine", "check", "--strict", wheel, source)
    for archive in (wheel, source):
        print(f"{archive.name}: {archive.stat().st_size / 1e6:.2f} MB")
    pythons = {number: python_of(number) for number in asked.versions}
    for number in [number for number, python in pythons.items() if python is None]:
        print(f"Python {number} is not on this machine: not tried")
    found = [(number, python) for number, python in pythons.items() if python]
    if not found:
        sys.exit(f"no Python of {', '.join(asked.versions)} is on this machine")
    with tempfile.TemporaryDirectory() as folder:
        # The source archive once, because a wheel is built from it.
        trials = [(source, "source", found[0][1]), *((wheel, *pair) for pair in found)]
        for archive, name, python in trials:
            installed = try_archive(archive, python, f"{folder}/{name}", version)
        check_import(installed, folder)


if __name__ == "__main__":
    main()
