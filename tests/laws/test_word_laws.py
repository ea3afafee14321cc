"""Words of texts: tokenizer, counts, vocabulary, idf and principal components of counts."""

import math
import random
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp
from cases import each, with_peak_memory
from sklearn.datasets import _twenty_newsgroups as newsgroups
from sklearn.decomposition import PCA
from sklearn.feature_extraction.text import CountVectorizer, TfidfTransformer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

from linclass.base.messages import NotApplicable
from linclass.base.tables import Table, Tokenizer, word_counts
from linclass.preprocessing.features.texts import (
    PARTS,
    count_words,
    hash_of_word,
    hash_words,
    strip_posts,
)
from linclass.preprocessing.transforms.principal_components import PrincipalComponents
from linclass.preprocessing.transforms.words import Idf, Vocabulary
from linclass_study.pipeline.fitted import Task
from linclass_study.pipeline.fitting import fit_method
from linclass_study.pipeline.method import Method

POSTS = [
    ("From: ann@x.org\nSubject: Re: wheels\n\nIn article <1@y> bob writes:\n> Four wheels.\nTwo wheels "
    "do, 2 of them.\n\n--\nAnn, rider since 1975\n"),
    "Subject: none\n\n\nRun-on text; it's \u00c9t\u00e9 & na\u00efve_user42...\n|quoted\nBob said: no\n",
    "no header at all, no blank line",
    "\n\n",
    "X: y\n\nbody\n\n-----\n",
    "-\nX: y\n\n---\n\nsig",
]  # fmt: skip


SMALL = {count_words: {}, hash_words: {"columns": 7}}


def column(texts):
    X = np.arange(len(texts), dtype=float)[:, None]
    return Table(X, ("text",), {"text": tuple(texts)}, frozenset({"text"}))


def test_words_and_their_counts_are_those_of_the_tokenizer():
    words = Tokenizer("it").words("The CAT, a \u00c9t\u00e9-x_1's 42")
    assert words == ["the", "cat", "\u00e9t\u00e9", "x_1", "42"]
    assert Tokenizer("it", lower=False, pattern="[A-Z]+").words("The CAT") == ["T", "CAT"]
    tokenizer = Tokenizer("it", ngrams=2)
    X, words = word_counts(POSTS, tokenizer)
    assert words == sorted({word for post in POSTS for word in tokenizer.words(post)})
    for post, row in zip(POSTS, X.toarray(), strict=True):
        assert row.tolist() == [tokenizer.words(post).count(word) for word in words]


def test_declared_words_are_those_columns_of_all_words():
    everything = count_words(column(POSTS))
    declared = count_words(column(POSTS), words=["wheels", "nowhere", "ann"])
    assert declared.names == ("wheels", "nowhere", "ann")
    places = [everything.names.index(word) for word in ("wheels", "ann")]
    assert np.array_equal(declared.X.toarray()[:, [0, 2]], everything.X.toarray()[:, places])
    assert not declared.X.toarray()[:, 1].any()


@each("feature", [count_words, hash_words])
def test_a_missing_text_has_no_words(feature):
    table = column(POSTS)
    gaps = table.with_rows(np.where(table.X == 1, np.nan, table.X))
    found, whole = feature(gaps, **SMALL[feature]), feature(table, **SMALL[feature])
    counts = dict(zip(found.names, found.X.toarray().T, strict=True))
    for name, expected in zip(whole.names, whole.X.toarray().T, strict=True):
        expected[1] = 0
        assert np.array_equal(counts.get(name, np.zeros(len(expected))), expected)


@each("signed", [True, False])
@each("columns", [1, 7, 1 << 16])
def test_hashed_counts_are_the_counts_times_the_hashes_of_the_words(columns, signed):
    counts, words = word_counts(POSTS, Tokenizer("it"))
    H = hash_words(column(words), columns=columns, signed=signed).X
    assert set(np.unique(H.data)) <= ({-1.0, 1.0} if signed else {1.0})
    hashed = hash_words(column(POSTS), columns=columns, signed=signed).X
    assert (hashed != sp.csr_array(counts @ H)).nnz == 0
    if columns == 1 << 16:
        assert np.array_equal(np.unique(H.indices).size, len(words))  # no collision, so no loss
        assert ((hashed @ hashed.T) != (counts @ counts.T)).nnz == 0


def test_the_hash_is_the_same_in_every_process():
    code = "from linclass.preprocessing.features.texts import hash_of_word; print(hash_of_word('wheels'))"
    for seed in ("0", "1"):
        env = {"PYTHONHASHSEED": seed, "PYTHONPATH": str(Path(__file__).parents[2])}
        run = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, check=True)
        assert int(run.stdout) == hash_of_word("wheels")


def test_memory_follows_the_counts_that_are_not_zero():
    """5,000 texts of 20 words out of 25,000: 1 GB if dense, 1 MB of counts and their places."""
    draw = random.Random(0)
    words = [[f"w{draw.randrange(25_000)}" for _ in range(20)] for _ in range(5000)]
    texts = column(list(map(" ".join, words)))
    X, peak = with_peak_memory(lambda: count_words(texts).X)
    assert X.shape[1] > 24_000
    assert peak < 250 * X.nnz


@each("end", ["\n", "\r\n", "\r"])
def test_a_post_is_stripped_of_header_quotation_and_signature_however_its_lines_end(end):
    stripped = strip_posts(column([post.replace("\n", end) for post in POSTS])).levels["text"]
    assert stripped[0] == "Two wheels do, 2 of them.\n"
    assert stripped == strip_posts(column(POSTS)).levels["text"]


STRIPS = {
    "headers": newsgroups.strip_newsgroup_header, "footers": newsgroups.strip_newsgroup_footer,
    "quotes": newsgroups.strip_newsgroup_quoting,
}  # fmt: skip


@each("part", list(PARTS))
def test_stripping_is_what_scikit_learn_strips(part):
    draw = random.Random(0)
    pieces = ["", "-", "---", " ", "> a", "|b", "c wrote: d", "In article 5", "ee f", "G: h"]
    posts = POSTS + ["\n".join(draw.choices(pieces, k=draw.randrange(9))) for _ in range(500)]
    assert [PARTS[part](post) for post in posts] == list(map(STRIPS[part], posts))


@each("ngrams", [1, 2])
@each("binary", [False, True])
def test_counts_are_those_of_scikit_learn(ngrams, binary):
    vectorizer = CountVectorizer(ngram_range=(1, ngrams), binary=binary)
    theirs = vectorizer.fit_transform(POSTS)
    ours = count_words(column(POSTS), ngrams=ngrams, binary=binary)
    assert list(ours.names) == vectorizer.get_feature_names_out().tolist()
    assert (sp.csr_array(theirs) != ours.X).nnz == 0


def counts(n=50, d=30, seed=0, sparse=True):
    rng = np.random.default_rng(seed)
    X = rng.poisson(rng.gamma(0.5, 0.6, size=d), size=(n, d)).astype(float)
    return Table(sp.csr_array(X) if sparse else X, tuple(f"w{j}" for j in range(d)))


def dense(t):
    return t.X.toarray() if t.is_sparse else t.X


def test_the_vocabulary_is_that_of_scikit_learn():
    words = counts(n=40)
    texts = [" ".join(np.repeat(words.names, row.astype(int))) for row in dense(words)]
    theirs = CountVectorizer(min_df=3, max_df=0.5).fit(texts)
    ours = Vocabulary(min_rows=3, max_share=0.5).fit(words).transform(words)
    assert sorted(ours.names) == theirs.get_feature_names_out().tolist()


def test_presence_forgets_how_often_and_log_counts_less():
    t = Table(np.array([[1.0, 0, math.e]]), tuple("abc"))
    assert Idf("presence", norm=None).fit(t).transform(t).X.tolist() == [[1, 0, 1]]
    np.testing.assert_allclose(Idf("log", norm=None).fit(t).transform(t).X, [[1, 0, 2]], rtol=1e-15)
    with pytest.raises(NotApplicable, match="log needs counts"):
        Idf("log").fit(t).transform(Table(-t.X, t.names))


@each("sparse", [False, True])
@each("log", [False, True])
@each("norm", ["l1", "l2", None])
@each("smooth", [False, True])
def test_tf_idf_is_that_of_scikit_learn(smooth, norm, log, sparse):
    train = np.arange(30)
    t = counts(sparse=sparse)
    t = Vocabulary().fit(t.rows(train)).transform(t)
    theirs = TfidfTransformer(norm=norm, smooth_idf=smooth, sublinear_tf=log)
    X = sp.csr_array(dense(t))
    expected = theirs.fit(X[train]).transform(X).toarray()
    found = Idf("log" if log else "as_is", smooth, norm).fit(t.rows(train)).transform(t)
    np.testing.assert_allclose(dense(found), expected, rtol=1e-12)


def test_tf_idf_and_logistic_regression_are_the_pipeline_of_scikit_learn_on_training_texts():
    draw = random.Random(0)
    y = np.array([draw.randrange(2) for _ in range(80)])
    odds = [[1 / (1 + (j + 17 * k) % 60) for j in range(60)] for k in (0, 1)]
    words = [f"word{j}" for j in range(60)]
    texts = [" ".join(draw.choices(words, odds[k], k=draw.randrange(3, 15))) for k in y]
    theirs = make_pipeline(
        CountVectorizer(min_df=2),
        TfidfTransformer(sublinear_tf=True),
        LogisticRegression(C=1 / (60 * 0.01), tol=1e-10, max_iter=10_000),
    ).fit(texts[:60], y[:60])
    method = Method.from_entry({
        "classifier": "linclass.LogisticRegression", "params": {"strength": 0.01},
        "transforms": [{"vocabulary": {"min_rows": 2}}, {"idf": {"counts": "log"}}],
    })  # fmt: skip
    table = count_words(column(texts))
    ours = fit_method(method, table.rows(np.arange(60)), y[:60], Task(2, 1), seed=0)
    score = ours.predict(table)[1]
    np.testing.assert_allclose(2 * score[:, 1], theirs.decision_function(texts), atol=1e-5)


def test_directions_without_variance_are_not_components():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 3)) @ rng.normal(size=(3, 8)) + 100
    t = Table(X, tuple("abcdefgh"))
    whitened = PrincipalComponents(8, whiten=True).fit(t).transform(t)
    assert whitened.names == ("component1", "component2", "component3")
    np.testing.assert_allclose(np.cov(whitened.X.T), np.eye(3), atol=1e-12)


def test_a_share_of_variance_takes_the_fewest_components_that_explain_it():
    t = counts(sparse=False)
    everything = PrincipalComponents(30).fit(t).variance_
    for share in (0.5, 0.9):
        k = len(PrincipalComponents(share).fit(t).variance_)
        assert everything[: k - 1].sum() < share * everything.sum() <= everything[:k].sum()


def test_components_of_words_need_no_dense_words():
    """3,000 texts × 200,000 words: 4.8 GB if dense; the matrix and 2·k + 1 vectors of Lanczos are not."""
    rng = np.random.default_rng(0)
    X = sp.random_array((3000, 200_000), density=2e-4, rng=rng, format="csr")
    X.indices, X.indptr = X.indices.astype(np.int32), X.indptr.astype(np.int32)
    t = Table(X, tuple(map(str, range(200_000))))
    out, peak = with_peak_memory(lambda: PrincipalComponents(3).fit(t).transform(t))
    assert out.shape == (3000, 3)
    assert peak < 150e6


@each("sparse", [False, True])
@each("whiten", [False, True])
def test_components_are_those_of_scikit_learn(whiten, sparse):
    X = counts(sparse=False).X
    theirs = PCA(4, whiten=whiten, svd_solver="full").fit(X[:40])
    ours = PrincipalComponents(4, whiten).fit(counts(sparse=sparse).rows(np.arange(40)))
    sign = np.sign((ours.components_ * theirs.components_).sum(axis=1))
    found = ours.transform(counts(sparse=sparse)).X
    np.testing.assert_allclose(found * sign, theirs.transform(X), rtol=1e-8, atol=1e-9)
