"""Preprocessing: fitted on the training part only, named by plans, commands and models."""

import json
from dataclasses import asdict, replace

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MaxAbsScaler, QuantileTransformer, StandardScaler

from labelspan import MVMD, MultiOutputRidge
from labelspan.datasets import MultilabelDataset, read_npz, write_npz
from labelspan.experiments import Cell, Plan, Source, Splits, Step, Store, load_plan, run, run_cell
from labelspan.lab.plan import (
    cell_from_dict,
    choose_scaler,
    made_preprocessing,
    preprocessing_of,
)
from labelspan.lab.report import render
from labelspan.metrics import evaluate
from tests.lab import test_cli
from tests.lab.plans import toy_plan, write_toy

# The fixture that runs the command in this process.
command = test_cli.labelspan

QUANTILES = "sklearn.preprocessing:QuantileTransformer"
MEASURES = ("micro_f1", "ranking_loss", "average_precision")


def counts(rng, n_samples=80, n_features=12):
    """Sparse counts with columns of different frequency, and labels that depend on them."""
    X = rng.poisson(np.linspace(0.2, 30, n_features), (n_samples, n_features)).astype(float)
    Y = (X[:, :4] + 2 * rng.standard_normal((n_samples, 4)) > X[:, :4].mean(axis=0)) * 1
    return X, Y.astype(np.uint8)


def written(folder, X, Y, name="data", train=None):
    """A data set on disk, with a standard split if the training rows are given."""
    test = None if train is None else np.setdiff1d(np.arange(len(Y)), train)
    features = tuple(f"x{i}" for i in range(X.shape[1]))
    labels = tuple(f"y{i}" for i in range(Y.shape[1]))
    dataset = MultilabelDataset(name, X, Y, features, labels, train, test, "random")
    write_npz(dataset, folder / f"{name}.npz")
    return Source.from_any({"name": name, "path": str(folder / f"{name}.npz")})


def cell_of(source, preprocessing, **fields):
    return Cell(
        source, Splits("standard"), 0, Step("mvmd"), Step("ridge"), MEASURES,
        preprocessing=preprocessing_of(preprocessing), **fields,
    )  # fmt: skip


PIPELINES = {
    "standard": ("standard", lambda: StandardScaler()),
    "maxabs": ("maxabs", lambda: MaxAbsScaler()),
    "tfidf": ("tfidf", lambda: TfidfTransformer()),
    "path": (
        {"method": QUANTILES, "parameters": {"n_quantiles": 20}},
        lambda: QuantileTransformer(n_quantiles=20),
    ),
    "list": (
        ["maxabs", {"method": QUANTILES, "parameters": {"n_quantiles": 9}}],
        lambda: make_pipeline(MaxAbsScaler(), QuantileTransformer(n_quantiles=9)),
    ),
}


@pytest.mark.parametrize("name", PIPELINES)
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array], ids=["dense", "sparse"])
def test_a_cell_is_scikit_learns_pipeline_on_the_same_split(tmp_path, rng, name, form):
    plan, scaler = PIPELINES[name]
    X, Y = counts(rng)
    X, train = form(X), np.arange(0, 80, 2)
    scaler = scaler()
    if isinstance(scaler, StandardScaler) and sparse.issparse(X):
        scaler.set_params(with_mean=False)
    result = run_cell(cell_of(written(tmp_path, X, Y, train=train), plan))
    assert result.status == "ok", result.error
    model = make_pipeline(scaler, MVMD(), MultiOutputRidge(min_labels=1)).fit(X[train], Y[train])
    test = np.setdiff1d(np.arange(80), train)
    expected = evaluate(
        Y[test], model.predict(X[test]), model.decision_function(X[test]), measures=MEASURES
    )
    assert_allclose([value for _, value in result.rows], list(expected.values()), atol=1e-12)
    plain = run_cell(cell_of(written(tmp_path, X, Y, train=train), "none"))
    assert plain.rows != result.rows


@pytest.mark.parametrize("name", PIPELINES)
def test_test_rows_do_not_enter_what_is_fitted(tmp_path, rng, name):
    X, Y = counts(rng)
    train = np.arange(40)
    spectra = []
    for factor in (1, 1000):
        # Other sizes, and another number of rows in which a feature occurs.
        X[40:] *= 1 if factor == 1 else factor * (np.arange(12) % 2)
        source = written(tmp_path, X, Y, train=train)
        spectra.append(run_cell(cell_of(source, PIPELINES[name][0])).series["eigenvalues"])
    assert spectra[0] == spectra[1]


def test_sparse_features_stay_sparse_and_constant_columns_work(rng):
    X, _ = counts(rng)
    X[:, 3], X[:, 5] = 0, 7
    steps = made_preprocessing(preprocessing_of("standard"), sparse.csr_array(X))
    scaled = steps.fit_transform(sparse.csr_array(X))
    assert sparse.issparse(scaled)
    deviations = X.std(axis=0)
    deviations[[3, 5]] = 1
    assert_allclose(scaled.toarray(), X / deviations, rtol=1e-12)
    dense = made_preprocessing(preprocessing_of("standard"), X).fit_transform(X)
    assert_allclose(dense, (X - X.mean(axis=0)) / deviations, atol=1e-12)


def test_stored_results_keep_their_names():
    """The hashes that the first version wrote."""
    plan = Plan(
        "p",
        sources=(Source("yeast"),),
        reducers=(Step("mvmd", (("beta", 0.9),)),),
        classifiers=(Step("ridge@0.2.0"),),
        models=(Step("cplst@0.2.0"),),
        splits=Splits("folds", n_folds=2, n_repeats=1),
        measures=("micro_f1", "hamming_loss"),
        directions=(1, 2),
    )
    assert plan.hash == "841ac57b7a177c3a"
    assert [cell.id for cell in plan.cells] == [
        "0d02c32084a553b3", "11b7a9702866ea02", "98fb37f7a1909463", "4a18226a7e6e07de",
        "c957ae759df115f3", "0bd72104155ca589", "347b3b69cf58adc6", "1b2b9ad4a557d774",
    ]  # fmt: skip
    scaled = replace(plan, preprocessing=preprocessing_of("standard"))
    tuned = replace(plan, tune=True)
    names = {plan.hash, scaled.hash, tuned.hash}
    assert len(names) == 3
    ids = {cell.id for item in (plan, scaled, tuned) for cell in item.cells}
    assert len(ids) == 24


@pytest.mark.parametrize(
    ("make", "scaler", "why"),
    [
        (lambda X: sparse.csr_array(np.round(X)), "tfidf", "integers >= 0"),
        (lambda X: np.round(X), "none", "standard deviations of the features from"),
        (lambda X: X * [1, 1, 1, 101], "standard", "a ratio of more than 100"),
        (lambda X: X * [1, 1, 1, 99], "none", "a ratio of at most 100"),
        (lambda X: X * [1, 1, 1, 0], "none", "from 1 to 1"),
        (lambda X: X * [1, 1, 1, 0] + [0, 0, 0, 0.1], "none", "from 1 to 1"),
        (lambda X: X * 0, "none", "all features are constant"),
        (lambda X: sparse.csr_array(X * [1, 1, 1, -1e4] / 3), "maxabs", "largest absolute values"),
        (lambda X: sparse.csr_array(X / 3), "none", "largest absolute values"),
        (lambda X: X * [1, 1, 1e-300, 1e300], "standard", "from 1e-300 to 1e+300"),
    ],
)  # fmt: skip
def test_auto_follows_its_rule(make, scaler, why):
    X = np.tile([[0.0], [2.0]], (10, 4))
    found, reason = choose_scaler(make(X))
    assert found == scaler
    assert why in reason


def test_the_run_says_what_auto_took_and_cells_are_those_of_the_scaler(tmp_path, rng):
    X, Y = counts(rng)
    sources = (
        written(tmp_path, X * np.logspace(0, 6, 12), Y, "unlike"),
        written(tmp_path, sparse.csr_array(X), Y, "words"),
    )
    plan = toy_plan(tmp_path, sources=sources, preprocessing=preprocessing_of("auto"))
    with Store(tmp_path / "out") as store:
        run(plan, store, n_jobs=0)
        stored = json.loads(store.plans()[0]["content"])
        chosen = [item[:2] for item in stored["scaling"]]
        assert chosen == [["unlike", "standard"], ["words", "tfidf"]]
        texts = [render(store, kind) for kind in ("md", "html")]
        for text in texts:
            assert "standard deviations of the features from" in text
            assert "words" in text
        for place, scaler in enumerate(("standard", "tfidf")):
            steps = preprocessing_of(scaler)
            other = replace(plan, sources=sources[place : place + 1], preprocessing=steps)
            assert len(store.finished(other.cells)) == len(other.cells)


def test_a_cell_reaches_another_process_whole(tmp_path):
    steps = preprocessing_of(["maxabs", {"method": QUANTILES, "parameters": {"n_quantiles": 9}}])
    plan = toy_plan(tmp_path, preprocessing=steps, tune=True)
    for cell in plan.cells:
        assert cell_from_dict(json.loads(json.dumps(asdict(cell)))) == cell
    again = Plan.from_dict(json.loads(json.dumps(asdict(plan))))
    assert again == plan
    assert again.hash == plan.hash


def test_a_plan_file_names_preprocessing(tmp_path):
    text = 'name = "p"\nsources = ["yeast"]\nreducers = ["mvmd"]\nclassifiers = ["ridge"]\n'
    path = tmp_path / "plan.toml"
    for line, steps in {
        'preprocessing = "standard"': (Step("standard"),),
        'preprocessing = "none"': (),
        f'preprocessing = {{ method = "{QUANTILES}", parameters = {{ n_quantiles = 9 }} }}': (
            Step(QUANTILES, (("n_quantiles", 9),)),
        ),
        f'preprocessing = ["maxabs", "{QUANTILES}"]': (Step("maxabs"), Step(QUANTILES)),
        "tune = true": (),
    }.items():
        path.write_text(text + line)
        plan = load_plan(path)
        assert plan.preprocessing == steps
        assert plan.tune == line.startswith("tune")


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"preprocessing": "mvmd"}, "mvmd is not a scaler; give standard, maxabs, tfidf, auto, no"),
        ({"preprocessing": "stndard"}, "no method 'stndard'; did you mean standard"),
        ({"preprocessing": ["auto", "maxabs"]}, "give auto alone, or name all steps"),
        ({"preprocessing": 3}, "preprocessing is 3; give a list"),
        (
            {"preprocessing": {"method": QUANTILES, "grid": {"n_quantiles": [9, 20]}}},
            "preprocessing has a grid, .*; give one value per parameter",
        ),
        ({"scaling": [["yeast", "standard", "why"]]}, "preprocessing is not auto; leave scaling"),
        (
            {"preprocessing": "auto", "scaling": [["yeast", "mvmd", "why"]]},
            "scaling holds 'mvmd'; give one of standard",
        ),
        ({"preprocessing": "auto", "scaling": [["yeast"]]}, "give a data set, a scaler and a rea"),
        ({"tune": 1}, "tune is 1; give true or false"),
        ({"models": ["standard"]}, "standard is a scaler, not a model; give it with the scalers"),
    ],
)
def test_wrong_preprocessing_is_refused(fields, message):
    content = {"name": "p", "sources": ["yeast"], "reducers": ["mvmd"], "classifiers": ["ridge"]}
    with pytest.raises(ValueError, match=message):
        Plan.from_dict({**content, **fields})


@pytest.mark.parametrize(
    ("preprocessing", "message"),
    [
        ("tfidf", "tfidf needs counts, integers >= 0, but toy has the value -?0."),
        ("sklearn.linear_model:Ridge", "Ridge has no transform, so it cannot be preprocessing"),
        ("sklearn.preprocessing:Nope", "sklearn.preprocessing has no 'Nope'"),
        ({"method": QUANTILES, "parameters": {"n": 1}}, "has no parameter 'n'; it has n_quantiles"),
    ],
)
def test_preprocessing_that_cannot_run_is_refused_before_the_first_cell(
    tmp_path, preprocessing, message
):
    plan = toy_plan(tmp_path, preprocessing=preprocessing_of(preprocessing))
    with Store(tmp_path / "out") as store:
        with pytest.raises((ValueError, ImportError), match=message):
            run(plan, store, n_jobs=0)
        assert store.n_cells == 0
        assert store.plans() == []


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("compare", "--scale", "minmax"), "--scale is 'minmax'; give one of standard, maxabs, tf"),
        (("reduce", "yeast", "--scale", "tfidf"), "tfidf needs counts, integers >= 0"),
        (("compare", "--scale", "tfidf"), "but yeast has the value"),
        (
            ("compare", "--plan", "p.toml", "--scale", "standard"),
            "--scale cannot be combined with --plan",
        ),
        (("compare", "--plan", "p.toml", "--tune"), "--tune cannot be combined with --plan"),
        (("reduce", "yeast", "--apply", "m.skops", "--scale", "standard"), "--scale cannot be"),
    ],
)
def test_commands_refuse_scaling_before_the_work(
    command,
    tmp_path,
    monkeypatch,
    arguments,
    message,
):
    monkeypatch.chdir(tmp_path)
    test_cli.assert_refused(command(*arguments), message, tmp_path)


def test_compare_scales_and_says_so(command, tmp_path):
    common = ("--data", write_toy(tmp_path), "--methods", "none,mvmd", "--splits", "1x2")
    more = ("--directions", "", "--jobs", "0", "--classifiers", "ridge")
    code, out, _ = command("compare", *common, *more, "--out", tmp_path / "a", "--scale", "auto")
    assert code == 0
    assert "scaling of toy: none (standard deviations of the features from" in out
    code, out, _ = command(
        "compare", *common, *more, "--out", tmp_path / "b", "--scale", "standard", "--json"
    )
    assert json.loads(out)["scaling"] == ["scaling: standard, fitted on each training part"]


@pytest.mark.parametrize("scale", ["standard", "maxabs", "tfidf", "auto"])
def test_a_saved_model_scales_new_files(command, tmp_path, monkeypatch, rng, scale):
    monkeypatch.chdir(tmp_path)
    X, Y = counts(rng)
    X, train = sparse.csr_array(X), np.arange(50)
    written(tmp_path, X, Y, "old", train)
    fresh, labels = counts(rng, 30)
    written(tmp_path, sparse.csr_array(fresh), labels, "new")
    code, out, _ = command(
        "reduce", "old.npz", "--scale", scale, "--n-components", "3", "--model", "m.skops"
    )
    assert code == 0
    assert ("scaling: tfidf (sparse features" in out) == (scale == "auto")
    assert "fitted on 50 rows" in out
    code, out, _ = command("reduce", "new.npz", "--apply", "m.skops", "--out", "applied.npz")
    assert code == 0
    scalers = {"standard": StandardScaler(with_mean=False), "maxabs": MaxAbsScaler()}
    scaler = scalers.get(scale, TfidfTransformer())
    model = make_pipeline(scaler, MVMD(3)).fit(X[train], Y[train])
    for name, rows in (("reduced", X), ("applied", sparse.csr_array(fresh))):
        assert_allclose(read_npz(tmp_path / f"{name}.npz").X, model.transform(rows), atol=1e-12)
        text = f"reduced by MVMD(n_components=3) after {type(scaler).__name__}"
        assert text in read_npz(tmp_path / f"{name}.npz").source
    assert f"MVMD(n_components=3) after {type(scaler).__name__}" in out


def test_a_pipeline_of_other_things_is_no_model(command, tmp_path, rng):
    skops = pytest.importorskip("skops.io")
    X, Y = counts(rng)
    for steps in (
        (StandardScaler(), QuantileTransformer(n_quantiles=10)),
        (QuantileTransformer(n_quantiles=10), MVMD()),
    ):
        path = tmp_path / "m.skops"
        skops.dump(make_pipeline(*steps).fit(X, Y), path)
        code, _, err = command("reduce", "yeast", "--apply", path)
        assert code == 2
        assert "holds a Pipeline, not a reducer of labelspan" in err


def test_random_steps_follow_the_seed_of_the_plan(rng):
    X = rng.standard_normal((300, 2))
    step = {
        "method": QUANTILES,
        "parameters": {"n_quantiles": 50, "subsample": 60},
        "label": "a__b",
    }
    first, again, other = (
        made_preprocessing(preprocessing_of(step), X, seed=seed).fit_transform(X)
        for seed in (0, 0, 1)
    )
    assert_array_equal(first, again)
    assert not np.array_equal(first, other)


def test_auto_leaves_values_that_are_not_finite_to_the_methods(rng):
    X = rng.standard_normal((5, 3))
    X[0, 1], X[1, 2] = np.inf, np.nan
    assert choose_scaler(X)[0] == "none"
    assert choose_scaler(sparse.csr_array(X))[0] == "none"


def test_none_leaves_features_as_they_are(rng):
    assert made_preprocessing((), rng.standard_normal((5, 2))) is None
    assert preprocessing_of(["none"]) == ()
    assert_array_equal(preprocessing_of("standard"), (Step("standard"),))


def test_labels_without_training_rows_are_left_out_where_asked(tmp_path):
    Y = np.zeros((20, 3), dtype=int)
    Y[:12, 0] = Y[12:, 1] = Y[::2, 2] = 1
    source = written(tmp_path, np.eye(20), Y, train=np.arange(10))
    found = Source.from_any({"path": source.path, "prepare": "trained-labels"}).load()
    assert (found.label_names, found.X.shape) == (("y0", "y2"), (20, 20))
    assert_array_equal(found.Y.toarray() if sparse.issparse(found.Y) else found.Y, Y[:, [0, 2]])
    assert_array_equal(found.train, np.arange(10))


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array], ids=["dense", "sparse"])
def test_pages_are_prepared_as_the_shared_subspace_paper_does(tmp_path, form):
    """Labels of at least 100 documents, their documents, and words of at least 5 of these."""
    Y = np.zeros((203, 3), dtype=int)
    Y[:100, 0] = Y[101:202, 1] = Y[101:200, 2] = 1
    # Row 202 has no label; row 100 has none of the frequent ones.
    Y[100, 2] = 0
    counts = np.random.default_rng(0).poisson(1.0, (203, 4))
    counts[:, 2:] = 0
    counts[:5, 2], counts[:4, 3], counts[[100, 202], 3] = 2, 3, 9
    source = written(tmp_path, form(counts.astype(float)), Y, train=np.arange(150))
    found = Source.from_any({"path": source.path, "prepare": "frequent-tfidf"}).load()
    rows = np.flatnonzero(Y[:, :2].any(axis=1))
    assert len(rows) == 201
    assert (found.label_names, found.feature_names) == (("y0", "y1"), ("x0", "x1", "x2"))
    found_Y = found.Y.toarray() if sparse.issparse(found.Y) else found.Y
    assert_array_equal(found_Y, Y[rows][:, :2])
    kept = counts[rows][:, :3]
    idf = np.log((1 + len(rows)) / (1 + (kept > 0).sum(axis=0))) + 1
    lengths = np.linalg.norm(kept * idf, axis=1, keepdims=True)
    assert_allclose(found.X.toarray(), kept * idf / np.where(lengths > 0, lengths, 1), rtol=1e-12)
    assert found.train is None
    trained = Source.from_any({"path": source.path, "prepare": "trained-labels"}).load()
    assert (trained.label_names, trained.X.shape) == (("y0", "y1", "y2"), (203, 4))
    plain = Source.from_any({"path": source.path, "prepare": "frequent-tf"}).load()
    lengths = np.linalg.norm(kept, axis=1, keepdims=True)
    assert_allclose(plain.X.toarray(), kept / np.where(lengths > 0, lengths, 1), rtol=1e-12)
    assert_array_equal(plain.Y, found.Y)
