"""Transforms: maps of a table that are fitted, on the training rows of a fold alone.

They are classes with the interface of `Transform`: `fit(table, y=None)` returns the transform, `transform(table)` a
table. Sparse rows stay sparse, unless the class says `makes_dense = True`.
"""

_HERE = "linclass.preprocessing.transforms"
TRANSFORMS = {
    "binarize": f"{_HERE}.scaling.Binarize",
    "codes": f"{_HERE}.categories.Codes",
    "idf": f"{_HERE}.words.Idf",
    "impute": f"{_HERE}.categories.Impute",
    "nystroem": f"{_HERE}.nystroem.Nystroem",
    "one_hot": f"{_HERE}.categories.OneHot",
    "principal_components": f"{_HERE}.principal_components.PrincipalComponents",
    "standardize": f"{_HERE}.scaling.Standardize",
    "vocabulary": f"{_HERE}.words.Vocabulary",
}
