"""Features: maps of a table row by row. Nothing is fitted, so they may run before the folds are split.

A file holds one map, `apply(table, **options) -> Table`, found by the file's name.
"""

FEATURES = {
    "count_words": "linclass.preprocessing.features.count_words.apply",
    "hash_words": "linclass.preprocessing.features.hash_words.apply",
    "indicators": "linclass.preprocessing.features.indicators.apply",
    "interactions": "linclass.preprocessing.features.interactions.apply",
    "powers": "linclass.preprocessing.features.powers.apply",
    "quadratic": "linclass.preprocessing.features.quadratic.apply",
    "radial": "linclass.preprocessing.features.radial.apply",
    "random_fourier": "linclass.preprocessing.features.random_fourier.apply",
    "select": "linclass.preprocessing.features.select.apply",
    "strip_posts": "linclass.preprocessing.features.strip_posts.apply",
}
