"""The page about kernel methods: its code runs, and it names every class."""

import re
from pathlib import Path

from labelspan import kernels

PAGE = (Path(__file__).parents[2] / "docs" / "kernels.md").read_text(encoding="utf-8")


def test_the_code_of_the_page_runs():
    blocks = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    assert len(blocks) >= 4
    namespace = {}
    for block in blocks:
        exec(compile(block, "docs/kernels.md", "exec"), namespace)
    assert set(namespace["exact"]) == {"gamma", "ridge"}


def test_every_class_is_on_the_page():
    for name in kernels.__all__:
        assert f"`{name}`" in PAGE
