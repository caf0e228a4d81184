"""Defects that the laws have found and that are not mended yet."""

SILENT = "a Dask array is brought into memory without a word"
LAZY_LAW = "dask_arrays_stay_lazy_or_are_refused"
# Defects: (law, class) -> what is wrong. A fix has to take its line out, for the law then holds.
KNOWN = {
    **{
        (law, name): SILENT
        for law in ("dask_arrays_are_fitted_or_refused", LAZY_LAW)
        for name in ("LaRankSVM", "CLaRankSVM", "MLFS", "CMLFS", "ThresholdTuner")
    },
    **{
        ("dask_arrays_are_fitted_or_refused", name): "Dask raises NotImplementedError"
        for name in ("MultilabelFisherScore", "DiscriminativeRatio")
    },
    **{(LAZY_LAW, name): SILENT for name in ("MultilabelFisherScore", "DiscriminativeRatio")},
    **{
        (LAZY_LAW, name): "transform, unlike predict, computes the array"
        for name in ("SharedSubspaceClassifier", "SharedSubspaceClassifierCV", "ASOClassifier")
    },
    (LAZY_LAW, "KernelSharedSubspaceClassifier"): "transform, unlike predict, refuses the array",
    **{
        ("frames_in_names_out", name): "the names of the labels are not kept"
        for name in ("MultilabelFisherScore", "DiscriminativeRatio")
    },
    **{
        ("the_docstring_names_what_fit_sets", name): "label_names_ and classes_ are not there"
        for name in (
            "MDDM", "MVMD", "LabelCCA", "OPLS", "MLSI", "MLDA", "DMLDA", "KernelMDDM",
            "KernelLabelCCA",
        )
    },
    ("the_docstring_names_what_fit_sets", "KernelCPLST"): "dual_components_ is not there",
    **{
        ("predictions_are_sparse_where_the_labels_were", name): "they are dense"
        for name in (
            "MLkNN", "MultiOutputRidge", "ThresholdTuner", "SharedSubspaceClassifier",
            "SharedSubspaceClassifierCV", "ASOClassifier", "StructuralF1SVM", "KernelCPLSTCV",
            "KernelSharedSubspaceClassifier",
        )
    },
    ("classes_are_those_of_one_column_or_the_numbers_of_all", "MLkNN"): "a pair per label",
}  # fmt: skip
