"""Random and damaged data files, study files and archives: a value or a one-line error for any bytes."""

import io
import json
import tarfile
import zipfile

import numpy as np
import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from linclass_study.command.results_folder import unpack
from linclass_study.config.schema import fitted, schema_problems
from linclass_study.data.source_reader import obtain_dataset
from linclass_study.errors import StudyError, Unavailable
from linclass_study.files.reading import opened_npz, read_about, read_json, read_parquet
from linclass_study.files.yaml_file import read_yaml

fuzz = settings(
    max_examples=60,
    derandomize=True,  # the same examples each time
    deadline=None,
    database=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)


def table():
    file = io.BytesIO()
    columns = {"row": [0, 1, 2], "score": [[1.0], [2.0], [3.0]], "reason": ["a", None, "b"]}
    pl.DataFrame(columns).write_parquet(file)
    return file.getvalue()


def arrays():
    file = io.BytesIO()
    np.savez_compressed(file, labels=np.arange(12).reshape(3, 4), x=np.ones(3))
    return file.getvalue()


def zipped():
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as box:
        box.writestr("study/runs/d/m/fits.parquet", "x" * 99)
        box.writestr("study/study.json", "{}")
    return file.getvalue()


def tarred():
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode="w:gz") as box:
        member = tarfile.TarInfo("study/runs/d/m/fits.parquet")
        member.size = 99
        box.addfile(member, io.BytesIO(b"x" * 99))
    return file.getvalue()


@st.composite
def damaged(draw, whole):
    """A file in which some bytes are others, or that is cut short or repeated."""
    content = bytearray(whole)
    for _ in range(draw(st.integers(0, 4))):
        content[draw(st.integers(0, len(content) - 1))] = draw(st.integers(0, 255))
    return bytes(content[: draw(st.integers(0, len(content)))] + draw(st.binary(max_size=20)))


def one_line(read, *kinds):
    """It returns, or raises one of these errors with one line."""
    line = "."
    try:
        read()
    except kinds as error:
        line = str(error)
    assert line
    assert "\n" not in line


def outside(folder):
    return {path.name for path in folder.parent.iterdir()}


@fuzz
@given(content=st.binary(max_size=300) | damaged(table()))
def test_reading_any_bytes_gives_a_table_or_a_one_line_error(tmp_path, content):
    (tmp_path / "t.parquet").write_bytes(content)
    one_line(lambda: read_parquet(tmp_path / "t.parquet"), StudyError)


@fuzz
@given(content=st.binary(max_size=300) | damaged(arrays()))
def test_reading_any_bytes_gives_arrays_or_a_one_line_error(tmp_path, content):
    def read():
        with opened_npz(tmp_path / "a.npz") as found:
            assert all(isinstance(found[name], np.ndarray) for name in found)

    (tmp_path / "a.npz").write_bytes(content)
    one_line(read, StudyError)


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=9),
    lambda inside: st.lists(inside, max_size=4) | st.dictionaries(st.text(max_size=9), inside, max_size=4),
    max_leaves=12,
)  # fmt: skip
KEYS = ("status", "classes", "positive", "rows", "class_counts", "digest")


@fuzz
@given(
    content=st.binary(max_size=99)
    | VALUES.map(lambda value: json.dumps(value).encode())
    | st.dictionaries(st.sampled_from(KEYS), VALUES).map(lambda about: json.dumps(about).encode())
)
def test_reading_any_bytes_gives_json_or_a_one_line_error(tmp_path, content):
    (tmp_path / "d.json").write_bytes(content)
    for read in (read_json, read_about):
        one_line(lambda read=read: read(tmp_path / "d.json"), StudyError)


@fuzz
@given(
    content=damaged(zipped()) | damaged(tarred()) | st.binary(max_size=99),
    names=st.lists(st.text("a./\\:\0~-", min_size=1, max_size=8), max_size=3),
)
def test_any_archive_unpacks_inside_its_folder_or_gives_a_one_line_error(
    tmp_path_factory, content, names
):
    folder = tmp_path_factory.mktemp("archive") / "unpacked" / "here"
    folder.mkdir(parents=True)
    archive = folder.parent.parent / "archive"
    archive.write_bytes(content)
    one_line(lambda: unpack("a.zip", archive, folder), StudyError)
    with tarfile.open(archive, "w") as box:
        for name in names:
            box.addfile(tarfile.TarInfo(name))
    one_line(lambda: unpack("a.tar", archive, folder), StudyError)
    assert outside(folder) == {"here"}
    assert outside(folder.parent) == {"unpacked", "archive"}


STUDY = """
datasets: [iris, mine]
methods: [lda, {name: x}]
evaluation: {folds: 3, metrics: [a.b], protocols: {cv: {folds: 2}}}
define: &d {methods: {x: {classifier: a.B, tune: {alpha: [1e-3, 2]}}}, more: *d}
"""
WORDS = st.text("abc:[]{}&*!|>-#'\"\n \t\u2028%@`0.e~", max_size=40)


@fuzz
@given(content=WORDS.map(str.encode) | damaged(STUDY.encode()) | st.binary(max_size=60))
def test_reading_any_bytes_gives_a_study_or_a_one_line_error(tmp_path, content):
    (tmp_path / "study.yaml").write_bytes(content)
    one_line(lambda: read_yaml(tmp_path / "study.yaml"), StudyError)


@fuzz
@given(
    value=st.dictionaries(
        st.sampled_from(["datasets", "methods", "evaluation", "define", "limits", "jobs", "suite"]),
        VALUES,
    )
)
def test_invalid_values_of_a_study_are_reported_by_key(value):
    for path, sentence in schema_problems("config", fitted("config", value)):
        assert sentence
        assert isinstance(path, list)


ROWS = "a,target\n1,x\n2,y\n3,x\n4,y\n"
ARFF = "@relation r\n@attribute a numeric\n@attribute target {x,y}\n@data\n1,x\n2,y\n"
SVM = "1 1:0.5 3:1\n-1 2:1\n1 1:2\n"
FORMATS = {"csv": ROWS, "arff": ARFF, "libsvm": SVM}


@pytest.mark.parametrize("form", FORMATS)
@fuzz
@given(data=st.data())
def test_any_data_file_gives_rows_or_a_one_line_error(tmp_path, form, data):
    letters = st.text("12-.:,;'\"@{}xy? \n\t\0é", max_size=60).map(str.encode)
    content = data.draw(damaged(FORMATS[form].encode()) | letters | st.binary(max_size=60))
    (tmp_path / "d").write_bytes(content)
    entry = {"source": {"file": "d"}, "format": form, "target": "target"}
    one_line(lambda: obtain_dataset(entry, [], tmp_path / "downloads", tmp_path), Unavailable)
