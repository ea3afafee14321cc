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
from linclass_study.data.local_copies import SearchFolders
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


def written(write):
    """The bytes that `write` puts into a file."""
    file = io.BytesIO()
    write(file)
    return file.getvalue()


def archived(file):
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as box:
        box.writestr("study/runs/d/m/fits.parquet", "x" * 99)
        box.writestr("study/study.json", "{}")


def archived_as_tar(file):
    with tarfile.open(fileobj=file, mode="w:gz") as box:
        member = tarfile.TarInfo("study/runs/d/m/fits.parquet")
        member.size = 99
        box.addfile(member, io.BytesIO(b"x" * 99))


@st.composite
def damaged(draw, whole):
    """A file in which some bytes are others, or that is cut short or repeated."""
    content = bytearray(whole)
    for _ in range(draw(st.integers(0, 4))):
        content[draw(st.integers(0, len(content) - 1))] = draw(st.integers(0, 255))
    end = draw(st.just(len(content)) | st.integers(0, len(content)))
    return bytes(content[:end] + draw(st.binary(max_size=20)))


def one_line(read, kind):
    """It returns, or raises this error with one line."""
    line = "."
    try:
        read()
    except kind as error:
        line = str(error)
    assert line
    assert "\n" not in line


def read_arrays(path):
    with opened_npz(path) as found:
        assert all(isinstance(found[name], np.ndarray) for name in found)


def read_rows(path):
    entry = {"source": {"file": path.name}, "format": path.suffix[1:], "target": "target"}
    obtain_dataset(entry, SearchFolders(root=path.parent))


TABLE = pl.DataFrame({"row": [0, 1, 2], "score": [[1.0], [2.0], [3.0]], "reason": ["a", None, "b"]})
ARRAYS = {"labels": np.arange(12).reshape(3, 4), "x": np.ones(3)}
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=9),
    lambda inside: st.lists(inside, max_size=4) | st.dictionaries(st.text(max_size=9), inside, max_size=4),
    max_leaves=12,
)  # fmt: skip
FACTS = st.sampled_from(["status", "classes", "positive", "rows", "class_counts", "digest"])
JSON = (VALUES | st.dictionaries(FACTS, VALUES)).map(lambda value: json.dumps(value).encode())
STUDY = """
datasets: [iris, mine]
methods: [lda, {name: x}]
evaluation: {folds: 3, metrics: [a.b], protocols: {cv: {folds: 2}}}
define: &d {methods: {x: {classifier: a.B, tune: {alpha: [1e-3, 2]}}}, more: *d}
"""
YAML = st.text("abc:[]{}&*!|>-#'\"\n \t\u2028%@`0.e~", max_size=40).map(str.encode)
CELLS = st.text("12-.:,;'\"@{}xy? \n\t\0é", max_size=60).map(str.encode)
ARFF = "@relation r\n@attribute a numeric\n@attribute target {x,y}\n@data\n1,x\n2,y\n"
FILES = {  # name: (content that is likely to get far, reader, error)
    "t.parquet": (damaged(written(TABLE.write_parquet)), read_parquet, StudyError),
    "a.npz": (damaged(written(lambda f: np.savez_compressed(f, **ARRAYS))), read_arrays, StudyError),
    "of_a_study.json": (JSON, read_json, StudyError),
    "of_data.json": (JSON, read_about, StudyError),
    "study.yaml": (YAML | damaged(STUDY.encode()), read_yaml, StudyError),
    "d.csv": (damaged(b"a,target\n1,x\n2,y\n3,x\n4,y\n") | CELLS, read_rows, Unavailable),
    "d.arff": (damaged(ARFF.encode()) | CELLS, read_rows, Unavailable),
    "d.libsvm": (damaged(b"1 1:0.5 3:1\n-1 2:1\n1 1:2\n") | CELLS, read_rows, Unavailable),
}  # fmt: skip


@pytest.mark.parametrize("name", FILES)
@fuzz
@given(data=st.data())
def test_reading_any_bytes_gives_a_value_or_a_one_line_error(tmp_path, name, data):
    content, read, error = FILES[name]
    (tmp_path / name).write_bytes(data.draw(content | st.binary(max_size=99)))
    one_line(lambda: read(tmp_path / name), error)


@fuzz
@given(
    content=damaged(written(archived)) | damaged(written(archived_as_tar)) | st.binary(max_size=99),
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
    beside = {path.name for place in (folder, folder.parent) for path in place.parent.iterdir()}
    assert beside == {"here", "unpacked", "archive"}


PARTS = ["datasets", "methods", "evaluation", "define", "limits", "jobs", "suite"]


@fuzz
@given(value=st.dictionaries(st.sampled_from(PARTS), VALUES))
def test_invalid_values_of_a_study_are_reported_by_key(value):
    for path, sentence in schema_problems("config", fitted("config", value)):
        assert sentence
        assert isinstance(path, list)
