"""The documentation is tested: docstrings, the README's example, public names."""

import ast
import importlib
import inspect
import pkgutil
import re
import runpy
import subprocess
import sys
import tomllib
from pathlib import Path
from types import ModuleType

import pytest
from numpydoc.validate import validate

import labelspan

ROOT = Path(__file__).parents[1]
# Matters of taste: where and how the summary starts, an extended summary, "See Also", a
# description of a return value that is the measure itself. PR01, PR02: numpydoc does not know
# that a class documents the parameters of its __init__.
IGNORED = {"GL01", "GL02", "GL03", "SA01", "SA04", "ES01", "EX01", "SS05", "SS06", "RT02", "RT03"}
IGNORED |= {"PR01", "PR02"}
# Layers that users do not call.
INTERNAL = {
    "base",
    "compat",
    "costs",
    "device",
    "gate",
    "jit",
    "linalg",
    "moments",
    "papers",
    "registry",
    "system",
}
PACKAGES = ["labelspan"] + [
    f"labelspan.{module.name}"
    for module in pkgutil.iter_modules(labelspan.__path__)
    if not module.name.startswith("_") and module.name not in INTERNAL
]


def public_objects():
    for package in PACKAGES:
        module = importlib.import_module(package)
        for name in getattr(module, "__all__", ()):
            value = getattr(module, name)
            if inspect.isclass(value) or inspect.isfunction(value):
                yield f"{package}.{name}"


@pytest.mark.parametrize("name", sorted(public_objects()))
def test_docstrings_are_numpydoc(name):
    errors = [(code, text) for code, text in validate(name)["errors"] if code not in IGNORED]
    assert errors == []


@pytest.mark.parametrize("name", sorted(n for n in public_objects() if n.count(".") == 1))
def test_docstrings_name_every_parameter_and_have_an_example(name):
    cls = getattr(labelspan, name.split(".")[1])
    text = inspect.getdoc(cls)
    assert ">>>" in text
    for parameter in inspect.signature(cls).parameters:
        assert re.search(rf"^{parameter} : ", text, re.MULTILINE), parameter


def test_the_example_of_the_readme_runs():
    code = re.search(r"```python\n(.*?)```", (ROOT / "README.md").read_text(), re.DOTALL).group(1)
    assert 8 <= len([line for line in code.splitlines() if line]) <= 12
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    # It ends with the score that the comment states.
    assert done.stdout.strip() == code.strip().rpartition("# ")[2]
    assert re.fullmatch(r"a common label: 0\.\d{3} of 256, 0\.3\d\d of 16", done.stdout.strip())


def test_the_installation_covers_the_commands_of_the_readme():
    text = (ROOT / "README.md").read_text()
    (asked,) = re.findall(r'^pip install "\.\[(.*?)\]"', text, re.MULTILINE)
    known = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = known["optional-dependencies"]
    assert set(asked.split(",")) <= set(extras)
    installed = {re.split(r"[\[>=]", line)[0] for name in asked.split(",") for line in extras[name]}
    # What `labelspan compare`, `reduce --model x.skops` and `--xml` import.
    assert {"typer", "rich", "skops", "defusedxml"} <= installed


def test_the_demo_runs_and_shows_every_extractor():
    script = ROOT / "examples" / "compare_extractors.py"
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    for name in ("MDDM, projection", "MVMD", "LabelCCA", "OPLS", "MLSI", "MLDA", "DMLDA", "LPP"):
        assert name in done.stdout


METHODS = sorted((ROOT / "docs" / "methods").glob("*.md"))
RECIPES = sorted((ROOT / "docs" / "recipes").glob("*.md"))
PAGES = [ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md")), *METHODS, *RECIPES]
SECTIONS = ["Problem", "Derivation", "Equation map", "Example", "Cost", "Caveats", "References"]
# Which page names everything that a family makes public.
FAMILIES = {
    "extraction": "methods",
    "labelspace": "labelspace",
    "subspace": "subspace",
    "ranking": "selection",
    "selection": "selection",
    "kernels": "kernels",
}


# Optional packages that a page needs.
NEEDED = {"interop": ("anndata", "skl2onnx", "onnxruntime")}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_the_examples_of_a_page_run_from_top_to_bottom(page, monkeypatch):
    for needed in NEEDED.get(page.stem, ()):
        pytest.importorskip(needed, reason=f"{needed} is not installed")
    # A module that can be imported: classes of a page are pickled too.
    module = ModuleType(f"page_{page.stem.lower()}")
    monkeypatch.setitem(sys.modules, module.__name__, module)
    for block in re.findall(r"```python\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL):
        exec(compile(block, page.name, "exec"), vars(module))


@pytest.mark.parametrize("page", RECIPES, ids=lambda page: page.stem)
def test_a_recipe_is_short_and_names_its_thread(page):
    text = page.read_text(encoding="utf-8")
    code = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    assert len(code) == 1
    assert len([line for line in code[0].splitlines() if line]) <= 10
    assert re.search(r"\nAsked in .*#\d+", text)


@pytest.mark.parametrize("family", FAMILIES)
def test_every_estimator_is_documented(family):
    filled = runpy.run_path(str(ROOT / "docs" / "made.py"))["filled"]
    text = filled((ROOT / f"docs/{FAMILIES[family]}.md").read_text(encoding="utf-8"))
    module = importlib.import_module(f"labelspan.{family}")
    for name in module.__all__:
        if hasattr(getattr(module, name), "fit"):
            assert re.search(rf"`{name}\b", text), name


@pytest.mark.parametrize("page", METHODS, ids=lambda page: page.stem)
def test_a_method_page_has_every_section_in_order(page):
    text = page.read_text(encoding="utf-8")
    assert re.findall(r"^## (.*)$", text, re.MULTILINE) == SECTIONS
    # The equation is checked by code, not only printed.
    assert "assert" in "".join(re.findall(r"```python\n(.*?)```", text, re.DOTALL))
    assert "{footcite}" in text


def test_every_estimator_has_one_method_page():
    heads = [
        re.search(r"^Class(?:es)?: .*?Symbols", p.read_text("utf-8"), re.M | re.S) for p in METHODS
    ]
    listed = [name for head in heads for name in re.findall(r"`labelspan\.(\w+)`", head.group())]
    assert sorted(listed) == sorted(set(listed))
    estimators = {name for name in labelspan.__all__ if hasattr(getattr(labelspan, name), "fit")}
    assert set(listed) | {"ReducerCV"} == estimators  # ReducerCV: docs/choice.md


def test_the_page_of_reproductions_holds_the_section_on_programs():
    # It is not measured by an experiment: regenerating the page must not lose it.
    section = ROOT / "src/labelspan/papers/programs.md"
    page = ROOT / "docs/reproduction.md"
    assert page.read_text(encoding="utf-8").endswith(section.read_text(encoding="utf-8"))


def test_the_page_of_benchmarks_is_made_from_the_stored_results():
    record = runpy.run_path(str(ROOT / "benchmarks" / "record.py"))
    page = (ROOT / "docs" / "benchmarks.md").read_text(encoding="utf-8")
    assert page == record["page"](record["stored"]())
    chart = (ROOT / "docs" / "benchmarks.svg").read_text(encoding="utf-8")
    assert chart == record["chart"](record["stored"]())


PENALTIES = {"ridge", "label_ridge", "mu", "alpha", "beta", "strategy"}


def test_the_upgrade_notes_name_every_penalty_that_is_chosen_now():
    """Each default of the table is that of the class, and no class of 0.2.0 is left out."""
    text = (ROOT / "docs" / "upgrade.md").read_text(encoding="utf-8")
    named = set()
    for names, argument, before, now in re.findall(
        r"^\| (`.+`) \| `(\w+)` \| `(.+?)` \| `(.+?)` \|$", text, re.MULTILINE
    ):
        for name in re.findall(r"`(\w+)`", names):
            named.add((name, argument))
            parameter = inspect.signature(getattr(labelspan, name)).parameters[argument]
            assert parameter.default == ast.literal_eval(now) != ast.literal_eval(before)
    new = {"EmbeddingReducer", "KernelOCCA", "LabelSpaceCCA", "MultilabelRidgeCV"}
    assert named >= {
        (name, argument)
        for name in set(labelspan.__all__) - new
        if inspect.isclass(getattr(labelspan, name))
        for argument, parameter in inspect.signature(getattr(labelspan, name)).parameters.items()
        if parameter.default == "auto" and argument in PENALTIES
    }


def test_the_recorder_keeps_what_a_stopped_script_has_printed(tmp_path):
    record = runpy.run_path(str(ROOT / "benchmarks" / "record.py"))
    script = tmp_path / "bench_slow.py"
    script.write_text("import time\nprint('first', flush=True)\ntime.sleep(60)\n")
    scope = record["record"].__globals__
    scope |= {"FOLDER": tmp_path, "LIMIT": 3}
    found = record["record"]("bench_slow")
    assert (found["lines"], found["cut"], found["reached"]) == (["first"], True, False)
    script.write_text("print('first')\n")
    found = record["record"]("bench_slow")
    assert (found["lines"], found["cut"], found["reached"]) == (["first"], False, True)
    scope["scripts"] = lambda: ["bench_slow", "bench_other", "bench_device"]
    assert record["missing"]({"bench_slow": found}) == ["bench_other"]


def test_a_script_of_the_benchmarks_finds_what_it_imports_from_labelspan():
    for path in sorted((ROOT / "benchmarks").glob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("labelspan"):
                home = importlib.import_module(node.module)
                for alias in node.names:
                    if not hasattr(home, alias.name):
                        importlib.import_module(f"{node.module}.{alias.name}")
