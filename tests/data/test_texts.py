"""Raw texts: kept unchanged, from the file to the features that count their words."""

import io
import json
import tarfile

import polars as pl
import pytest

from linclass_study.data.dataset import load_dataset, save_dataset
from linclass_study.data.entry_check import entry_problems
from linclass_study.execution.feature_file import FeatureFile
from linclass_study.execution.features import compute_features

POSTS = {
    "news-train/cats/1": "Subject: x\r\n\r\nThe cat.\r\n", "news-train/dogs/2": "A dog, caf\xe9",
    "news-train/cats/7": "", "news-test/cats/3": "A dog, caf\xe9",
}  # fmt: skip
RAW = {"source": {"file": "a.tgz"}, "format": "text_folders", "texts": ["text"]}


@pytest.fixture
def archive(tmp_path):
    with tarfile.open(tmp_path / "a.tgz", "w:gz") as box:
        for name, text in POSTS.items():
            entry = tarfile.TarInfo(name)
            content = text.encode("latin-1")
            entry.size = len(content)
            box.addfile(entry, io.BytesIO(content))


def texts_of(data):
    """(class, split, text) of every row."""
    column = data.table.names.index("text")
    codes = data.table.X[:, column].astype(int)
    texts = [data.table.levels["text"][code] for code in codes]
    classes = [data.classes[code] for code in data.y]
    return sorted(zip(classes, data.split.tolist(), texts, strict=True))


def test_texts_are_kept_unchanged_and_count_words_as_the_format_does(archive, obtain):
    found = obtain(RAW)
    assert found.table.texts == {"text"}
    assert texts_of(found) == [
        ("cats", 0, ""),
        ("cats", 0, "Subject: x\n\nThe cat.\n"),
        ("cats", 1, "A dog, caf\xe9"),
        ("dogs", 0, "A dog, caf\xe9"),
    ]
    counted = obtain({key: RAW[key] for key in ("source", "format")})
    raw = compute_features(obtain(RAW), [{"count_words": {"pattern": "[a-z]+"}}]).table
    assert raw.names == counted.table.names
    rows = (X.toarray().tolist() for X in (raw.X, counted.table.X))
    assert sorted(next(rows)) == sorted(next(rows))


def test_texts_come_back_from_the_files_that_jobs_pass_on(archive, obtain, tmp_path):
    found = obtain(RAW)
    save_dataset(found, tmp_path / "it.npz", tmp_path / "it.json")
    again = load_dataset(tmp_path / "it.npz")
    assert (again.table.texts, again.table.levels) == (found.table.texts, found.table.levels)
    compute_features(again, []).save(tmp_path / "as_is.npz")
    table = FeatureFile.load(tmp_path / "as_is.npz").table
    assert (table.texts, table.levels) == (found.table.texts, found.table.levels)
    about = json.loads((tmp_path / "it.json").read_text())
    assert about["texts"] == ["text"]
    assert not [name for name, kept in about.items() if kept == list(found.table.levels["text"])]


def test_a_text_column_may_have_missing_texts_which_contain_no_words(obtain, tmp_path):
    (tmp_path / "a.csv").write_text("y,body,n\na,good good day,1\nb,,2\nb,1994,3\n")
    entry = {"source": {"file": "a.csv"}, "target": "y", "texts": ["body"]}
    found = compute_features(obtain(entry), ["count_words"]).table
    assert found.names == ("n", "body:1994", "body:day", "body:good")
    assert sorted(found.X.toarray().tolist()) == [[1, 0, 1, 2], [2, 0, 0, 0], [3, 1, 0, 0]]


@pytest.mark.parametrize(("entry", "words"), [
    ({"source": {"file": "a.svm"}, "texts": ["text"]}, "is not supported for libsvm, which has no"),
    (RAW | {"binary": True}, "with `texts:` features count; give it to count_words"),
    ({"source": {"file": "a.csv"}, "target": "y", "texts": ["b"], "categorical": ["b"]},
     "'b' is also under `categorical:`"),
])  # fmt: skip
def test_keys_that_cannot_work_are_refused_before_any_work(entry, words, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("a.tgz", "a.csv", "a.svm"):
        (tmp_path / name).touch()
    assert [text for _, text in entry_problems(entry) if words in text]


def test_texts_and_their_embedding_are_columns_of_one_file_of_which_methods_choose(
    obtain, tmp_path
):
    columns = {"y": ["a", "b", "a"], "body": ["good day", "day", ""], "of.1": [8.0, 3, 0]}
    pl.DataFrame(columns).write_parquet(tmp_path / "a.parquet")
    entry = {"source": {"file": "a.parquet"}, "target": "y", "texts": ["body"]}
    found = obtain(entry)
    texts = [found.table.levels["body"][int(code)] for code in found.table.X[:, 0]]
    assert list(map(len, texts)) == found.table.X[:, 1].tolist()
    embedded = compute_features(found, [{"select": {"columns": ["of.*"]}}]).table
    assert embedded.names == ("of.1",)
    words = compute_features(found, [{"select": {"columns": ["body"]}}, "count_words"]).table
    assert words.names == ("day", "good")


@pytest.mark.slow
def test_the_words_of_the_real_posts_match_their_published_counts(mirrors, obtain):
    """Twenty newsgroups, raw and as the format counts them: the same words, the same counts."""
    entry = {
        "source": {"url": "http://qwone.com/~jason/20Newsgroups/20news-bydate.tar.gz"},
        "format": "text_folders",
        "classes": ["talk.religion.misc", "alt.atheism"],
    }
    if not any((folder / "20news-bydate.tar.gz").exists() for folder in mirrors):
        pytest.skip("no mirror has 20news-bydate.tar.gz")
    counted = obtain(entry, *mirrors)
    raw = obtain(entry | {"texts": ["text"]}, *mirrors)
    X = compute_features(raw, [{"count_words": {"pattern": "[a-z]+"}}]).table
    assert X.names == counted.table.names
    assert len(raw.y) == 377 + 251 + 480 + 319
    assert raw.split.sum() == 251 + 319
    for code in (0, 1):
        ours, theirs = X.X[raw.y == code], counted.table.X[counted.y == code]
        assert (ours.sum(axis=0) == theirs.sum(axis=0)).all()
        assert sorted(ours.sum(axis=1)) == sorted(theirs.sum(axis=1))
