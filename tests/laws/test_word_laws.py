"""Words of texts: the tokenizer, counts against their definition, then scikit-learn."""

import random
import subprocess
import sys
import tracemalloc
from pathlib import Path

import numpy as np
import scipy.sparse as sp
from cases import each

from linclass.base.tables import Table, Tokenizer, word_counts
from linclass.preprocessing.features import count_words, hash_words, strip_posts

POSTS = [
    (
        "From: ann@x.org\nSubject: Re: wheels\n\nIn article <1@y> bob writes:\n> Four wheels.\nTwo wheels "
        "do, 2 of them.\n\n--\nAnn, rider since 1975\n"
    ),
    "Subject: none\n\n\nRun-on text; it's \u00c9t\u00e9 & na\u00efve_user42...\n|quoted\nBob said: no\n",
    "no header at all, no blank line",
    "\n\n",
    "X: y\n\nbody\n\n-----\n",
    "-\nX: y\n\n---\n\nsig",
]


def column(texts: list[str]) -> Table:
    X = np.arange(len(texts), dtype=float)[:, None]
    return Table(X, ("text",), {"text": tuple(texts)}, frozenset({"text"}))


def test_words_are_runs_of_two_letters_digits_or_underscores_in_lower_case() -> None:
    words = Tokenizer("it").words("The CAT, a \u00c9t\u00e9-x_1's 42")
    assert words == ["the", "cat", "\u00e9t\u00e9", "x_1", "42"]
    assert Tokenizer("it", lower=False, pattern="[A-Z]+").words("The CAT") == ["T", "CAT"]


def test_a_count_is_how_often_its_word_is_among_the_words_of_the_text() -> None:
    tokenizer = Tokenizer("it", ngrams=2)
    X, words = word_counts(POSTS, tokenizer)
    assert words == sorted({word for post in POSTS for word in tokenizer.words(post)})
    for post, row in zip(POSTS, X.toarray(), strict=True):
        assert row.tolist() == [tokenizer.words(post).count(word) for word in words]


def test_declared_words_are_those_columns_of_all_words() -> None:
    everything = count_words.apply(column(POSTS))
    declared = count_words.apply(column(POSTS), words=["wheels", "nowhere", "ann"])
    assert declared.names == ("wheels", "nowhere", "ann")
    places = [everything.names.index(word) for word in ("wheels", "ann")]
    assert np.array_equal(declared.X.toarray()[:, [0, 2]], everything.X.toarray()[:, places])
    assert not declared.X.toarray()[:, 1].any()


@each("signed", [True, False])
@each("columns", [1, 7, 1 << 16])
def test_hashed_counts_are_the_counts_times_the_hashes_of_the_words(
    columns: int, signed: bool
) -> None:
    counts, words = word_counts(POSTS, Tokenizer("it"))
    H = hash_words.apply(column(words), columns=columns, signed=signed).X
    assert set(np.unique(H.data)) <= ({-1.0, 1.0} if signed else {1.0})
    hashed = hash_words.apply(column(POSTS), columns=columns, signed=signed).X
    assert (hashed != sp.csr_array(counts @ H)).nnz == 0
    if columns == 1 << 16:
        assert np.array_equal(np.unique(H.indices).size, len(words))  # no collision, so no loss
        assert ((hashed @ hashed.T) != (counts @ counts.T)).nnz == 0


def test_signs_make_collisions_cancel_on_average() -> None:
    """Of 4,000 words in 8 columns the signed sums are a random walk, the unsigned ones are not."""
    text = column([" ".join(f"w{i}" for i in range(4000))])
    signed = hash_words.apply(text, columns=8).X.toarray()
    assert np.abs(signed).max() < 4 * np.sqrt(4000 / 8)
    np.testing.assert_allclose(hash_words.apply(text, columns=8, signed=False).X.sum(), 4000)


def test_the_hash_is_the_same_in_every_process() -> None:
    code = "from linclass.preprocessing.features.hash_words import _hash; print(_hash('wheels'))"
    output = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": str(Path(__file__).parents[2])},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("0", "1")
    }
    assert output == {f"{hash_words._hash('wheels')}\n"}


def test_memory_follows_the_counts_that_are_not_zero() -> None:
    """20,000 texts of 20 words out of 100,000: 16 GB if dense, 5 MB of counts and their places."""
    draw = random.Random(0)
    texts = column(
        [" ".join(f"w{draw.randrange(100_000)}" for _ in range(20)) for _ in range(20_000)]
    )
    tracemalloc.start()
    try:
        X = count_words.apply(texts).X
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert X.shape[1] > 95_000
    assert peak < 250 * X.nnz


# what is stripped


def test_a_post_is_stripped_of_header_quotation_and_signature() -> None:
    (stripped, *_) = strip_posts.apply(column(POSTS)).levels["text"]
    assert stripped == "Two wheels do, 2 of them.\n"


def test_parts_are_stripped_in_one_order_however_they_are_given() -> None:
    parts = ["quotes", "footers", "headers"]
    given, turned = (strip_posts.apply(column(POSTS), p) for p in (parts, parts[::-1]))
    assert given.levels == turned.levels


@each("end", ["\r\n", "\r"])
def test_posts_are_stripped_however_their_lines_end(end: str) -> None:
    plain = strip_posts.apply(column(POSTS)).levels
    assert strip_posts.apply(column([post.replace("\n", end) for post in POSTS])).levels == plain


@each("part", list(strip_posts.PARTS))
def test_stripping_is_what_scikit_learn_strips(part: str) -> None:
    from sklearn.datasets import _twenty_newsgroups as theirs

    strip = {
        "headers": theirs.strip_newsgroup_header,
        "footers": theirs.strip_newsgroup_footer,
        "quotes": theirs.strip_newsgroup_quoting,
    }[part]
    draw = random.Random(0)
    pieces = ["", "-", "---", " ", "> a", "|b", "c wrote: d", "In article 5", "ee f", "G: h"]
    posts = POSTS + ["\n".join(draw.choices(pieces, k=draw.randrange(9))) for _ in range(500)]
    assert [strip_posts.PARTS[part](post) for post in posts] == list(map(strip, posts))


# scikit-learn's counts


@each("ngrams", [1, 2])
@each("binary", [False, True])
def test_counts_are_those_of_scikit_learn(ngrams: int, binary: bool) -> None:
    from sklearn.feature_extraction.text import CountVectorizer

    vectorizer = CountVectorizer(ngram_range=(1, ngrams), binary=binary)
    theirs = vectorizer.fit_transform(POSTS)
    ours = count_words.apply(column(POSTS), ngrams=ngrams, binary=binary)
    assert list(ours.names) == vectorizer.get_feature_names_out().tolist()
    assert (sp.csr_array(theirs) != ours.X).nnz == 0


def test_hashing_keeps_what_scikit_learns_hashing_keeps() -> None:
    """Another hash, so other columns; without collisions the scalar products of rows are the same."""
    from sklearn.feature_extraction.text import HashingVectorizer

    theirs = HashingVectorizer(n_features=1 << 18, norm=None).transform(POSTS)
    ours = hash_words.apply(column(POSTS), columns=1 << 18).X
    assert np.array_equal((ours @ ours.T).toarray(), (theirs @ theirs.T).toarray())
