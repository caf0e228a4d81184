"""The report: from the store only, escaped in every format, and a page that works."""

import csv
import io
import re
from html.parser import HTMLParser

import numpy as np
import pytest

from labelspan.experiments import Result, Source, Splits, Step, Store, run
from labelspan.lab.report import FORMATS, markdown_escape, render, write_report
from tests.lab.plans import HOSTILE, toy_plan

MEASURES = ("micro_f1", "hamming_loss")


def facts(label_names):
    q = len(label_names)
    statistics = {
        "n_samples": 60, "n_features": 8, "n_labels": q, "cardinality": 2.0, "density": 0.3,
        "n_labelsets": 9, "mean_imbalance": 1.5, "max_imbalance": 2.0, "scumble": 0.1,
    }  # fmt: skip
    return {
        "description": statistics,
        "problems": [f"a problem with {label_names[0]}"],
        "dependence": {"sentence": f"depends but for {label_names[0]}", "noise": "labels do not"},
        "source": label_names[1],
        "has_split": False,
        "label_names": list(label_names),
        "label_counts": list(range(q, 0, -1)),
        "correlation": np.eye(q).tolist(),
        "correlation_labels": list(range(q)),
    }


def made_up(folder, *, names=("first", "second", "third"), label_names=HOSTILE, n_sources=1,
            n_repeats=2):  # fmt: skip
    """A store without a run: values, spectra and curves of methods with any names."""
    folder.mkdir(exist_ok=True)
    methods = ("none", "mddm-p", "mvmd")
    steps = tuple(Step(m, (), name) for m, name in zip(methods, names, strict=True))
    sources = tuple(Source(f"{names[0]} {i}") for i in range(n_sources))
    plan = toy_plan(
        folder, name=f"plan {names[-1]}", reducers=steps, sources=sources, directions=(1, 2),
        splits=Splits("folds", n_folds=2, n_repeats=n_repeats),
    )  # fmt: skip
    rng = np.random.default_rng(0)
    store = Store(folder / "out")
    store.add_plan(plan, f"labelspan compare --data {names[0]}")
    for source in sources:
        store.add_facts(source, facts(label_names))
    for cell in plan.cells:
        place = names.index(cell.method)
        if place == 1 and cell.split == 1:
            store.add(cell, Result(cell.id, "failed", f"error {names[1]}"))
            continue
        rows = tuple((name, float(0.2 * place + 0.1 * rng.random())) for name in MEASURES)
        series = {
            "label_f1": rng.random(len(label_names)).tolist(),
            "eigenvalues": [3.0, 2.0, 0.5] if place else [],
        }
        store.add(
            cell,
            Result(
                cell.id, "ok", rows=rows, series=series, n_components=cell.directions or 3,
                seconds={"fit": 0.01 * (place + 1), "predict": 0.001, "total": 1.0},
                warnings=(f"careful with {names[0]}",), environment={"python": "3.11"},
                peak_memory=10**8,
            ),
        )  # fmt: skip
    return store


class Texts(HTMLParser):
    """Elements, attributes and texts of a page."""

    def __init__(self):
        super().__init__()
        self.tags, self.texts, self.attributes, self._inside = [], [], [], None

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        self.attributes += attributes
        self._inside = tag

    def handle_endtag(self, tag):
        self._inside = None

    def handle_data(self, data):
        if self._inside not in ("script", "style"):
            self.texts.append(data)


def test_the_page_opens_each_set_with_its_test_if_the_store_has_one(tmp_path):
    old = {key: value for key, value in facts(("a", "b")).items() if key != "dependence"}
    with made_up(tmp_path, label_names=("a", "b")) as store:
        page = render(store, "html")
        store.add_facts(Source("first 0"), old)
        before = render(store, "html")
    assert "<p>depends but for a</p>" in page
    assert '<p class="warn">On first 0 labels do not.</p>' in page
    assert "depends but" not in before
    assert "labels do not" not in before


def test_hostile_names_are_text_in_the_page(tmp_path):
    plain = Texts()
    with made_up(tmp_path / "plain", label_names=("a", "b", "c", "d", "e", "f")) as store:
        plain.feed(render(store))
    hostile = Texts()
    with made_up(tmp_path / "hostile", names=HOSTILE[:3]) as store:
        page = render(store)
    hostile.feed(page)
    # Names add no element, and no attribute that runs or loads anything.
    assert hostile.tags == plain.tags
    assert not [name for name, _ in hostile.attributes if name.startswith("on")]
    assert "<script>alert" not in page
    texts = " ".join(hostile.texts)
    for name in HOSTILE:
        assert " ".join(name.split())[:20] in texts


def test_the_page_needs_no_network(tmp_path):
    with made_up(tmp_path) as store:
        page = render(store)
    assert not re.findall(r"""(?:src|href)=["'](?!#|data:)""", page)
    assert "url(" not in page
    assert "@import" not in page
    assert "default-src 'none'" in page
    sections = "overview results ranks directions spectra time labels parameters data run"
    for section in sections.split():
        assert f'id="{section}"' in page


def test_hostile_names_in_csv(tmp_path):
    with made_up(tmp_path, names=HOSTILE[:3]) as store:
        rows = list(csv.DictReader(io.StringIO(render(store, "csv"))))
        cells = store.query("SELECT count(*) n FROM cells WHERE status = 'ok'")[0]["n"]
    assert sum(row["value"] != "" for row in rows) == cells * len(MEASURES)
    assert {row["method"] for row in rows} == {" ".join(name.split()) for name in HOSTILE[:3]}
    assert {row["status"] for row in rows} == {"ok", "failed"}


@pytest.mark.parametrize("name", ["=1+1", "+1", "@sum", "-2"])
def test_a_name_that_a_spreadsheet_would_compute_is_text_in_csv(tmp_path, name):
    with made_up(tmp_path, names=(name, "first", "second")) as store:
        rows = list(csv.DictReader(io.StringIO(render(store, "csv"))))
    assert {row["method"] for row in rows} == {f"'{name}", "first", "second"}


def test_hostile_names_in_markdown(tmp_path):
    with made_up(tmp_path, names=(HOSTILE[0], HOSTILE[5], HOSTILE[2])) as store:
        text = render(store, "md")
    assert "<script" not in text
    tables = [line for line in text.splitlines() if line.startswith("| ")]
    widths = {len(re.findall(r"(?<!\\)\|", line)) for line in tables}
    # Means with ranks and directions; average ranks.
    assert widths == {len(MEASURES) + 4, len(MEASURES) + 3}
    assert r"\|pipe\| \`code\` \[link\]\(javascript\:alert\(1\)\)" in text
    assert markdown_escape("a\nb") == "a b"


def test_hostile_names_in_latex(tmp_path):
    with made_up(tmp_path, names=(HOSTILE[3], HOSTILE[1], HOSTILE[4])) as store:
        text = render(store, "latex")
    assert r"\textbackslash{}input\{x\}" in text
    assert r"\input{" not in text
    rows = [line for line in text.splitlines() if line.endswith(r" \\")]
    assert {len(re.findall(r"(?<!\\)&", row)) for row in rows} == {len(MEASURES) + 1}
    without = re.sub(r"\\[a-zA-Z]+|\\[&%$#_{}]|\$\\pm\$", "", text)
    assert not re.search(r"[%#_~^](?! needs)", without.replace("% needs", ""))


def test_signs_of_latex_in_a_name_are_text(tmp_path):
    with made_up(tmp_path, names=("50% & more", "first", "second")) as store:
        text = render(store, "latex")
    assert "\n50\\% \\& more & " in text


def test_every_format_is_written_whole(tmp_path):
    with made_up(tmp_path) as store:
        for name, (suffix, _) in FORMATS.items():
            path = write_report(store, tmp_path / f"report{suffix}", name)
            assert path.read_bytes() == render(store, name).encode()
        assert not list(tmp_path.glob("*.part"))
        with pytest.raises(ValueError, match="no format 'pdf'; use html, md, csv, latex"):
            render(store, "pdf")


def test_ranks_in_the_table_are_those_of_the_means(tmp_path):
    with made_up(tmp_path) as store:
        text = render(store, "md")
        values = store.query(
            "SELECT method, avg(value) mean FROM cells JOIN measurements ON cell = id WHERE "
            "measure = 'micro_f1' AND directions IS NULL GROUP BY method ORDER BY mean DESC"
        )
    # The second method failed on a split.
    for row, rank in zip(values, ("1", "-", "2"), strict=True):
        line = next(line for line in text.splitlines() if line.startswith(f"| {row['method']} "))
        assert f"{row['mean']:.4f}" in line
        assert f"({rank})" in line.split("|")[2]


def tied(folder, values, n_stored=None):
    """A store of three methods with these values on every split, or of the first cells of it."""
    steps = tuple(Step("mvmd", (("beta", b),), name) for b, name in enumerate(values))
    plan = toy_plan(folder, reducers=steps, measures=("micro_f1",))
    store = Store(folder / "out")
    store.add_plan(plan)
    for cell in plan.cells[:n_stored]:
        found = values[cell.method]
        value = found if isinstance(found, float) else found[cell.split]
        if value is None:
            store.add(cell, Result(cell.id, "failed", "it broke"))
        else:
            store.add(cell, Result(cell.id, "ok", rows=(("micro_f1", value),)))
    return store


def bold(store):
    """Methods in bold: in LaTeX and, which must be the same, in the page."""
    rows = [row for row in render(store, "latex").splitlines() if r"\textbf" in row]
    page = [row for row in render(store).split("<tr data-m") if 'class="best"' in row]
    assert len(page) == len(rows)
    return [row.split(" ")[0] for row in rows]


def test_a_method_that_failed_or_is_not_finished_has_neither_rank_nor_bold(tmp_path):
    values = {"good": 0.4, "better": 0.5, "flaky": (0.9, None, None, None)}
    with tied(tmp_path, values) as store:
        text = render(store, "md")
        assert bold(store) == ["better"]
    lines = {line.split()[1]: line for line in text.splitlines() if line.count(" | ") == 3}
    assert "0.9000 (-)" in lines["flaky"]
    assert r"3 of 4 splits failed" in lines["flaky"]
    assert "(1)" in lines["better"]
    assert "have not been run" not in text


def test_a_report_of_an_interrupted_run_says_what_is_missing(tmp_path):
    # Of three splits all cells, of the fourth only the first method's.
    with tied(tmp_path, {"good": (0.1, 0.1, 0.1, 0.9), "better": 0.2, "best": 0.3}, 10) as store:
        text, table, page = render(store, "md"), render(store, "latex"), render(store)
        assert bold(store) == []
    assert "2 of 12 cells have not been run" in text
    assert "2 of 12 cells have not been run" in table.splitlines()[1]
    assert "2 of 12 cells have not been run" in page
    lines = {line.split()[1]: line for line in text.splitlines() if line.count(" | ") == 3}
    assert r"1 of 4 splits missing" in lines["better"]
    assert "(-)" in lines["best"]


def test_all_methods_that_share_the_best_value_are_bold(tmp_path):
    with tied(tmp_path, {"a": 0.5, "b": 0.5, "c": 0.5}) as store:
        assert bold(store) == ["a", "b", "c"]


def test_a_name_that_begins_as_an_option_is_text_in_latex(tmp_path):
    with tied(tmp_path, {"[1] X": 0.5, "*b": 0.4, "[2pt]": 0.3}) as store:
        text = render(store, "latex")
    assert "\\midrule\n{[}1] X & " in text
    assert not re.search(r"(\\\\|\\midrule)\s*[\[*]", text)
    assert "\\\\\n{[}2pt] & " in text


def test_a_store_without_results_still_gives_a_page(tmp_path):
    with Store(tmp_path / "out") as store:
        store.add_plan(toy_plan(tmp_path))
        page = render(store)
    assert "No recommendation" in page


def test_a_model_that_stands_alone_has_no_rank_among_itself(tmp_path):
    plan = toy_plan(tmp_path, reducers=("none", "mvmd"), models=(Step("shared-subspace"),))
    with Store(tmp_path / "out") as store:
        run(plan, store, n_jobs=0)
        text = render(store, "md")
        assert ' class="best">' in render(store)
    line = next(line for line in text.splitlines() if line.startswith(r"| ML\_LS"))
    assert line.count("(-)") == len(MEASURES)
    sizes = [row["n_components"] for row in cells_of(tmp_path / "out", "ML_LS")]
    assert sizes == [5] * 4


def test_measures_of_the_model_stand_in_the_report(tmp_path):
    models = tuple(Step("cplst", (("n_components", M),), f"M{M}") for M in (1, 2))
    measures = ("encoding_error", "hamming_loss")
    plan = toy_plan(tmp_path, reducers=(), classifiers=(), models=models, measures=measures)
    with Store(tmp_path / "out") as store:
        run(plan, store, n_jobs=0)
        text = render(store, "md")
        page = render(store)
    assert "Encoding error" in text
    assert "Encoding error" in page
    # Two codes encode better than one.
    errors = {}
    for name in ("M1", "M2"):
        line = next(line for line in text.splitlines() if line.startswith(f"| {name} "))
        errors[name] = float(re.findall(r"[0-9.]+", line.split("|")[2])[0])
    assert 0 < errors["M2"] < errors["M1"]


def test_a_measure_of_the_model_asks_for_one_that_has_it(tmp_path):
    plan = toy_plan(tmp_path, reducers=("none",), measures=("encoding_error",))
    with Store(tmp_path / "out") as store:
        run(plan, store, n_jobs=0)
        errors = {row["error"] for row in store.query("SELECT error FROM cells")}
    assert errors
    assert all("encoding_error asks a label-space model such as CPLST" in error for error in errors)


def cells_of(folder, method):
    with Store(folder, read_only=True) as store:
        return store.query("SELECT n_components FROM cells WHERE method = ?", [method])
