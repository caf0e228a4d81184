"""The code of the page on the shared subspace runs, and it names everything public."""

import re
from pathlib import Path

from labelspan import subspace

PAGE = Path(__file__).parents[2] / "docs" / "subspace.md"


def test_code_of_the_page_runs_from_top_to_bottom():
    blocks = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    assert len(blocks) == 5
    exec("\n".join(blocks), {})


def test_page_names_every_class():
    text = PAGE.read_text(encoding="utf-8")
    for name in subspace.__all__:
        if name[0].isupper() or name.startswith("plot"):
            assert name in text
