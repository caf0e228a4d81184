"""The page of the ranking machines and selectors: its examples run, and it names every class."""

import re
from pathlib import Path

from labelspan import ranking, selection

PAGE = (Path(__file__).parents[2] / "docs" / "selection.md").read_text(encoding="utf-8")


def test_the_examples_run():
    namespace = {}
    blocks = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    assert len(blocks) >= 3
    for block in blocks:
        exec(compile(block, "docs/selection.md", "exec"), namespace)


def test_every_public_estimator_is_named():
    for module in (ranking, selection):
        for name in module.__all__:
            if name[0].isupper() and not name.endswith("Path"):
                assert f"`{name}`" in PAGE
