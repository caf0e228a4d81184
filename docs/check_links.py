"""Check that every link inside the built site leads to an existing page and anchor.

usage: python docs/check_links.py docs/_build/html
"""

import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit


class Page(HTMLParser):
    """Links and anchors of a page."""

    def __init__(self):
        super().__init__()
        self.links, self.places = [], set()

    def handle_starttag(self, tag, attrs):
        """Collect ids, links and the addresses of pictures and scripts."""
        found = dict(attrs)
        self.places.add(found.get("id"))
        self.links += [found[key] for key in ("href", "src") if found.get(key)]


def read(path):
    """One page of the site."""
    page = Page()
    page.feed(path.read_text(encoding="utf-8"))
    return page


def broken_links(root):
    """Pairs of a page and a broken link in it."""
    # The theme has a template among the static files.
    paths = [path for path in sorted(root.rglob("*.html")) if "_static" not in path.parts]
    pages = {path.resolve(): read(path) for path in paths}
    for path, page in pages.items():
        for link in page.links:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            place = unquote(parts.fragment)
            if not target.exists() or (
                place and target in pages and not pages[target].places & {place}
            ):
                yield path.relative_to(root.resolve()), link


if __name__ == "__main__":
    broken = sorted(set(broken_links(Path(sys.argv[1]))))
    for page, link in broken:
        print(f"{page}: {link} leads nowhere")
    sys.exit(bool(broken))
