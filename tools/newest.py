"""Make an environment of the newest Python and the newest dependencies: ``make test-newest``.

A package of the extra ``test`` that has no wheel for that Python is left out, with a message.
"""

import argparse
import os
import re
import shutil
import subprocess
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
VERSION = "import sys, venv; print(*sys.version_info[:3])"


def pythons() -> list[Path]:
    """Return interpreters on the PATH and those of pyenv, whose shims may be switched off."""
    found = [shutil.which(f"python3.{minor}") for minor in range(11, 30)]
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"))
    return [Path(path) for path in found if path] + [*pyenv.glob("versions/3.*/bin/python3")]


def version_of(python: Path) -> tuple[int, ...]:
    """Return the version of an interpreter; () if it cannot make environments."""
    done = subprocess.run([python, "-c", VERSION], capture_output=True, text=True, check=False)
    return tuple(map(int, done.stdout.split())) if done.returncode == 0 else ()


def requirements(extra: str) -> list[str]:
    """Return what an extra needs, with the extras that it names written out."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    found: list[str] = []
    for line in project["optional-dependencies"][extra]:
        extras = re.fullmatch(r"labelspan\[(.*)\]", line)
        names = extras[1].split(",") if extras else []
        found += [part for name in names for part in requirements(name)] if extras else [line]
    return list(dict.fromkeys(found))


def installed(python: Path, *packages: str) -> bool:
    """Install the newest wheels; return whether there are any."""
    pip = [python, "-m", "pip", "install", "--quiet", "--upgrade", "--only-binary=:all:"]
    return subprocess.run([*pip, *packages], capture_output=True, check=False).returncode == 0


def main() -> None:
    """Make the environment."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, help="folder of the environment")
    folder = parser.parse_args().folder
    newest = max(pythons(), key=version_of)
    subprocess.run([newest, "-m", "venv", "--clear", folder], check=True)
    python, wanted = folder / "bin" / "python", requirements("test")
    # Not quiet about the package itself: without its dependencies nothing can be tested.
    subprocess.run([python, "-m", "pip", "install", "--quiet", "-e", ROOT], check=True)
    if not installed(python, *wanted):
        for requirement in wanted:
            if not installed(python, requirement):
                print(f"skipped: {requirement} has no wheel for this Python")
    listed = [python, "-m", "pip", "list", "--format=freeze"]
    found = subprocess.run(listed, capture_output=True, text=True, check=True).stdout.split()
    print(f"Python {'.'.join(map(str, version_of(newest)))}: {', '.join(found)}")


if __name__ == "__main__":
    main()
