"""Parts of the documentation that follow from the registry and from the pages of the methods.

`conf.py` writes ``api.rst`` and ``api/`` with `reference`, and fills comments such as
``<!-- pages: choice -->`` with `filled`. A new method needs its page alone.
"""

import importlib
import re
from pathlib import Path

import labelspan
from labelspan.registry import BY_NAME

DOCS = Path(__file__).parent
#: Sections on estimators: the packages whose estimators they list, and what these do.
SECTIONS = {
    "Reduce the features": (
        ("extraction", "semisupervised"),
        "Transformers: ``fit(X, Y)`` and ``transform(X)``.",
    ),
    "Use a kernel": (
        ("kernels",),
        "The methods of the other sections in the feature space of a kernel.",
    ),
    "Choose a reducer": (("choice",), ""),
    "Reduce the labels": (("labelspace",), "Classifiers over any regressor."),
    "Share a subspace between the labels": (("subspace",), "Classifiers."),
    "Rank labels and select features": (
        ("ranking", "selection"),
        "Classifiers, and selectors that also predict.",
    ),
    "Classify": (("classifiers", "ridge_cv"), ""),
}
#: Sections on modules.
MODULES = {
    "Data": "datasets",
    "Other programs": "interop",
    "Measures": "metrics",
    "Splits": "model_selection",
    "Statistical tests": "stats",
    "Which features": "inspection",
    "Pictures": "plotting",
    "Experiments": "experiments",
}
SUMMARY = """\
.. autosummary::
   :toctree: ../generated
   :nosignatures:

"""
HEAD = """\
API reference
=============

Every public name of labelspan. Estimators follow the conventions of scikit-learn; the pages are
made from their docstrings. ``labelspan.__version__`` is the version, and ``labelspan.lab.cli.main``
is what the command ``labelspan`` runs.

.. toctree::
   :maxdepth: 2

"""
COLUMNS = "| class | equations | left side | right side B |\n|---|---|---|---|\n"


def family(name):
    """The package of an estimator."""
    return BY_NAME[name].home.partition(".")[0]


def section(title, text, names, module="labelspan"):
    """A page of the reference."""
    parts = [title + "\n" + "=" * len(title), text, f".. currentmodule:: {module}"]
    return "\n\n".join(filter(None, parts)) + f"\n\n{SUMMARY}   " + "\n   ".join(names) + "\n"


def sections():
    """The pages of the reference, by title."""
    for title, (families, text) in SECTIONS.items():
        names = [name for name in BY_NAME if family(name) in families]
        yield title, section(title, text, [*names, *["cost"] * ("choice" in families)])
    tools = []
    for package in dict.fromkeys(map(family, BY_NAME)):
        public = importlib.import_module(f"labelspan.{package}").__all__
        tools += [f"{package}.{name}" for name in public if name not in BY_NAME]
    yield "Paths, curves and baselines", section("Paths, curves and baselines", "", tools)
    settings = ["config_context", "to_numpy"]
    yield "Devices and settings", section("Devices and settings", "", settings)
    for title, module in MODULES.items():
        names = sorted(getattr(labelspan, module).__all__, key=str.lower)
        yield title, section(title, f"``labelspan.{module}``.", names, f"labelspan.{module}")


def reference():
    """The texts of ``api.rst`` and of a page per section, by name."""
    pages = {f"api/{re.sub('[^a-z]+', '_', t.lower())}": text for t, text in sections()}
    return {"api": HEAD + "".join(f"   {name}\n" for name in pages), **pages}


def pages(*families):
    """Pages on the estimators of these packages, by name: the classes of each."""
    found = {}
    for path in sorted(DOCS.glob("methods/*.md")):
        head = re.search(r"^Class(?:es)?: (.*?)Symbols", path.read_text("utf-8"), re.M | re.S)
        classes = re.findall(r"`labelspan\.(\w+)`", head.group(1))
        if family(classes[0]) in families:
            found[path.stem] = classes
    places = list(BY_NAME)
    return dict(sorted(found.items(), key=lambda item: places.index(item[1][0])))


def table(*families):
    """The problems that these methods solve, as their pages state them in one line."""
    rows = []
    for page in pages(*families):
        _, _, rest = (DOCS / f"methods/{page}.md").read_text("utf-8").partition(COLUMNS)
        lines = rest.partition("\n\n")[0].splitlines()
        rows += [re.sub(r"^\| (`.*?`)", rf"| [\1](methods/{page}.md)", line) for line in lines]
    return COLUMNS + "\n".join(rows)


def links(*families):
    """Links to the pages, each with the classes that are not kernel forms."""
    found = pages(*families).items()
    return ", ".join(
        f"[{', '.join(name for name in classes if family(name) != 'kernels')}](methods/{page}.md)"
        for page, classes in found
    )


def contents(*families, caption=""):
    """The pages, for the contents beside a page."""
    listed = "\n".join(f"methods/{page}" for page in pages(*families))
    options = f":caption: {caption}\n" * bool(caption) + ":hidden:\n:maxdepth: 1"
    return f"```{{toctree}}\n{options}\n\n{listed}\n```"


MAKERS = {"table": table, "links": links, "contents": contents}


def filled(text):
    """A page with what belongs in the place of its comments."""

    def part(found):
        caption = {"caption": found[3]} if found[3] else {}
        return MAKERS[found[1]](*found[2].split(), **caption)

    return re.sub(rf"<!-- ({'|'.join(MAKERS)}): ([\w ]+?)(?: as (.+?))? -->", part, text)
