"""Hard cases of sums and factors are as accurate on a device as on the host."""

import numpy as np
import pytest
import sklearn
from sklearn.base import clone
from sklearn.metrics.pairwise import pairwise_kernels

import labelspan as ls
from labelspan.arrays import to_host
from labelspan.kernels import KernelCPLSTCV, kernel_path
from labelspan.kernels import _gram as kernel_grams
from labelspan.kernels import _map as kernel_maps
from labelspan.linalg import fix_signs
from labelspan.moments import Block


def problem(n=200, D=8, q=3, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, D)) * np.linspace(1, 2, D)
    Y = (X @ rng.standard_normal((D, q)) + rng.standard_normal((n, q)) > 0).astype(int)
    return X, Y


def both(place, model, X, Y):
    """Projections by the host and by a device."""
    expected = model.fit(X, Y).transform(X)
    return to_host(model.fit(place.put(X), Y).transform(place.put(X))), expected


def test_signs_follow_one_rule(place):
    """Cubes that decide, pairs that cancel, and cubes that cancel: the first of the largest."""
    V = np.array([[0.6, -0.6, 0.1, -0.3], [0.5, -1, 1, -0.5], [-0.5, 1, -1, 0.5], [1, 2, -3, 0]])
    with sklearn.config_context(array_api_dispatch=True):
        found = to_host(fix_signs(place.put(V.copy())))
    np.testing.assert_array_equal(found, V * np.array([-1, -1, 1, -1])[:, None])
    np.testing.assert_array_equal(fix_signs(V.copy()), found)


SOLVED = [
    ls.MVMD(3), ls.MDDM(2), ls.LabelCCA(2), ls.OPLS(2), ls.MLSI(3), ls.MLDA(2), ls.DMLDA(3),
    ls.HSL(2), ls.HSL(2, expansion="zhou"),
]  # fmt: skip
MODELS = [*SOLVED, ls.OPLS(2, ridge=0)]


@pytest.mark.parametrize("model", MODELS, ids=lambda model: type(model).__name__)
def test_blocks_add_up(place, model, device_blocks):
    X, Y = problem()
    device_blocks(8 * 8 * 70)
    found, expected = both(place, model, X + 3, Y)
    np.testing.assert_allclose(found, expected, atol=1e-9 * np.abs(expected).max())


@pytest.mark.parametrize("model", MODELS, ids=lambda model: type(model).__name__)
@pytest.mark.parametrize("mean", [1e3, 1e6])
def test_a_mean_far_above_the_spread_costs_no_digits(place, model, mean):
    X, Y = problem()
    X += mean
    found, expected = both(place, model, X, Y)
    # The rows themselves have lost log10(mean) of 16 digits.
    np.testing.assert_allclose(found, expected, atol=1e-15 * mean * 100 * np.abs(expected).max())


@pytest.mark.parametrize("model", MODELS, ids=lambda model: type(model).__name__)
def test_a_constant_column_is_no_direction(place, model):
    X, Y = problem()
    X[:, 2] = 0.1
    model.fit(place.put(X), Y)
    components = np.abs(to_host(model.components_))
    assert components[:, 2].max() <= 1e-14 * components.max()


@pytest.mark.parametrize("model", MODELS, ids=lambda model: type(model).__name__)
def test_columns_in_units_far_apart(place, model):
    X, Y = problem()
    found, expected = both(place, model, X * 10.0 ** np.arange(-4, 4), Y)
    np.testing.assert_allclose(found, expected, atol=1e-8 * np.abs(expected).max())


@pytest.mark.parametrize("ridge", [0.0, 1e-9])
def test_columns_that_depend_on_each_other(place, ridge):
    X, Y = problem()
    X[:, 5] = X[:, 0] - X[:, 1]
    expected = ls.MultiOutputRidge(ridge).fit(X, Y).coef_
    found = ls.MultiOutputRidge(ridge).fit(place.put(X), Y).coef_
    assert place.holds(found)
    np.testing.assert_allclose(to_host(found), expected, atol=1e-7 * np.abs(expected).max())


def test_least_squares_of_ill_conditioned_columns(place):
    X, Y = problem()
    X[:, 5] = X[:, 0] + 1e-7 * X[:, 5]
    expected = ls.CPLST(2, ridge=0.0).fit(X, Y).decision_function(X)
    model = ls.CPLST(2, ridge=0.0).fit(place.put(X), Y)
    found = to_host(model.decision_function(place.put(X)))
    np.testing.assert_allclose(found, expected, atol=1e-7 * np.abs(expected).max())


@pytest.mark.parametrize("model", SOLVED, ids=lambda model: type(model).__name__)
def test_no_matrix_of_the_features_leaves_the_device(place, model):
    # More features than an eigenproblem may have that is solved on the host.
    X, Y = problem(400, 140)
    model.fit(place.put(X), Y)
    assert place.moved
    assert [shape for shape in place.moved if len(shape) == 2 and min(shape) >= 100] == []


@pytest.mark.parametrize("model", SOLVED[4:], ids=lambda model: type(model).__name__)
def test_directions_of_columns_that_depend_on_each_other(place, model):
    X, Y = problem()
    X[:, 5] = X[:, 0] - X[:, 1]
    found, expected = both(place, model, X, Y)
    np.testing.assert_allclose(found, expected, atol=1e-8 * np.abs(expected).max())


def test_wide_columns_in_units_far_apart_are_warned_of(place):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((20, 40)) * 10.0 ** np.linspace(-6, 6, 40)
    Y = rng.integers(0, 2, (20, 3))
    with pytest.warns(UserWarning, match="scales far apart, and on a device"):
        ls.OPLS(2).fit(place.put(X), Y)


def test_reconstruction(place):
    X, Y = problem()
    model = ls.LabelCCA(2).fit(X, Y)
    expected = model.inverse_transform(model.transform(X))
    model.fit(place.put(X), Y)
    found = model.inverse_transform(model.transform(place.put(X)))
    assert place.holds(found)
    np.testing.assert_allclose(to_host(found), expected, atol=1e-9 * np.abs(expected).max())


@pytest.mark.parametrize("kernel", ["linear", "poly", "rbf", "cosine", "precomputed"])
def test_kernels_give_what_the_host_gives(place, kernel):
    X, Y = problem(60)
    X = X @ X.T if kernel == "precomputed" else 0.3 * X
    found, expected = both(place, ls.KernelLabelCCA(2, kernel=kernel, gamma=0.01), X, Y)
    np.testing.assert_allclose(found, expected, atol=1e-8 * np.abs(expected).max())


@pytest.mark.parametrize("kernel", sorted(kernel_maps.ON_DEVICE - {"precomputed"}))
def test_kernels_have_scikit_learns_values(place, kernel):
    X, _ = problem(40)
    X[3] = 0.0
    parameters = {"gamma": 0.2, "degree": 3, "coef0": 0.5}
    expected = pairwise_kernels(X, X[:7], metric=kernel, filter_params=True, **parameters)
    found = kernel_maps.kernel_values(kernel, parameters, place.put(X), place.put(X[:7]))
    np.testing.assert_allclose(to_host(found), expected, atol=1e-12 * np.abs(expected).max())


def test_an_indefinite_kernel_is_refused(place):
    X, Y = problem(60)
    K = X @ X.T - 2 * np.diag(np.arange(60.0))
    with pytest.raises(ValueError, match="indefinite"):
        ls.KernelLabelCCA(2, kernel="precomputed").fit(place.put(K), Y)
    with pytest.raises(ValueError, match="is not symmetric"):
        ls.KernelLabelCCA(2, kernel="precomputed").fit(place.put(K + np.triu(X @ X.T, 1)), Y)


def test_a_kernel_that_does_not_fit_is_refused_with_its_bytes(place, monkeypatch):
    X, Y = problem(60)
    monkeypatch.setattr(kernel_grams, "free_bytes", lambda array: 50_000)
    with pytest.raises(MemoryError, match=r"57,600 bytes\), but 50,000 bytes are free"):
        ls.KernelLabelCCA(2).fit(place.put(X), Y)


@pytest.mark.parametrize(
    ("model", "reason"),
    [
        (ls.KernelLabelCCA(2, kernel="laplacian"), "with kernel='laplacian' works on the host"),
        (ls.KernelLabelCCA(2, n_landmarks=5, landmarks="kmeans"), "with landmarks='kmeans' works"),
        (ls.MLDA(2, weights="fuzzy"), "with weights='fuzzy' works on the host"),
        (ls.MLkNN(metric="manhattan"), "MLkNN works on the host"),
    ],
)
def test_settings_that_stay_on_the_host_say_so(place, model, reason):
    X, Y = problem(60)
    with pytest.raises(TypeError, match=reason):
        model.fit(place.put(X), Y)


def test_classes_of_a_1d_y(place):
    X, Y = problem()
    names = np.array(["no", "yes"])[Y[:, 0]]
    for y in (Y[:, 0], names, Y @ [1, 2, 4]):
        expected = ls.MultiOutputRidge().fit(X, y).predict(X)
        found = ls.MultiOutputRidge().fit(place.put(X), y).predict(place.put(X))
        assert place.holds(found) or found.dtype.kind == "U"
        np.testing.assert_array_equal(to_host(found), expected)


def test_codes_errors_and_top_labels(place):
    X, Y = problem()
    host, model = ls.CPLST(2, ridge=0.0).fit(X, Y), ls.CPLST(2, ridge=0.0).fit(place.put(X), Y)
    codes = model.encode(place.put(Y))
    assert place.holds(codes)
    np.testing.assert_allclose(to_host(codes), host.encode(Y), atol=1e-10)
    scores = model.decode(codes)
    assert place.holds(scores)
    np.testing.assert_allclose(to_host(scores), host.decode(host.encode(Y)), atol=1e-10)
    top = model.predict_topk(place.put(X), 2)
    assert place.holds(top)
    np.testing.assert_array_equal(to_host(top), host.predict_topk(X, 2))
    np.testing.assert_allclose(model.errors(place.put(X), Y), host.errors(X, Y), rtol=1e-9)


def test_measures_take_scores_from_a_device(place):
    X, Y = problem()
    host, model = ls.MultiOutputRidge().fit(X, Y), ls.MultiOutputRidge().fit(place.put(X), Y)
    for measure, output in (("ranking_loss", "decision_function"), ("hamming_loss", "predict")):
        call = getattr(ls.metrics, measure)
        expected = call(Y, getattr(host, output)(X))
        found = getattr(model, output)(place.put(X))
        assert call(place.put(Y), found) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("model", SOLVED, ids=lambda model: type(model).__name__)
def test_sums_in_single_precision_where_they_are_asked_for(place, model, monkeypatch):
    X, Y = problem()
    X = (X + 3).astype(np.float32)
    types = []
    plain = Block.of.__func__

    def block(*given, **named):
        made = plain(Block, *given, **named)
        types.append(made.A.dtype)
        return made

    monkeypatch.setattr(Block, "of", block)
    found, expected = both(place, model, X, Y)
    np.testing.assert_allclose(found, expected, atol=1e-4 * np.abs(expected).max())
    assert all("float64" in str(dtype) for dtype in types)
    types.clear()
    with ls.config_context(sums="float32"):
        found, _ = both(place, model, X, Y)
        assert all("float32" in str(dtype) for dtype in types)
        assert types
        types.clear()
        # float64 rows are summed in float64.
        both(place, model, X.astype(np.float64), Y)
    np.testing.assert_allclose(found, expected, atol=2e-4 * np.abs(expected).max())
    assert all("float64" in str(dtype) for dtype in types)


def test_sums_in_another_precision_are_refused():
    with (
        pytest.raises(ValueError, match="sums='half' is not known; use 'float64' or 'float32'"),
        ls.config_context(sums="half"),
    ):
        pass


def test_blocks_on_a_device_are_fitted_without_a_checkpoint(place, tmp_path):
    X, Y = problem()
    blocks = [(place.put(X[i : i + 90]), Y[i : i + 90]) for i in (0, 90)]
    expected = ls.MVMD(3).fit(X[:180], Y[:180]).transform(X)
    found = ls.MVMD(3).fit_blocks(blocks).transform(place.put(X))
    np.testing.assert_allclose(to_host(found), expected, atol=1e-9 * np.abs(expected).max())
    with pytest.raises(TypeError, match="a checkpoint keeps sums of the host"):
        ls.MVMD(3).fit_blocks(blocks, checkpoint=tmp_path / "sums")


def test_chunks_with_holes_on_a_device_are_refused(place):
    X, Y = problem()
    with pytest.raises(ValueError, match="where MVMD does not take them in chunks"):
        ls.MVMD(3).partial_fit(place.put(X), np.where(Y > 0, np.nan, Y))


def test_a_mean_far_above_the_spread_of_chunks(place):
    X, Y = problem()
    X += 1e6
    expected = ls.LabelCCA(2).fit(X, Y).transform(X)
    model = ls.LabelCCA(2)
    for i in range(0, 200, 50):
        model.partial_fit(place.put(X[i : i + 50]), Y[i : i + 50])
    found = to_host(model.transform(place.put(X)))
    # The rows themselves have lost 6 of 16 digits.
    np.testing.assert_allclose(found, expected, atol=1e-7 * np.abs(expected).max())


def test_complex_numbers_are_refused(place):
    X, Y = problem(60)
    with pytest.raises(ValueError, match=r"Complex data not supported: X is .*complex128"):
        ls.MVMD(2).fit(place.put(X + 1j), Y)


@pytest.mark.parametrize(
    "model", [ls.LabelCCA(2), ls.CPLST(2, ridge=0.0), ls.KernelMDDM(2), ls.MLkNN(3)]
)
def test_gradients_are_not_recorded(model):
    torch = pytest.importorskip("torch")
    X, Y = problem(60)
    rows, labels = (torch.asarray(A, dtype=torch.float64).requires_grad_() for A in (X, Y))
    with sklearn.config_context(array_api_dispatch=True):
        method = "transform" if hasattr(model, "transform") else "predict"
        found = getattr(model.fit(rows, labels), method)(rows)
        expected = getattr(model.fit(X, Y), method)(X)
    assert not found.requires_grad
    np.testing.assert_allclose(found, expected, atol=1e-9 * np.abs(expected).max())


@pytest.mark.parametrize("unit", [1e-25, 1e-12, 1e12, 1e25])
def test_single_precision_in_any_unit(place, unit):
    X, Y = problem()
    X = (unit * X).astype(np.float32)
    found, expected = both(place, ls.MDDM(2), X, Y)
    np.testing.assert_allclose(found, expected, atol=1e-4 * np.abs(expected).max())


@pytest.mark.parametrize("wrong", [np.nan, np.inf])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("model", [*MODELS, ls.KernelMDDM(2)], ids=lambda m: type(m).__name__)
def test_what_is_no_number_is_refused(place, model, wrong, dtype):
    X, Y = problem()
    X = X.astype(dtype)
    X[150, 3] = wrong
    with pytest.raises(ValueError, match=r"Input X contains (NaN|infinity)"):
        model.fit(place.put(X), Y)


@pytest.mark.parametrize("weighted", [False, True], ids=["alike", "weighted"])
def test_widths_and_ridges_have_the_losses_of_the_host(place, weighted):
    X, Y = problem(60)
    weights = np.arange(60) % 3.0 if weighted else None
    search = KernelCPLSTCV(ridges=[0.01, 1.0], cv=3)
    expected = clone(search).fit(X, Y, sample_weight=weights)
    found = clone(search).fit(place.put(X), Y, sample_weight=weights)
    assert found.best_params_ == pytest.approx(expected.best_params_)
    losses = found.cv_results_["mean_hamming_loss"]
    np.testing.assert_allclose(losses, expected.cv_results_["mean_hamming_loss"], atol=1e-12)


def test_landmarks_of_a_search_stay_on_the_host(place):
    X, Y = problem(60)
    with pytest.raises(TypeError, match="KernelCPLSTCV works on the host"):
        KernelCPLSTCV(n_landmarks=9).fit(place.put(X), Y)


@pytest.mark.parametrize(
    ("model", "name"),
    [
        (ls.KernelLabelCCA(2), "ridge"),
        (ls.KernelMDDM(2, constraint="feature"), "mu"),
        (ls.KernelMDDM(2), "n_components"),
        (ls.KernelCPLST(2), "ridge"),
        (ls.KernelCPLST(2, n_landmarks=20, random_state=0), "ridge"),
        (ls.KernelSharedSubspaceClassifier(2), "alpha"),
    ],
)
def test_a_path_of_kernel_models_shares_its_kernel(place, model, name, monkeypatch):
    X, Y = problem(60)
    values = [1, 2] if name == "n_components" else [0.1, 0.5, 0.9]
    made = []
    plain = kernel_maps.kernel_values
    monkeypatch.setattr(
        kernel_maps, "kernel_values", lambda *given: made.append(given) or plain(*given)
    )
    path = kernel_path(model, place.put(X), Y, {name: values})
    n_made = len(made)
    for found, value in zip(path.estimators, values, strict=True):
        alone = clone(model).set_params(**{name: value})
        call = "transform" if hasattr(model, "transform") else "decision_function"
        expected = getattr(alone.fit(X, Y), call)(X[:20])
        shown = getattr(found, call)(place.put(X[:20]))
        assert place.holds(shown)
        np.testing.assert_allclose(to_host(shown), expected, atol=1e-8 * np.abs(expected).max())
    made.clear()
    clone(model).fit(place.put(X), Y)
    assert n_made == len(made)
