"""The documentation site: a complete API reference, and no page without a link to it."""

import importlib
import pkgutil
import re
import runpy
from operator import attrgetter
from pathlib import Path

import pytest

import labelspan

DOCS = Path(__file__).parents[1] / "docs"
# What the build makes from the registry.
MADE = runpy.run_path(str(DOCS / "made.py"))
REFERENCE = "\n".join(MADE["reference"]().values())
# Layers that users do not call, and the room that the command `reproduce` opens.
INTERNAL = {"base", "compat", "costs", "linalg", "moments", "papers", "registry", "system"}
PACKAGES = ["labelspan"] + [
    f"labelspan.{module.name}"
    for module in pkgutil.iter_modules(labelspan.__path__)
    if not module.name.startswith("_") and module.name not in INTERNAL
]


def listed():
    """Full names of the entries of the reference."""
    module = None
    for line in REFERENCE.splitlines():
        if line.startswith(".. currentmodule:: "):
            module = line.split()[-1]
        elif re.fullmatch(r"   [\w.]+", line):
            yield f"{module}.{line.strip()}"


def value_of(name):
    module, _, rest = name.partition(".")
    for package in sorted(PACKAGES, key=len, reverse=True):
        if name.startswith(f"{package}."):
            module, rest = package, name.removeprefix(f"{package}.")
            break
    return attrgetter(rest)(importlib.import_module(module))


@pytest.mark.parametrize("package", PACKAGES)
def test_the_reference_lists_every_public_name(package):
    found = {id(value_of(name)) for name in listed()}
    module = importlib.import_module(package)
    missing = [
        name
        for name in getattr(module, "__all__", ())
        if id(getattr(module, name)) not in found and f"``{package}.{name}``" not in REFERENCE
    ]
    assert missing == []


def test_the_reference_lists_a_name_once():
    names = list(listed())
    assert sorted(names) == sorted(set(names))


def test_every_page_is_in_the_contents():
    pages = [*DOCS.glob("*.md"), *DOCS.glob("methods/*.md"), *DOCS.glob("recipes/*.md")]
    contents = "".join(MADE["filled"](page.read_text("utf-8")) for page in pages)
    trees = "".join(re.findall(r"```\{toctree\}\n(.*?)```", contents, re.DOTALL))
    listed = set(re.findall(r"^(?:.*<)?([\w/]+)>?$", trees, re.MULTILINE))
    names = {str(page.relative_to(DOCS).with_suffix("")) for page in pages}
    assert names - {"index"} <= listed


def test_links_that_lead_nowhere_are_found(tmp_path):
    sound = '<h1 id="top"><a href="b.html#there">b</a><a href="#top">top</a><a href="//x.org">x</a>'
    (tmp_path / "a.html").write_text(sound + '<a href="b.html#gone">1</a><img src="no.png">')
    (tmp_path / "b.html").write_text('<h1 id="there"><a href="a.html">a</a>')
    check = runpy.run_path(str(DOCS / "check_links.py"))["broken_links"]
    assert [(str(page), link) for page, link in check(tmp_path)] == [
        ("a.html", "b.html#gone"),
        ("a.html", "no.png"),
    ]
