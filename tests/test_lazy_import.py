"""The package loads its parts on first access, and lists all of them."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import labelspan as ls
from labelspan import registry

SUBPACKAGES = (
    "datasets",
    "experiments",
    "inspection",
    "interop",
    "metrics",
    "model_selection",
    "plotting",
    "stats",
)


def run(code):
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


def test_subpackages_are_attributes_of_a_fresh_import():
    names = ", ".join(f"ls.{name}.__name__" for name in SUBPACKAGES)
    expected = [f"labelspan.{name}" for name in SUBPACKAGES]
    assert run(f"import labelspan as ls; print({names})") == expected


def test_importing_the_package_loads_no_numerical_library():
    loaded = run("import sys, labelspan; print(*sys.modules)")
    heavy = {"numpy", "scipy", "sklearn", "numba", "pandas", "matplotlib"}
    assert heavy.isdisjoint(name.partition(".")[0] for name in loaded)
    # The list of names, which imports nothing.
    assert [name for name in loaded if name.startswith("labelspan.")] == ["labelspan.registry"]


def test_one_estimator_does_not_load_the_experiments():
    loaded = run("import sys; from labelspan import MDDM; print(*sys.modules)")
    assert "labelspan.extraction" in loaded
    assert not {"labelspan.experiments", "labelspan.lab", "labelspan.papers"} & set(loaded)


@pytest.mark.parametrize(
    ("room", "others"),
    [("lab", ("papers",)), ("lab.cli", ("papers",)), ("datasets", ("lab", "papers"))],
)
def test_importing_one_room_loads_no_room_above_it(room, others):
    loaded = run(f"import sys, labelspan.{room}; print(*sys.modules)")
    assert f"labelspan.{room}" in loaded
    assert not [
        name for name in loaded for other in others if name.startswith(f"labelspan.{other}")
    ]


def test_the_old_name_of_the_workbench_offers_the_same_objects():
    code = (
        "from labelspan import experiments, lab; print(*[getattr(experiments, n) is getattr(lab, n)"
    )
    assert set(run(f"{code} for n in lab.__all__])")) == {"True"}


def test_no_command_waits_for_what_another_needs(tmp_path):
    """Packages that take long, and that neither families nor `describe` need."""
    loaded = run(
        "import sys, labelspan as ls; [getattr(ls, n) for n in ls.__all__]; print(*sys.modules)"
    )
    assert not {"sklearn.cluster", "numba", "matplotlib"} & set(loaded)
    (tmp_path / "toy.csv").write_text("x,a,b\n1,0,1\n2,1,1\n3,1,0\n")
    code = (
        "import sys; from labelspan.lab.cli import main\n"
        f"sys.argv = ['labelspan', 'describe', {str(tmp_path / 'toy.csv')!r}, '--labels', 'a,b']\n"
        "try: main()\nexcept SystemExit: pass\nprint(*sys.modules)"
    )
    heavy = {"labelspan.kernels", "labelspan.ranking", "labelspan.lab.runner", "jinja2"}
    assert not heavy & set(run(code))


def test_every_public_name_is_there_and_listed():
    for name in ls.__all__:
        value = getattr(ls, name)
        if isinstance(value, type):
            assert value.__name__ == name
            assert value.__module__.startswith("labelspan.")
    assert set(ls.__all__) | set(SUBPACKAGES) <= set(dir(ls))


def test_a_star_import_gives_every_public_name():
    (count,) = run(
        "from labelspan import *; import labelspan as ls\n"
        "print(sum(name in globals() for name in ls.__all__))"
    )
    assert int(count) == len(ls.__all__)


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="module 'labelspan' has no attribute 'MDMD'"):
        _ = ls.MDMD


def imports_for_type_checkers(module):
    """Name -> module of the imports of the first ``if TYPE_CHECKING`` of a module."""
    tree = ast.parse(Path(module.__file__).read_text())
    block = next(node for node in tree.body if isinstance(node, ast.If))
    return {alias.name: node.module for node in block.body for alias in node.names}


def test_a_type_checker_reads_the_same_names():
    """The imports for type checkers and the rows for the import system agree."""
    assert sorted(registry.__all__) == sorted(registry.BY_NAME)
    homes = {name: f"labelspan.{row.home}" for name, row in registry.BY_NAME.items()}
    assert imports_for_type_checkers(registry) == homes
    others = imports_for_type_checkers(ls)
    assert others.pop("*") == "labelspan.registry"
    assert {*others, *homes} == set(ls.__all__) - {"__version__"}
    for name in set(others) - set(SUBPACKAGES):
        assert others[name] == f"labelspan.{ls._HOMES[name]}"


def test_a_package_lists_the_classes_that_it_loads_later():
    loaded = run("import sys, labelspan.extraction as e; print(*dir(e), *sys.modules)")
    assert {"MDDM", "OPLS", "label_rbf"} <= set(loaded)
    assert "labelspan.extraction._opls" not in loaded
    with pytest.raises(AttributeError, match="has no attribute 'PLST'"):
        _ = ls.extraction.PLST
