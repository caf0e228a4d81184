"""The list of all public estimators, which the laws in tests/laws pick from by what they can do.

METHODS and what follows it hold the extractors with their transcriptions, in several settings.
ESTIMATORS has one entry per class. An extractor with a row in `labelspan.registry` alone gets its
entries here by default: the transcription is the function of tests/reference/extraction.py that
has the name of its file. It is listed here if it has more settings, or if a law does not hold.
"""

from dataclasses import dataclass
from functools import partial
from typing import Any

from sklearn.linear_model import Ridge
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.naive_bayes import BernoulliNB

import labelspan as ls
from labelspan.registry import ROWS
from tests.entry import BIAS, DRAWN, EVIDENCE, FOLDS, Entry, extractor, kernel, label_space, ranking
from tests.reference import extraction as reference


@dataclass(frozen=True)
class Method:
    """An extractor with its transcription.

    estimator has n_components=None, so that every direction can be compared; `transcription`
    takes X, Y and returns all eigenvalues and directions. `streams`: it takes Dask arrays.
    """

    name: str
    estimator: Any
    transcription: Any
    one_pass: bool = True
    thin: bool = False
    supervised: bool = True
    streams: bool = True


def transcription_of(row):
    """The function of tests/reference/extraction.py that has the name of a file."""
    return row.home.rpartition("._")[2]


def unlisted(estimators):
    """Rows of the extractors that none of these is an example of."""
    listed = {type(estimator).__name__ for estimator in estimators}
    return [r for r in ROWS if r.home.startswith("extraction.") and r.name not in listed]


def method_by_default(row):
    """The comparison of an extractor that is not listed, in its default setting."""
    estimator = getattr(ls, row.name)(None)
    # Another metric than I takes other solvers.
    thin = estimator._pencil((48, 4)).thin and estimator._pencil((48, 4)).metric != (0, 1)
    streams = "dask" not in row.refuses
    transcription = getattr(reference, transcription_of(row))
    name = row.called[0].name if row.called else row.name
    return Method(name, estimator, transcription, estimator._one_pass, thin, streams=streams)


METHODS = [
    Method("mddm-p", ls.MDDM(None), reference.mddm),
    Method(
        "mddm-f",
        ls.MDDM(None, constraint="feature"),
        lambda X, Y: reference.mddm(X, Y, "feature"),
        thin=True,
    ),
    Method(
        "mddm-p-rbf",
        ls.MDDM(None, label_correlation="rbf", label_width=10.0),
        lambda X, Y: reference.mddm(X, Y, B=reference.label_rbf(Y, 10.0)),
    ),
    Method(
        "mddm-f-rbf",
        ls.MDDM(None, constraint="feature", mu=0.9, label_correlation="rbf", label_width=10.0),
        lambda X, Y: reference.mddm(X, Y, "feature", 0.9, reference.label_rbf(Y, 10.0)),
        thin=True,
    ),
    Method(
        "mddm-f-label-kernel",
        ls.MDDM(None, constraint="feature", mu=0.5, label_kernel="rbf", label_width=1.0),
        lambda X, Y: reference.mddm(X, Y, "feature", 0.5, L=rbf_kernel(Y, gamma=0.5)),
        one_pass=False,
        streams=False,
    ),
    Method("mvmd", ls.MVMD(None), reference.mvmd),
    Method("mvmd-0.9", ls.MVMD(None, beta=0.9), lambda X, Y: reference.mvmd(X, Y, 0.9)),
    Method("label-cca", ls.LabelCCA(None), reference.label_cca, thin=True),
    Method("hsl", ls.HSL(None), reference.hsl, one_pass=False, thin=True),
    Method(
        "hsl-star",
        ls.HSL(None, expansion="star"),
        lambda X, Y: reference.hsl(X, Y, "star"),
        one_pass=False,
        thin=True,
    ),
    Method(
        "hsl-zhou",
        ls.HSL(None, expansion="zhou"),
        lambda X, Y: reference.hsl(X, Y, "zhou"),
        thin=True,
    ),
    Method(
        "embedding",
        ls.EmbeddingReducer(None, balance=0.4, ridge=1.0),
        lambda X, Y: reference.embedding(X, Y, 0.4, 1.0),
    ),
    Method("mlsi", ls.MLSI(None), reference.mlsi),
    Method("mlsi-1", ls.MLSI(None, beta=1.0), lambda X, Y: reference.mlsi(X, Y, 1.0)),
    Method("mlsi-original", ls.MLSI(None, form="original"), reference.mlsi_original),
    Method("mlda", ls.MLDA(None), reference.mlda, one_pass=False, thin=True),
    *(
        Method(
            f"mlda-{weights}",
            ls.MLDA(None, weights=weights),
            partial(reference.mlda, weights=weights),
            one_pass=weights in ("binary", "entropy"),
            thin=True,
            streams=weights in ("binary", "entropy"),
        )
        for weights in ("binary", "entropy", "fuzzy", "dependence")
    ),
    Method("dmlda", ls.DMLDA(None), reference.dmlda),
    Method(
        "dmlda-correlation",
        ls.DMLDA(None, weights="correlation"),
        partial(reference.dmlda, weights="correlation"),
        one_pass=False,
    ),
    Method(
        "dmlda-fuzzy",
        ls.DMLDA(None, weights="fuzzy"),
        partial(reference.dmlda, weights="fuzzy"),
        one_pass=False,
        streams=False,
    ),
]
# Those without an eigenvalue sum, or without labels.
LPP = Method(
    "lpp",
    ls.LPP(5, n_neighbors=3),
    lambda X, Y: reference.lpp(X, 3),
    one_pass=False,
    supervised=False,
)
METHODS += [method_by_default(row) for row in unlisted(m.estimator for m in [*METHODS, LPP])]
ALL = [*METHODS, LPP]
ONE_PASS = [method for method in METHODS if method.one_pass]
# The parameters that leave no ridge: these go through QR factors.
RIDGE_FREE = [
    Method(
        "mddm-f-1",
        ls.MDDM(None, constraint="feature", mu=1.0),
        lambda X, Y: reference.mddm(X, Y, "feature", 1.0),
        thin=True,
    ),
    Method(
        "label-cca-0",
        ls.LabelCCA(None, ridge=0.0, label_ridge=0.0),
        lambda X, Y: reference.label_cca(X, Y, 0.0, 0.0),
        thin=True,
    ),
    Method(
        "hsl-zhou-0",
        ls.HSL(None, expansion="zhou", ridge=0.0),
        lambda X, Y: reference.hsl(X, Y, "zhou", 0.0),
        thin=True,
    ),
    Method("opls-0", ls.OPLS(None, ridge=0.0), lambda X, Y: reference.opls(X, Y, 0.0), thin=True),
]


def name(method):
    return method.name


ESTIMATORS = [
    extractor(
        ls.MDDM(2),
        "mddm",
        variants=(
            ls.MDDM(),
            ls.MDDM(constraint="feature"),
            ls.MDDM(label_correlation="rbf", label_width="median"),
            ls.MDDM(2, complete="variance"),
            ls.MDDM(label_kernel="rbf"),
        ),
    ),
    extractor(
        ls.MVMD(3),
        "mvmd",
        variants=(ls.MVMD(), ls.MVMD(2)),
        excuses=dict.fromkeys(
            ("repeated_rows", "the_unit_of_the_weights"),
            "beta weighs a sum over the rows against the square of such sums",
        ),
    ),
    extractor(
        ls.LabelCCA(2),
        "label_cca",
        variants=(ls.LabelCCA(), ls.LabelCCA(2, ridge=0, label_ridge=0)),
        excuses=EVIDENCE,
    ),
    extractor(
        ls.OPLS(2),
        "opls",
        variants=(ls.OPLS(), ls.OPLS(ridge=0)),
        excuses=EVIDENCE,
    ),
    extractor(
        ls.HSL(2),
        "hsl",
        variants=(ls.HSL(), ls.HSL(2, expansion="star"), ls.HSL(expansion="zhou")),
        one_pass=False,
        excuses=EVIDENCE,
    ),
    extractor(
        ls.EmbeddingReducer(3, balance=0.4),
        "embedding",
        variants=(
            ls.EmbeddingReducer(None, balance=0.0),
            ls.EmbeddingReducer(2, balance=1.0, ridge=0.5),
            ls.EmbeddingReducer(0.9, normalize=True),
        ),
        excuses=EVIDENCE,
    ),
    extractor(
        ls.MLSI(3),
        "mlsi",
        variants=(ls.MLSI(), ls.MLSI(3, form="original")),
        per_row={"joint_ridge": 1},
        excuses={"units_of_the_features": "features and labels are added up, Eq. (39)"},
    ),
    extractor(
        ls.MLDA(2),
        "mlda",
        variants=(ls.MLDA(), ls.MLDA(1, weights="entropy"), ls.MLDA(weights="dependence")),
        one_pass=False,
        per_row={"ridge": 1},
        per_unit={"ridge": 2},
        empty_rows=False,
    ),
    extractor(
        ls.DMLDA(3),
        "dmlda",
        variants=(ls.DMLDA(), ls.DMLDA(weights="correlation"), ls.DMLDA(weights="fuzzy")),
        per_row={"ridge": 1},
        per_unit={"ridge": 2},
        excuses={
            "a_label_without_rows_leaves_the_others": "S_b holds the scatter of all rows once per "
            "label, Eq. (46), whether a row has the label or not",
        },
    ),
    extractor(
        ls.LPP(3, n_neighbors=5),
        "lpp",
        variants=(ls.LPP(2, n_neighbors=3),),
        one_pass=False,
        dask="predict",
        per_unit={"ridge": 2},
        excuses={"repeated_rows": "the nearest neighbour of a row is then its twin"},
    ),
    label_space(
        ls.PLST(2),
        "tests.reference.labelspace:plst",
        "test_transcriptions",
        variants=(ls.PLST(), ls.PLST(ridge=1.0)),
        excuses=EVIDENCE,
    ),
    label_space(
        ls.CPLST(2),
        "tests.reference.labelspace:cplst",
        "test_transcriptions",
        variants=(ls.CPLST(), ls.CPLST(ridge=1.0), ls.CPLST(regressor=Ridge())),
        excuses=EVIDENCE,
    ),
    label_space(
        ls.OCCA(2),
        "tests.reference.labelspace:occa",
        "test_transcriptions",
        variants=(ls.OCCA(),),
        excuses=EVIDENCE
        | dict.fromkeys(
            ("a_label_without_rows_leaves_the_others", "a_label_that_is_never_observed_is_absent"),
            "the directions are those predicted best, and nothing is predicted better than a label "
            "that no row has",
        ),
    ),
    label_space(
        ls.LabelSpaceCCA(2),
        "tests.reference.labelspace:cca",
        "test_cca",
        variants=(ls.LabelSpaceCCA(), ls.LabelSpaceCCA(2, ridge=1.0, label_ridge=0.0)),
        excuses=EVIDENCE,
    ),
    label_space(
        ls.FaIE(3),
        "tests.reference.labelspace:faie",
        "test_faie",
        variants=(ls.FaIE(), ls.FaIE(alpha=0.0, ridge=0.0), ls.FaIE(regressor=Ridge())),
        per_row={"alpha": 1},
        excuses=EVIDENCE,
    ),
    label_space(
        ls.LEML(3, ridge=0.5, tol=1e-13, max_iter=10_000),
        "tests.reference.labelspace:nuclear_norm",
        "test_leml",
        variants=(ls.LEML(), ls.LEML(2)),
        per_row={"ridge": 1},
        per_unit={"ridge": 1},
        tolerance=1e-6,
    ),
    label_space(
        ls.LabelSubset(3),
        "tests.reference.labelspace:column_subset",
        "test_label_subset",
        variants=(
            ls.LabelSubset(),
            ls.LabelSubset(selection="leverage", random_state=0),
            ls.LabelSubset(classifier=BernoulliNB()),
        ),
    ),
    label_space(
        ls.PartialBinaryRelevance(3, random_state=0),
        "sklearn.linear_model:LinearRegression",
        "test_laws",
        variants=(ls.PartialBinaryRelevance(random_state=0),),
        excuses=EVIDENCE | DRAWN,
    ),
    label_space(
        ls.CompressedSensing(3, random_state=0),
        "numpy.linalg:lstsq",
        "test_edges",
        variants=(
            ls.CompressedSensing(random_state=0),
            ls.CompressedSensing(decoder="lasso", random_state=0),
        ),
        excuses=EVIDENCE | DRAWN,
    ),
    Entry(
        ls.MLkNN(5),
        "tests.reference.mlknn:mlknn",
        "tests/classifiers/test_mlknn.py",
        variants=(ls.MLkNN(3),),
        dask="predict",
        excuses={
            "repeated_rows": "the nearest neighbour of a row is then its twin",
            "float32_in_float32_out": "probabilities are shares of counts, float64 as those of "
            "sklearn.neighbors",
        },
    ),
    Entry(
        ls.MultiOutputRidge(0.1),
        "sklearn.linear_model:Ridge",
        "tests/classifiers/test_ridge.py",
        dask="fit",
        one_pass=True,
        weights="coef_",
        per_row={"ridge": 1},
        per_unit={"ridge": 2},
    ),
    Entry(
        # The folds of "auto" depend on the order of the rows; what is learnt from scores does not.
        ls.ThresholdTuner(ls.MultiOutputRidge(0.1), "per_label_f1"),
        "tests.reference.subspace:best_f1_threshold",
        "tests/classifiers/test_threshold.py",
        dask="predict",
        variants=(
            ls.ThresholdTuner(ls.MultiOutputRidge()),
            ls.ThresholdTuner(ls.MultiOutputRidge(), "per_label_f1"),
            ls.ThresholdTuner(ls.MultiOutputRidge(), "cardinality"),
            ls.ThresholdTuner(ls.MultiOutputRidge(), "fixed"),
            ls.ThresholdTuner(ls.MultiOutputRidge(), "per_label_f1", cv=2),
        ),
        per_row={"estimator__ridge": 1},
        per_unit={"estimator__ridge": 2},
    ),
    Entry(
        ls.ThresholdFunction(ls.MultiOutputRidge(0.1)),
        "tests.reference.ranking:threshold_targets",
        "tests/classifiers/test_threshold_function.py",
        dask="predict",
        variants=(
            ls.ThresholdFunction(ls.MultiOutputRidge(), min_labels=0),
            ls.ThresholdFunction(ls.MultiOutputRidge(), Ridge(), cv=2),
        ),
        excuses={
            "a_label_without_rows_leaves_the_others": "a row that has all the others has a "
            "threshold if there is one that it lacks, Eq. (34)",
        },
        per_row={"estimator__ridge": 1},
        per_unit={"estimator__ridge": 2},
    ),
    Entry(
        ls.ProbabilityCalibrator(ls.MultiOutputRidge(0.1), cv=3),
        "sklearn.calibration:CalibratedClassifierCV",
        "tests/classifiers/test_calibrator.py",
        dask="predict",
        excuses={
            "row_order": "the folds that hold scores out depend on the order of the rows",
            "the_order_of_rows_and_labels_with_holes": "the folds depend on both",
            "repeated_rows": "a row and its copy fall into different folds",
            "float32_in_float32_out": "probabilities are float64, as those of MLkNN",
        },
        variants=(
            ls.ProbabilityCalibrator(ls.MultiOutputRidge(), cv=3),
            ls.ProbabilityCalibrator(ls.MultiOutputRidge(), "isotonic", cv=3),
        ),
        per_row={"estimator__ridge": 1},
        per_unit={"estimator__ridge": 2},
    ),
    ranking(
        ls.LaRankSVM(0.1, tol=1e-11, min_labels=0, random_state=0),
        "larank_optimum",
        "tests/ranking/test_optimum.py",
    ),
    ranking(
        ls.CLaRankSVM(0.1, tol=1e-8, max_iter=10_000, min_labels=0, random_state=0),
        "clarank_optimum",
        "tests/ranking/test_optimum.py",
        tolerance=1e-3,
    ),
    ranking(
        ls.MLFS(3, C=0.1, tol=1e-6, max_iter=10_000, min_labels=0, random_state=0),
        "mlfs_optimum",
        "tests/selection/test_mlfs.py",
        tolerance=1e-3,
    ),
    ranking(
        ls.CMLFS(3, C=0.1, tol=1e-5, max_iter=10_000, min_labels=0, random_state=0),
        "mlfs_optimum",
        "tests/selection/test_mlfs.py",
        tolerance=1e-2,
        excuses={
            "twin_features_share_their_weight": "the problem is not convex in the weights of the "
            "features: one of the twins can have more",
        },
    ),
    Entry(
        ls.MultilabelFisherScore(3),
        "tests.reference.ranking:fisher_score",
        "tests/selection/test_scores.py",
        dask="fit",
        one_pass=True,
        weights="scores_",
    ),
    Entry(
        ls.DiscriminativeRatio(3),
        "tests.reference.ranking:discriminative_ratio",
        "tests/selection/test_scores.py",
        dask="fit",
        one_pass=True,
        weights="scores_",
        empty_rows=False,
        excuses={
            "a_hole_is_neither_0_nor_1": "the scatters are those of rows that have a label: one "
            "that is not observed is in none of them, as one that is absent",
        },
    ),
    Entry(
        ls.InformationSelector(3),
        "tests.reference.information:score",
        "tests/selection/test_information.py",
        variants=(
            ls.InformationSelector(3, criterion="d2f", binning="quantile"),
            ls.InformationSelector(3, criterion="grro"),
        ),
        dask="fit",
        weights="scores_",
    ),
    Entry(
        ls.MultiTaskSelector(3, tol=1e-12),
        "sklearn.linear_model:MultiTaskLasso",
        "tests/selection/test_multitask.py",
        variants=(ls.MultiTaskSelector(3), ls.MultiTaskSelector(2, gamma=1.0)),
        dask="fit",
        one_pass=True,
    ),
    Entry(
        ls.RFS(3, tol=1e-6, max_iter=5000),
        "tests.reference.embedded:rfs",
        "tests/selection/test_embedded.py",
        variants=(ls.RFS(3), ls.RFS(2, fit_intercept=False)),
        dask="predict",
        per_unit={"gamma": 1},
        per_row={"gamma": 1},
        tolerance=1e-3,
    ),
    Entry(
        ls.MIFS(3, n_latent=2, tol=1e-8, max_iter=2000),
        "tests.reference.embedded:mifs",
        "tests/selection/test_embedded.py",
        dask="predict",
        per_unit={"gamma": 1},
        tolerance=1e-3,
        excuses={"repeated_rows": "the nearest neighbour of a row is then its twin"},
    ),
    Entry(
        ls.MDFS(3, tol=1e-8, max_iter=2000),
        "tests.reference.embedded:mdfs",
        "tests/selection/test_embedded.py",
        dask="predict",
        per_unit={"gamma": 1},
        tolerance=1e-3,
        excuses={
            "repeated_rows": "the nearest neighbour of a row is then its twin",
            "a_label_without_rows_leaves_the_others": "the graph of the labels joins it to them",
        },
    ),
    Entry(
        ls.LLSF(tol=1e-11),
        "tests.reference.embedded:llsf_objective",
        "tests/selection/test_llsf.py",
        variants=(ls.LLSF(), ls.LLSF(ridge=None)),
        dask="predict",
        weights="label_weights_",
        per_unit={"beta": 1, "alpha": 2, "ridge": 2},
        per_row={"beta": 1, "alpha": 1, "ridge": 1},
        tolerance=1e-4,
    ),
    Entry(
        ls.FisherSVM(3, tol=1e-11, max_iter=100_000, random_state=0),
        "tests.reference.ranking:fisher_svm",
        "tests/selection/test_fisher_svm.py",
        variants=(ls.FisherSVM(None), ls.FisherSVM(None, min_labels=1)),
        dask="predict",
        weights="coef_",
        per_row={"C": -1},
        per_unit={"C": -2},
        tolerance=1e-6,
        excuses={law: BIAS[law] for law in ("a_shift_of_the_features", "units_of_the_features")},
    ),
    Entry(
        ls.LIFT(0.3),
        "sklearn.cluster:KMeans",
        "tests/selection/test_lift.py",
        dask="predict",
        excuses={
            "label_order": "the distances stand in the order of the labels",
            "repeated_rows": "the number of centres grows with that of the rows",
        },
    ),
    Entry(
        ls.LabelPLS(2),
        "tests.reference.subspace:nipals",
        "tests/subspace/test_pls.py",
        variants=(ls.LabelPLS(4),),
        dask="fit",
        one_pass=True,
        weights="coef_",
    ),
    Entry(
        ls.SharedSubspaceClassifier(2),
        "tests.reference.subspace:shared_subspace",
        "tests/subspace/test_shared_subspace.py",
        variants=(ls.SharedSubspaceClassifier(),),
        dask="fit",
        one_pass=True,
        weights="coef_",
        excuses=EVIDENCE,
    ),
    Entry(
        ls.SharedSubspaceClassifierCV(
            [0.0, 0.1], [0.01, 1.0], n_components=2, cv=3, scoring="f1_micro"
        ),
        "labelspan:SharedSubspaceClassifier",
        "tests/subspace/test_shared_subspace_cv.py",
        variants=(
            ls.SharedSubspaceClassifierCV([0.0, 0.1], [0.01, 1.0], cv=3),
            ls.SharedSubspaceClassifierCV([0.1], [0.01, 1.0], cv=3, fold_statistics="shared"),
            ls.SharedSubspaceClassifierCV([0.1], [0.01], cv=3, threshold="per_label_f1"),
        ),
        dask="predict",
        weights="coef_",
        per_unit={"alphas": 2, "betas": 2},
        excuses=FOLDS,
    ),
    Entry(
        ls.ASOClassifier(2, alpha=0.1, tol=1e-9, max_iter=2000, random_state=0),
        "tests.reference.subspace:aso",
        "tests/subspace/test_aso.py",
        variants=(ls.ASOClassifier(alpha=0.1), ls.ASOClassifier(alpha=0.1, beta=0.1)),
        dask="predict",
        weights="coef_",
        per_unit={"alpha": 2},
        tolerance=1e-3,
        excuses={
            "a_shift_of_the_features": "the projections are not centred",
            "a_weight_is_a_number_of_copies": "inner machines are solved to 1e-3, and the turns "
            "end elsewhere; solved to the end they agree, in tests/test_weights.py",
        },
    ),
    Entry(
        ls.StructuralF1SVM(1.0),
        "tests.reference.subspace:structural_f1_objective",
        "tests/subspace/test_structural_f1.py",
        variants=(ls.StructuralF1SVM(10.0),),
        dask="predict",
        weights="coef_",
        excuses=BIAS
        | {"repeated_rows": "of twin rows one alone may be predicted: there are more labellings"},
    ),
    Entry(
        ls.ReducerCV([ls.MVMD(), (ls.OPLS(), {"ridge": [0.1, 1.0]})], [1, 2], cv=3),
        "sklearn.model_selection:GridSearchCV",
        "tests/choice/test_grid_search.py",
        variants=(ls.ReducerCV([ls.OPLS(), ls.LabelCCA()], [1, 2], cv=3),),
        dask="fit",
        excuses=FOLDS
        | dict.fromkeys(
            ("units_of_the_features", "the_unit_of_the_weights"),
            "the ridges are inside the grid, where no law changes them",
        )
        | dict.fromkeys(
            (
                "the_order_of_rows_and_labels_with_holes",
                "a_weight_is_a_number_of_copies_with_holes",
                "a_label_that_is_constant_where_it_is_observed_is_absent",
            ),
            "the folds are stratified: order, copies and more labels change them",
        ),
    ),
    Entry(
        ls.MultilabelRidgeCV(kernel="linear", scale=None),
        "tests.reference.ridge_cv:linear",
        "tests/ridge_cv/test_ridge_cv.py",
        variants=(
            ls.MultilabelRidgeCV(),
            ls.MultilabelRidgeCV(kernel="linear"),
            ls.MultilabelRidgeCV(kernel="rbf", n_landmarks=5),
        ),
        dask="fit",
        weights="coef_",
        excuses={
            "repeated_rows": "a row is left out and its copy is not",
            "a_weight_is_a_number_of_copies": "a weighted row is left out as a whole, of copies "
            "one alone",
            "a_weight_is_a_number_of_copies_with_holes": "a weighted row is left out as a whole",
            "one_label_is_two_classes": "of two classes the more probable one is predicted, and a "
            "label where F1 is largest",
        },
    ),
    Entry(
        ls.SemiSupervised(ls.MDDM(2), n_neighbors=5, tol=1e-13),
        "tests.reference.semisupervised:completed",
        "tests/semisupervised/test_semisupervised.py",
        variants=(ls.SemiSupervised(ls.MDDM()), ls.SemiSupervised(ls.OPLS(1), n_neighbors=2)),
        dask="predict",
        per_unit={},
    ),
    kernel(
        ls.KernelMDDM(2, gamma=0.1),
        "tests.reference.kernels:mddm",
        "test_reducers",
        variants=(ls.KernelMDDM(), ls.KernelMDDM(constraint="feature")),
        dask="",
    ),
    kernel(
        ls.KernelLabelCCA(2, gamma=0.1),
        "tests.reference.kernels:label_cca",
        "test_reducers",
        variants=(ls.KernelLabelCCA(), ls.KernelLabelCCA(2, ridge=0.1, label_ridge=0.1)),
        dask="",
        excuses=EVIDENCE,
    ),
    kernel(
        ls.KernelHSL(2, gamma=0.1),
        "tests.reference.kernels:hsl",
        "test_reducers",
        variants=(ls.KernelHSL(), ls.KernelHSL(expansion="zhou")),
        dask="",
        excuses=EVIDENCE,
    ),
    kernel(
        ls.KernelPLS(2, gamma=0.1),
        "tests.reference.kernels:pls",
        "test_pls",
        variants=(ls.KernelPLS(4),),
        dask="",
    ),
    kernel(
        ls.KernelCPLST(2, gamma=0.1),
        "tests.reference.kernels:cplst",
        "test_cplst",
        variants=(ls.KernelCPLST(),),
        excuses=EVIDENCE,
    ),
    kernel(
        ls.KernelOCCA(3, gamma=0.1),
        "tests.reference.kernels:occa_matrix",
        "test_occa",
        variants=(ls.KernelOCCA(),),
        excuses=EVIDENCE
        | {
            "a_label_without_rows_leaves_the_others": "the directions are those predicted best, "
            "and nothing is predicted better than a label that no row has",
        },
    ),
    kernel(
        ls.KernelCPLSTCV(2, gammas=[0.03, 0.1], ridges=[0.1, 1.0], cv=3),
        "labelspan.kernels:KernelCPLST",
        "test_cplst_cv",
        variants=(ls.KernelCPLSTCV(gammas=[0.1], ridges=[0.1, 1.0], cv=2),),
        per_row={"ridges": 1},
        per_unit={"gammas": -2},
        excuses=FOLDS
        | {"a_label_without_rows_leaves_the_others": "the Hamming loss of the search counts it"},
    ),
    kernel(
        ls.KernelSharedSubspaceClassifier(2, gamma=0.1),
        "tests.reference.kernels:shared_subspace",
        "test_shared_subspace",
        variants=(
            ls.KernelSharedSubspaceClassifier(),
            ls.KernelSharedSubspaceClassifier(kernel=["linear", {"kernel": "rbf", "gamma": 0.1}]),
        ),
        excuses=EVIDENCE,
    ),
]


def entry_by_default(row):
    """The entry of an extractor that is not listed."""
    kind, transcription = getattr(ls, row.name), transcription_of(row)
    settings = {
        "variants": (kind(),),
        "dask": "" if "dask" in row.refuses else "fit",
        "one_pass": kind._one_pass,
        "excuses": EVIDENCE if hasattr(kind(), "ridge") else {},
    }
    settings |= reference.ENTRIES.get(transcription, {})
    return extractor(kind(2), transcription, **settings)


ESTIMATORS += [entry_by_default(row) for row in unlisted(e.estimator for e in ESTIMATORS)]
