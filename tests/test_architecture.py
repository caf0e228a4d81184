"""The layers: imports point one way, and no package uses private modules of another."""

import ast
import re
import sys
from functools import lru_cache
from pathlib import Path

import pytest

from labelspan import MVMD
from labelspan.datasets import load_yeast

SOURCE = Path(__file__).parents[1] / "src"
FILES = sorted((SOURCE / "labelspan").rglob("*.py"))
# A layer may import those before it in this list, never those after. Packages not in the list are
# covered by the test of cycles.
LAYERS = [
    "registry", "system", "jit", "compat", "arrays", "gate", "cuts", "model_selection",
    "moments", "linalg", "base", "extraction",
]  # fmt: skip


@lru_cache
def imports(file):
    """Modules and names that a file imports, those inside functions included."""
    found = []
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{file}: relative import"
            found += [(node.module, alias.name) for alias in node.names]
        elif isinstance(node, ast.Import):
            found += [(alias.name, "") for alias in node.names]
    return found


def package_of(file):
    return ".".join(file.relative_to(SOURCE).parts[:-1])


def owner_of(module):
    """The package whose private module this is; the module itself if nothing in it is private."""
    parts = module.split(".")
    private = [i for i, part in enumerate(parts) if part.startswith("_")]
    return ".".join(parts[: private[0]]) if private else module


def name_of(file):
    return str(file.relative_to(SOURCE / "labelspan"))


def intruders(file):
    """Imports of a private module, or a private name, of a package that is not one's own."""
    package = package_of(file)
    for module, name in imports(file):
        if not module.startswith("labelspan."):
            continue
        owner = owner_of(module)
        private = owner != module or name.startswith("_")
        # A package may use those around it.
        at_home = package == owner or package.startswith(f"{owner}.")
        if private and not at_home:
            yield f"{module}.{name}"


@pytest.mark.parametrize("file", FILES, ids=name_of)
def test_no_package_imports_private_modules_of_another(file):
    # The registry names the module of each class for type checkers.
    assert list(intruders(file)) == [] or name_of(file) == "registry.py"


@pytest.mark.parametrize("file", FILES, ids=name_of)
def test_private_names_of_scikit_learn_are_met_in_one_file(file):
    private = [
        f"{module}.{name}"
        for module, name in imports(file)
        if module.split(".")[0] == "sklearn"
        and any(part.startswith("_") for part in (*module.split("."), name))
    ]
    assert private == [] or file.name == "compat.py"


@pytest.mark.parametrize("file", FILES, ids=name_of)
def test_nothing_makes_the_sparse_matrices_that_scipy_will_remove(file):
    """Their names are met in no code (in docstrings they are); `load_mat` asks for arrays."""
    code = ast.walk(ast.parse(file.read_text(encoding="utf-8")))
    met = {node.attr for node in code if isinstance(node, ast.Attribute)}
    met |= {name for _, name in imports(file)}
    assert not [name for name in met if re.fullmatch(r"[a-z]{3}_matrix|spmatrix", name)]
    assert "loadmat" not in met or name_of(file) == "compat.py"


@pytest.mark.parametrize("layer", LAYERS)
def test_imports_point_one_way(layer):
    source = SOURCE / "labelspan"
    alone = source / f"{layer}.py"
    files = [alone] if alone.exists() else sorted((source / layer).rglob("*.py"))
    assert files
    allowed = LAYERS[: LAYERS.index(layer) + 1]
    for file in files:
        for module, _ in loaded_by(file):
            if module.startswith("labelspan."):
                assert module.split(".")[1] in allowed, f"{file.name} imports {module}"


@pytest.mark.parametrize("file", FILES, ids=name_of)
def test_a_room_imports_no_room_above_it(file):
    """The library imports neither the workbench nor the reproductions, the workbench not these."""
    name = name_of(file)
    above = {"lab": ["papers"], "papers": []}.get(name.split("/")[0], ["lab", "papers"])
    met = {module.split(".")[1] for module, _ in loaded_by(file) if module.startswith("labelspan.")}
    # By name and only when called, these three reach upwards.
    assert met.isdisjoint(above) or name in {"__main__.py", "experiments.py"}


def loaded_by(file):
    """Imports that are run, which those for type checkers are not."""
    tree = ast.parse(file.read_text(encoding="utf-8"))
    unread = [
        node
        for branch in ast.walk(tree)
        if isinstance(branch, ast.If) and getattr(branch.test, "id", "") == "TYPE_CHECKING"
        for node in ast.walk(branch)
    ]
    return [
        (node.module, alias.name)
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and node not in unread
        for alias in node.names
    ]


def test_the_picture_of_a_fit_is_what_a_profiler_sees():
    text = (SOURCE.parent / "CONTRIBUTING.md").read_text(encoding="utf-8")
    picture = re.search(r"```text\n(fit .*?)```", text, re.DOTALL).group(1)
    drawn = re.findall(r"(\w+) +(\w+/\w+\.py)", picture)
    walked = []

    def note(frame, event, _):
        file = Path(frame.f_code.co_filename)
        if event == "call" and SOURCE in file.parents:
            walked.append((frame.f_code.co_name, name_of(file)))

    yeast = load_yeast()
    sys.setprofile(note)
    try:
        MVMD(5).fit(yeast.X[:300], yeast.Y[:300])
    finally:
        sys.setprofile(None)
    walk = iter(walked)
    assert len(drawn) == 13
    # In this order: each step is found after the one before it.
    assert [step for step in drawn if step not in walk] == []


def test_the_root_holds_rooms_and_public_modules_only():
    root = SOURCE / "labelspan"
    private = [p.name for p in root.iterdir() if p.name.startswith("_") and "__" not in p.name]
    assert private == []


def test_packages_import_each_other_without_cycles():
    edges = {}
    for file in FILES:
        package = package_of(file)
        for module, _ in imports(file):
            if module.startswith("labelspan.") and package != "labelspan":
                edges.setdefault(package, set()).add(owner_of(module))
    open_, closed = [], set()

    def visit(package):
        assert package not in open_, " -> ".join([*open_[open_.index(package) :], package])
        if package in closed:
            return
        open_.append(package)
        for other in sorted(edges.get(package, ())):
            # A parent package is loaded before its children anyway.
            if other != package and not package.startswith(f"{other}."):
                visit(other)
        closed.add(open_.pop())

    for package in sorted(edges):
        visit(package)


def test_no_file_grows_past_its_seam_and_no_folder_past_one_look():
    assert [name_of(f) for f in FILES if len(f.read_text().splitlines()) > 400] == []
    folders = {file.parent for file in FILES}
    crowded = [str(f.relative_to(SOURCE)) for f in folders if len(list(f.glob("*.py"))) > 16]
    assert crowded == []
