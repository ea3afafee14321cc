"""Sources that produce rows: generators, data sets of scikit-learn and of openml.org, listed in OFFERS."""

from __future__ import annotations

import csv
import io
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from email.message import Message
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import IO, Any
from urllib import request
from urllib.error import HTTPError
from urllib.parse import urlsplit
from urllib.response import addinfourl

import numpy as np
import polars as pl
from scipy import sparse

from linclass import datasets as synthetic
from linclass_study.data.content import Columns, Content, Counts, plain_csr
from linclass_study.data.fetch_dataset import Offers
from linclass_study.data.local_copies import SearchFolders, place_of
from linclass_study.errors import Unavailable, one_line, suggest_name

# Rows from a generator of linclass.datasets; they depend on the entry and its `seed:` alone.


def _of_generator(source: Mapping[str, Any], folders: SearchFolders, is_last: bool) -> Offers:
    yield f"generated ({source['generate']})", partial(_drawn, source)


def _drawn(source: Mapping[str, Any]) -> Content:
    name = source["generate"]
    keys = {k: v for k, v in source.items() if k not in ("generate", "seed", "part")}
    # The part (train or test) enters the seed; otherwise a generated test set would repeat the training set.
    seed = [source.get("seed", 0), source.get("part", 0)]
    try:
        X, y = synthetic.generate(name, seed, **keys)
    except (ValueError, TypeError) as error:
        raise Unavailable(str(error)) from None
    names = [f"x{j + 1}" for j in range(X.shape[1])]
    best = synthetic.bayes_error(name, **keys)
    if sparse.issparse(X):
        labels, train = [str(code) for code in y], np.zeros(len(y), np.int8)
        return Counts(X, names, labels, train, bayes_error=best)
    frame = pl.DataFrame({**dict(zip(names, X.T, strict=True)), "class": y.astype(float)})
    return Columns(frame, target="class", bayes_error=best)


# A data set bundled with scikit-learn: `sklearn: iris` is ``sklearn.datasets.load_iris``.

BUNDLED = "datasets/data/iris.csv"
IRIS = ["sepal length (cm)", "sepal width (cm)", "petal length (cm)", "petal width (cm)"]


def _of_scikit_learn(source: Mapping[str, Any], folders: SearchFolders, is_last: bool) -> Offers:
    name = source["sklearn"]
    yield f"scikit-learn's {name}", _iris if name == "iris" else partial(_loaded, name)


def _iris() -> Columns:
    """Read load_iris's file without importing scikit-learn, which takes more than a second."""
    package = find_spec("sklearn")
    path = Path(package.origin if package and package.origin else "").parent / BUNDLED
    if not path.is_file():
        return _loaded("iris")
    with open(path, newline="", encoding="utf-8") as file:
        (_, _, *classes), *rows = csv.reader(file)
    columns = {name: [float(row[j]) for row in rows] for j, name in enumerate(IRIS)}
    labels = [classes[int(row[-1])] for row in rows]
    return Columns(pl.DataFrame({**columns, "target": labels}), target="target")


def _loaded(name: str) -> Columns:
    from sklearn import datasets

    loaders = [n.removeprefix("load_") for n in dir(datasets) if n.startswith("load_")]
    try:
        bunch = getattr(datasets, f"load_{name}")()
        X, y, columns = bunch.data, bunch.target, map(str, bunch.feature_names)
    except (AttributeError, TypeError, KeyError):
        meant = suggest_name(name, loaders)
        raise Unavailable(f"scikit-learn has no data set '{name}'; {meant}") from None
    if y.ndim != 1:
        what = f"scikit-learn's '{name}' has {y.shape[1]} targets"
        raise Unavailable(f"{what}, not one class per row")
    names = getattr(bunch, "target_names", None)
    labels = y.astype(float) if names is None else [str(names[int(code)]) for code in y]
    frame = pl.DataFrame({**dict(zip(columns, X.T.astype(float), strict=True)), "target": labels})
    return Columns(frame, target="target")


# A data set of openml.org by its number, read by scikit-learn's fetch_openml.
#
# Its cache is in downloads/openml; a mirror may contain a copy of such a folder (scikit_learn_data).
# Its requests are answered by our own downloads, which respect Retry-After and have time limits.
#                                        Vanschoren et al. (2013), OpenML, SIGKDD Explorations 15(2)

HOSTS = ("www.openml.org", "api.openml.org", "openml.org")
DESCRIPTION = "openml/openml.org/api/v1/json/data/{}.gz"  # in the cache of scikit-learn
NOT_RETRIED = 412  # the one status after which scikit-learn does not try again

OpenUrl = Callable[[str], IO[bytes]]  # the content of an address, or Unavailable


def _of_openml(source: Mapping[str, Any], folders: SearchFolders, is_last: bool) -> Offers:
    openml = source["openml"]
    number, server = (
        (openml, None) if isinstance(openml, int) else (openml["id"], openml.get("server"))
    )

    def not_in_mirror(url: str) -> IO[bytes]:
        raise Unavailable(f"{urlsplit(url).path} is not in it")

    def downloaded(url: str) -> IO[bytes]:
        from linclass_study.data.download import download  # slow to import

        parts = urlsplit(url)
        if server and parts.hostname in HOSTS:
            url = f"{server.rstrip('/')}{parts.path}"
        path = place_of(url, folders.downloads / "openml" / "arriving")
        content = download(url, path, retry=is_last, limits=folders.limits).read_bytes()
        path.unlink()  # scikit-learn keeps a copy in its cache
        return io.BytesIO(content)

    for folder in folders.mirrors:
        if (folder / DESCRIPTION.format(number)).is_file():
            label = f"openml {number} (copy in {folder})"
            yield label, partial(_from_openml, number, folder, not_in_mirror)
    yield f"openml {number}", partial(_from_openml, number, folders.downloads, downloaded)


def _from_openml(number: int, home: Path, open_url: OpenUrl) -> Content:
    from sklearn.datasets import fetch_openml  # slow to import

    with warnings.catch_warnings(record=True) as caught, _replaced_urlopen(open_url) as handler:
        warnings.simplefilter("always")
        try:
            bunch = fetch_openml(data_id=number, data_home=home)
        except Exception as error:  # from parsers, the network or unexpected answers of the server
            if not handler.reason:
                (home / DESCRIPTION.format(number)).unlink(missing_ok=True)  # request it again
            reason = f"it cannot be read ({type(error).__name__}: {one_line(error)[:300]})"
            if isinstance(error, KeyError):
                what = f"({error} is missing)"
                reason = f"the answer for number {number} does not describe a data set {what}"
            raise Unavailable(handler.reason or reason) from None
    print(f"openml {number}: {bunch.details['name']}, version {bunch.details['version']}")
    print(*(f"openml {number}: {one_line(warning.message)}" for warning in caught), sep="\n")
    target = bunch.target_names[0] if len(bunch.target_names) == 1 else None
    if bunch.frame is not None:
        columns = [_column(str(name), bunch.frame[name]) for name in bunch.frame.columns]
        return Columns(pl.DataFrame(columns), target)
    if target is None:
        raise Unavailable(f"its {len(bunch.target_names)} targets are not one class per row")
    labels = [str(label) for label in bunch.target]
    split = np.zeros(len(labels), np.int8)
    return Counts(plain_csr(bunch.data), bunch.feature_names, labels, split)


def _column(name: str, values: Any) -> pl.Series:
    """A column of pandas as a Polars column: numbers as Float64, categories and text as String."""
    if values.dtype.kind in "iufb":
        numbers = values.to_numpy(dtype=float, na_value=np.nan)
        return pl.Series(name, numbers).fill_nan(None)
    cells = zip(values, values.isna(), strict=True)
    stripped = [None if missing else str(text).strip() for text, missing in cells]
    texts = pl.Series(name, stripped, pl.String)
    # scikit-learn removes single quotes around categories, but not around texts
    return texts if hasattr(values, "cat") else texts.str.replace(r"(?s)^'(.*)'$", "$1")


class _DownloadHandler(request.BaseHandler):
    """Answers the requests of urllib; `reason` is why the last request failed, or None."""

    handler_order = 100  # before those of urllib

    def __init__(self, open_url: OpenUrl) -> None:
        self.open_url = open_url
        self.reason: Unavailable | None = None

    def https_open(self, wanted: request.Request) -> Any:
        url = wanted.full_url
        try:
            file = self.open_url(url)
        except Unavailable as reason:
            self.reason = reason
            raise HTTPError(url, NOT_RETRIED, str(reason), Message(), None) from None
        response: Any = addinfourl(file, Message(), url, 200)
        response.msg = "OK"
        return response

    http_open = https_open


@contextmanager
def _replaced_urlopen(open_url: OpenUrl) -> Iterator[_DownloadHandler]:
    """Context in which urlopen(url) returns open_url(url)."""
    handler = _DownloadHandler(open_url)
    request.install_opener(request.build_opener(handler))
    try:
        yield handler
    finally:
        request.install_opener(None)  # the next use builds urllib's own


OFFERS = {"generate": _of_generator, "sklearn": _of_scikit_learn, "openml": _of_openml}
