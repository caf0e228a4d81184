"""Sphinx configuration: `make docs` builds the site, without the network."""

import os
import re
import runpy
from pathlib import Path

import labelspan

# Plots need no screen; examples use only data of the package.
os.environ["MPLBACKEND"] = "agg"

project = "labelspan"
author = "The labelspan developers"
copyright = "the labelspan developers"
release = version = labelspan.__version__

extensions = [
    "myst_parser",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx-mathjax-offline",
    "sphinx_copybutton",
    "sphinx_design",
    "sphinx_gallery.gen_gallery",
    "sphinxcontrib.bibtex",
]
templates_path = ["_templates"]
exclude_patterns = ["_build", "gallery/**/*.ipynb", "gallery/**/*.py"]

# Markdown: directives between colons, anchors at headings for links such as page.md#heading.
myst_enable_extensions = ["colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 4

# The API pages: one per public name, written from the docstrings.
autosummary_generate = True
autosummary_imported_members = True
autodoc_typehints = "none"
numpydoc_show_class_members = False
numpydoc_class_members_toctree = False
numpydoc_xref_param_type = False

bibtex_bibfiles = ["references.bib"]
bibtex_default_style = "unsrt"

copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True

sphinx_gallery_conf = {
    "examples_dirs": "../examples",
    "gallery_dirs": "gallery",
    "filename_pattern": "/plot_",
    "ignore_pattern": "^(compare|figure)_",
    "within_subsection_order": "FileNameSortKey",
    "download_all_examples": False,
    "show_memory": False,
    "show_signature": False,
    "remove_config_comments": True,
    "abort_on_example_error": True,
    "doc_module": ("labelspan",),
    "backreferences_dir": "gallery/backreferences",
    "write_computation_times": False,
}

html_theme = "pydata_sphinx_theme"
html_title = "labelspan"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_show_sourcelink = False
html_theme_options = {
    "show_prev_next": True,
    "navigation_with_keys": False,
    "navbar_align": "left",
    "header_links_before_dropdown": 6,
    "show_toc_level": 2,
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": ["copyright"],
    "footer_end": [],
}
html_sidebars = {"index": []}


# scikit-learn's documentation is not available offline, so its labels cannot be linked.
FOREIGN = re.compile(r":(?:ref|term):`([^<`]+?)\s*(?:<[^>`]+>)?`")
# reStructuredText reads a bare name_ as a link; attributes of a fit end so.
FITTED = re.compile(r"(?<![`\w.])([A-Za-z]\w*_)(?![\w`\\{^])(?! : )")


def plain_names(app, what, name, obj, options, lines):
    """Write the bare names of fitted attributes as code, and foreign labels as text."""
    for i, line in enumerate(lines):
        if not line.lstrip().startswith((">>>", "...", ".. [")) and "]_" not in line:
            lines[i] = FITTED.sub(r"``\1``", FOREIGN.sub(r"\1", line))


made = runpy.run_path(str(Path(__file__).with_name("made.py")))
for name, text in made["reference"]().items():
    page = Path(__file__).parent / f"{name}.rst"
    page.parent.mkdir(exist_ok=True)
    page.write_text(text, encoding="utf-8")


def made_parts(app, docname, source):
    """Fill what follows from the registry and the pages of the methods."""
    source[0] = made["filled"](source[0])


def named_anchors(app, docname, source):
    """Let MyST know the anchors that a generated page has as HTML."""
    source[0] = re.sub(r'^<a id="([\w-]+)"></a>$', r"(\1)=", source[0], flags=re.MULTILINE)


def setup(app):
    """Register these; plain_names before numpydoc, which takes the docstring apart."""
    app.connect("autodoc-process-docstring", plain_names, priority=100)
    app.connect("source-read", made_parts)
    app.connect("source-read", named_anchors)
