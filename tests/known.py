"""Defects that the laws have found and that are not mended yet."""

# Defects: (law, class) -> what is wrong. A fix has to take its line out, for the law then holds.
KNOWN = {
    (
        "dask_arrays_stay_lazy_or_are_refused",
        "KernelSharedSubspaceClassifier",
    ): "transform, unlike predict, refuses the array",
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
            "KernelSharedSubspaceClassifier", "ProbabilityCalibrator",
        )
    },
    ("classes_are_those_of_one_column_or_the_numbers_of_all", "MLkNN"): "a pair per label",
}  # fmt: skip
