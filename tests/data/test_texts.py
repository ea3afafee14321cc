"""Raw texts: kept unchanged, from the file to the features that count their words."""

import io
import json
import tarfile

import polars as pl
import pytest

from linclass_study.data.dataset import load_dataset, save_dataset
from linclass_study.execution.features import FeatureFile, compute_features

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
            entry.size = len(text)
            box.addfile(entry, io.BytesIO(text.encode("latin-1")))


def test_texts_of_an_archive_are_kept_unchanged_and_words_are_counted_by_a_feature(archive, obtain):
    found = obtain(RAW)
    assert found.table.texts == {"text"}
    classes = [found.classes[code] for code in found.y]
    texts = [found.table.levels["text"][int(code)] for code in found.table.X[:, 0]]
    assert sorted(zip(classes, found.split.tolist(), texts, strict=True)) == [
        ("cats", 0, ""), ("cats", 0, "Subject: x\n\nThe cat.\n"), ("cats", 1, "A dog, caf\xe9"),
        ("dogs", 0, "A dog, caf\xe9"),
    ]  # fmt: skip
    words = compute_features(found, [{"count_words": {"pattern": "[a-z]+"}}]).table
    assert words.names == ("a", "caf", "cat", "dog", "subject", "the", "x")
    assert sorted(words.X.toarray().tolist()) == [
        [0] * 7, [0, 0, 1, 0, 1, 1, 1], *[[1, 1, 0, 1, 0, 0, 0]] * 2,
    ]  # fmt: skip


def test_without_both_parts_folders_have_no_official_split(obtain, tmp_path):
    for name in ("all/cats/1", "all/dogs/2"):
        (tmp_path / "texts" / name).parent.mkdir(parents=True)
        (tmp_path / "texts" / name).write_text("a text")
    assert obtain(RAW | {"source": {"file": "texts"}}).split.tolist() == [0, 0]


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


def test_a_text_column_may_have_missing_texts_which_contain_no_words(read):
    text = "y,body,n\na,good good day,1\nb,,2\nb,1994,3\n"
    found = compute_features(read("a.csv", text, target="y", texts=["body"]), ["count_words"]).table
    assert found.names == ("n", "body:1994", "body:day", "body:good")
    assert sorted(found.X.toarray().tolist()) == [[1, 0, 1, 2], [2, 0, 0, 0], [3, 1, 0, 0]]


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
def test_the_real_posts_have_their_published_numbers(mirrors, obtain):
    entry = {
        "source": {"url": "http://qwone.com/~jason/20Newsgroups/20news-bydate.tar.gz"},
        "format": "text_folders",
        "texts": ["text"],
        "classes": ["talk.religion.misc", "alt.atheism"],
    }
    if not any((folder / "20news-bydate.tar.gz").exists() for folder in mirrors):
        pytest.skip("no mirror has 20news-bydate.tar.gz")
    found = obtain(entry, *mirrors)
    assert len(found.y) == 377 + 251 + 480 + 319
    assert found.split.sum() == 251 + 319
