"""Features: maps of a table row by row, functions `(table, **options) -> Table`.

Nothing is fitted, so they may run before the folds are split.
"""

_HERE = "linclass.preprocessing.features"
FEATURES = {
    "count_words": f"{_HERE}.texts.count_words",
    "hash_words": f"{_HERE}.texts.hash_words",
    "indicators": f"{_HERE}.columns.indicators",
    "interactions": f"{_HERE}.expansions.interactions",
    "powers": f"{_HERE}.expansions.powers",
    "quadratic": f"{_HERE}.expansions.quadratic",
    "radial": f"{_HERE}.expansions.radial",
    "random_fourier": f"{_HERE}.expansions.random_fourier",
    "select": f"{_HERE}.columns.select",
    "strip_posts": f"{_HERE}.texts.strip_posts",
}
