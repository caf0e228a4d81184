"""The page in a browser: Debian's Chromium through Playwright."""

import shutil

import pytest

from labelspan.lab.report import write_report
from tests.lab.test_report import HOSTILE, made_up

ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
]


@pytest.fixture(scope="module")
def browser():
    sync_api = pytest.importorskip("playwright.sync_api", reason="the page tests need playwright")
    chromium = shutil.which("chromium")
    if chromium is None:
        pytest.skip("the page tests need chromium: apt-get install chromium")
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=ARGUMENTS)
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    folder = tmp_path_factory.mktemp("report")
    names = ("plain", HOSTILE[0], HOSTILE[4])
    with made_up(folder, names=names, n_sources=2) as store:
        return write_report(store, folder / "report.html")


@pytest.fixture
def page(browser, report):
    """The page, watched: anything on the console or on the network fails the test."""
    context = browser.new_context(viewport={"width": 1280, "height": 900}, color_scheme="light")
    page = context.new_page()
    noise = []
    page.on("console", lambda message: noise.append(message.text))
    page.on("pageerror", lambda error: noise.append(str(error)))
    page.on("dialog", lambda dialog: (noise.append("dialog"), dialog.dismiss()))
    requests = []
    page.on("request", lambda request: requests.append(request.url))
    page.goto(report.as_uri())
    yield page
    assert noise == []
    assert [url for url in requests if not url.startswith(("file:", "data:"))] == []
    context.close()


def test_the_table_of_results_fits_a_window_of_1280_pixels(page):
    box = page.locator("#results .scroll")
    inner, outer = box.evaluate("box => [box.scrollWidth, box.clientWidth]")
    assert page.locator("#result-table thead th").count() >= 10
    assert inner <= outer


def column(page, place):
    cells = page.locator(f"#result-table tbody tr:visible > :nth-child({place})")
    return cells.all_inner_texts()


def test_a_heading_sorts_both_ways_also_by_keyboard(page):
    head = page.locator("#result-table thead th:nth-child(5) button")
    head.click()
    values = [float(text.split()[0]) for text in column(page, 5)]
    assert values == sorted(values, reverse=True)
    assert len(set(values)) > 3
    head.focus()
    page.keyboard.press("Enter")
    values = [float(text.split()[0]) for text in column(page, 5)]
    assert values == sorted(values)
    assert page.locator("#result-table th:nth-child(5)").get_attribute("aria-sort") == "ascending"


def test_the_filter_finds_words_and_the_menu_a_data_set(page):
    assert page.locator("#count").inner_text() == "6 of 6 lines"
    page.fill("#filter", "SCRIPT ridge")
    assert sorted(column(page, 2)) == ["plain 0", "plain 1"]
    assert page.locator("#count").inner_text() == "2 of 6 lines"
    page.fill("#filter", "")
    page.select_option("#filter-dataset", label="plain 0")
    assert column(page, 2) == ["plain 0"] * 3


@pytest.fixture
def long_page(browser, tmp_path):
    with made_up(tmp_path, names=("a", "b", "c"), n_sources=75) as store:
        report = write_report(store, tmp_path / "report.html")
    page = browser.new_page()
    page.goto(report.as_uri())
    yield page
    page.close()


def test_long_tables_show_their_first_lines_until_all_are_asked_for(long_page):
    shown = "#result-table tbody tr:visible"
    assert long_page.locator("#count").inner_text() == "225 of 225 lines"
    assert long_page.locator(shown).count() == 200
    # The best of all lines come first, not the best of those that were shown.
    long_page.click("#result-table thead th:nth-child(5) button")
    values = [float(text.split()[0]) for text in column(long_page, 5)]
    every = long_page.locator("#result-table tbody tr > :nth-child(5)").all_text_contents()
    assert values == sorted((float(text.split()[0]) for text in every), reverse=True)[:200]
    long_page.click("[data-toggle='0']")
    assert long_page.locator("#count").inner_text() == "150 of 225 lines"
    assert long_page.locator(shown).count() == 150
    assert not long_page.locator("#more").is_visible()
    long_page.click("#all")
    assert long_page.locator("#more").inner_text() == "Show all 225, not the first 200"
    long_page.click("#more")
    assert long_page.locator(shown).count() == 225
    assert not long_page.locator("#more").is_visible()


def test_a_long_table_is_printed_whole(long_page):
    long_page.evaluate("window.dispatchEvent(new Event('beforeprint'))")
    assert long_page.locator("#result-table tbody tr:visible").count() == 225


def test_hiding_a_method_hides_its_rows_and_curves_until_all_are_shown(page):
    # The first method reduces nothing, so it has no curve; the others have one.
    row = page.locator("#rank-table-0 tr[data-m='1']")
    curve, other = (page.locator(f"#directions .panel.on [data-m='{m}']") for m in (1, 2))
    assert (curve.count(), other.count()) == (1, 1)
    assert row.is_visible()
    assert curve.is_visible()
    page.locator("[data-toggle='1']").focus()
    page.keyboard.press("Space")
    assert not row.is_visible()
    assert not curve.is_visible()
    assert other.is_visible()
    assert page.locator("#count").inner_text() == "4 of 6 lines"
    page.click("#all")
    assert row.is_visible()
    assert curve.is_visible()


def test_the_theme_follows_the_system_and_the_button(page):
    def background():
        return page.evaluate("getComputedStyle(document.body).backgroundColor")

    light = background()
    page.emulate_media(color_scheme="dark")
    dark = background()
    assert light != dark
    page.click("#theme")
    assert page.locator("#theme").inner_text() == "Theme: light"
    assert background() == light
    page.click("#theme")
    assert background() == dark
    page.emulate_media(color_scheme="light")
    assert background() == dark


def test_menus_choose_the_drawing(page):
    caption = page.locator("#directions .panel.on figcaption")
    assert caption.count() == 1
    page.locator("#directions select[data-place='2']").select_option(label="Hamming loss")
    assert "Hamming loss" in caption.inner_text()
    page.locator("#directions select[data-place='0']").select_option(label="plain 1")
    assert caption.inner_text().startswith("plain 1")


@pytest.mark.parametrize("width", [320, 390, 1280])
def test_the_page_never_scrolls_sideways(page, width):
    page.set_viewport_size({"width": width, "height": 800})
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_the_printed_page_shows_whole_tables(page):
    page.emulate_media(media="print")
    assert not page.locator("nav").is_visible()
    box = page.locator("#result-table").locator("..")
    assert box.evaluate("element => getComputedStyle(element).overflow") == "visible"
    assert page.locator(".panel.on").first.is_visible()
