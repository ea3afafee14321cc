"""Transforms: maps of a table that are fitted, on the training rows of a fold alone.

A file holds one class, named after it (one_hot.py holds OneHot), with the interface of `Transform`:
`fit(table, y=None)` returns the transform, `transform(table)` a table. Sparse rows stay sparse, unless the
class says `makes_dense = True`.
"""

TRANSFORMS = {
    "binarize": "linclass.preprocessing.transforms.binarize.Binarize",
    "codes": "linclass.preprocessing.transforms.codes.Codes",
    "idf": "linclass.preprocessing.transforms.idf.Idf",
    "impute": "linclass.preprocessing.transforms.impute.Impute",
    "nystroem": "linclass.preprocessing.transforms.nystroem.Nystroem",
    "one_hot": "linclass.preprocessing.transforms.one_hot.OneHot",
    "principal_components": "linclass.preprocessing.transforms.principal_components.PrincipalComponents",
    "standardize": "linclass.preprocessing.transforms.standardize.Standardize",
    "vocabulary": "linclass.preprocessing.transforms.vocabulary.Vocabulary",
}
