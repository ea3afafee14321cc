"""Results, archives and data files from somebody else: refused in one line, and nothing of theirs is run.

The files of hostile/ are frozen (make_hostile.py). One that runs code creates `code-ran` in the working folder.
"""

import json
import os
import re
import resource
import shutil
import tarfile
import zipfile
from pathlib import Path

import polars as pl
import pytest
from cases import first
from finished_results import RUN, change, edit, study_of

from linclass_study import load_results
from linclass_study.command import derived_files, results_folder
from linclass_study.data.local_copies import SearchFolders
from linclass_study.data.source_reader import obtain_dataset
from linclass_study.errors import StudyError, Unavailable
from linclass_study.execution import run_files
from linclass_study.execution.fit_store import UNFINISHED, UnfinishedRun, replace
from linclass_study.files import reading as results_files
from linclass_study.files.tables import write_table

HOSTILE = Path(__file__).parent / "hostile"
REFUSED = {  # file of hostile/, the place in the results that it takes, and a part of the line
    **{f"{name}.parquet": (f"{RUN}/predictions.parquet", "more than 100 times its size")
       for name in ("long_list", "long_text", "many_rows", "lying_footer")},
    "categories.parquet": (f"{RUN}/fits.parquet", "of type Categorical"),
    "deep.parquet": (f"{RUN}/predictions.parquet", "its columns are nested too deeply"),
    "zeros.npz": (f"{RUN}/boundary.npz", "more than 100 times its size"),
    "pickle.npz": (f"{RUN}/boundary.npz", "Object arrays cannot be loaded"),
    "raw_pickle.npz": (f"{RUN}/boundary.npz", "not a zip file"),
    "nested.json": ("data/two.json", "nested too deeply"),
    "surrogate.json": ("data/two.json", "surrogates not allowed"),
    "list.json": ("data/two.json", "holds no mapping"),
    "long_number.json": ("data/two.json", "digits"),
    "not_text.json": ("data/two.json", "decode"),
}  # fmt: skip
ARCHIVES = {
    "parent.zip": "outside the archive's own folder",
    "absolute.zip": "outside the archive's own folder",
    "backslash.zip": "outside the archive's own folder",
    "parent.tar": "outside the archive's own folder",
    "symbolic_link.tar": "is a link or a device",
    "hard_link.tar": "is a link or a device",
    "pipe.tar": "is a link or a device",
    "symbolic_link.zip": "is a link or a device",
    "zeros.zip": "more than 100 times its size",
    "zeros.tar.bz2": "more than 100 times its size",
    "folders.tar.xz": "more than 100 times its size",
    "header.tar.xz": "more than 100 times its size",
}
STUDIES = {
    "alias_bomb.yaml": "its aliases expand to",
    "python_object.yaml": "could not determine a constructor",
    "nested.yaml": "nested too deeply",
    "merge_bomb.yaml": "'<<' merges",
}
DATA = {"huge_index.libsvm": "libsvm", "unclosed.csv": "csv", "no_end.arff": "arff"}  # formats


@pytest.fixture(autouse=True)
def no_code_runs(tmp_path, monkeypatch):
    """No file of results creates a file outside the results or takes a gigabyte."""
    monkeypatch.chdir(tmp_path)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    yield
    assert not [*tmp_path.parent.rglob("code-ran")]
    assert not Path("/tmp/linclass-code-ran").exists()
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 800_000  # kilobytes


def commands(hostile, other):
    return {
        "verify": ["verify", hostile, other],
        "verified": ["verify", other, hostile],
        "merge": ["merge", other, hostile, "--into", other.parent / "c"],
        "merged": ["merge", hostile, other, "--into", other.parent / "c"],
        "publish": ["publish", hostile, "--partial", "--into", other.parent / "p.zip"],
    }


def test_every_hostile_file_is_read_by_a_test():
    used = {*REFUSED, *ARCHIVES, *STUDIES, *DATA}
    assert {file.name for file in HOSTILE.iterdir()} == used


@pytest.mark.parametrize("file", REFUSED)
def test_a_hostile_file_is_refused_in_one_line_by_every_command(
    linclass, refused, a, b, tmp_path, file
):
    place, words = REFUSED[file]
    shutil.copyfile(HOSTILE / file, a / place)
    several = commands(a, b)
    if place.endswith(".npz"):  # verify reads none, and merge that of the largest
        several = {"merge": ["merge", a, "--into", tmp_path / "c"], "publish": several["publish"]}
    for arguments in several.values():
        assert words in refused(*arguments)
    assert linclass("clean", a).code == 0
    assert not (b.parent / "c").exists()


@pytest.mark.parametrize("archive", first(10, ARCHIVES))
def test_a_hostile_archive_is_refused_in_one_line_by_every_command(refused, b, archive):
    for name, arguments in commands(HOSTILE / archive, b).items():
        if name != "publish":  # of folders alone
            assert ARCHIVES[archive] in refused(*arguments)


def test_an_archive_of_a_folder_is_read_like_the_folder_unless_damaged(
    linclass, refused, a, tmp_path
):
    for form in ("zip", "tar", "gztar", "xztar"):
        archive = Path(shutil.make_archive(tmp_path / "study", form, a.parent, a.name))
        assert linclass("verify", archive, a).code == 0
        content = archive.read_bytes()
        for kept in (0.1, 0.6, 0.98) if form != "tar" else ():
            archive.write_bytes(content[: int(kept * len(content))])
            refused("verify", archive, a)


def test_names_outside_an_archive_and_repeated_names_are_refused(refused, a, tmp_path):
    for name in ("c:/x", "..\\outside", "a/../../outside"):
        archive = shutil.make_archive(tmp_path / "study", "zip", a.parent, a.name)
        with zipfile.ZipFile(archive, "a") as box:
            box.writestr(name, "x")
        assert "outside the archive's own folder" in refused("verify", archive, a), name
    archive = shutil.make_archive(tmp_path / "study", "tar", a.parent, a.name)
    with tarfile.open(archive, "a") as box:
        box.add(a / "scores.csv", "a/scores.csv")
    refused("verify", archive, a)


def test_empty_files_count_in_the_size_of_an_archive(refused, b, tmp_path, monkeypatch):
    monkeypatch.setattr(results_folder, "AT_LEAST", 10**6)
    with tarfile.open(tmp_path / "a.tar.xz", "w:xz") as box:
        for number in range(500):
            box.addfile(tarfile.TarInfo(f"study/runs/d/m/{number}"))
    assert "more than 100 times its size" in refused("verify", tmp_path / "a.tar.xz", b)


def test_json_of_millions_of_values_is_refused_before_it_fills_memory(refused, a, b):
    (a / "data/two.json").write_text('{"x": [' + "{}," * 6_300_000 + "{}]}")
    assert "values need more than 1,000 MB" in refused("verify", a, b)


def test_a_record_of_figures_of_another_form_is_refused(refused, a):
    for record in ("{}", '{"drawn": ["x"], "not_drawn": {}}', '{"drawn": {}}'):
        (a / "exhibits.json").write_text(record)
        assert "exhibits.json cannot be read" in refused("publish", a)


def test_links_and_pipes_in_a_folder_are_refused_by_every_command(refused, a, b, tmp_path):
    elsewhere = tmp_path / "elsewhere"
    shutil.copytree(a / RUN, elsewhere)
    for place in ("report.html", "runs/two/good", "runs/two/good/unfinished.npz", "data"):
        for link in (os.symlink, lambda _, path: os.mkfifo(path)):
            hostile = shutil.copytree(a, tmp_path / "hostile")
            path = hostile / place
            shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)
            link(elsewhere, path)
            several = commands(hostile, b) | {"clean": ["clean", hostile, "--run", "two/plain"]}
            for arguments in several.values():
                assert f"'{place}' is a link or a device" in refused(*arguments)
            shutil.rmtree(hostile)
    assert len([*elsewhere.iterdir()]) >= 2


ABSURD = {  # key of study.json → values that no study has, each with words of the message
    "evaluation": {"[]": "", "null": "", "{}": "evaluation: the key 'protocols' is missing"},
    "evaluation.protocols": {"3": "", "[]": "[] is too short", '"cw"': "'cw' is not a list"},
    "evaluation.folds": {'"=1+1"': ""},
    "evaluation.repeats": {'"x"': "evaluation.repeats: 'x' is not a whole number"},
    "evaluation.tune_metric": {'["x"]': "", "3": "3 is not text", '"acuracy"': "did you mean 'accuracy'?"},
    "datasets": {"{}": "datasets: it is empty", '{"two": 3}': "datasets.two: 3 is not a mapping",
        '{"../../code-ran": {}}': "datasets: '../../code-ran' is not a valid name", '{"a/b": {}}': "",
        '{"two": {}, "\\u001b[2J": {}}': ""},
    "methods": {"{}": "methods: it is empty", '{"..": {}}': "", '{"good": []}': "", '{"-rf": {}}': ""},
    "parameters": {'{"good": 3}': "", "[3]": "", '{"good": {"limits": {"x": 0}}}': "", '{"good": {"fixed": []}}': ""},
    "files": {'{"x": 3}': "files.x: it is not text", "7": ""},
    "studies": {'[["no such file"]]': "studies: there is no file 'no such file'", "[3]": "",
        '[[["x"]]]': "studies: there is no file ['x']"},
}  # fmt: skip


def test_a_study_json_with_absurd_values_is_refused_in_one_line(refused, a, b):
    study = study_of(a)
    for place, values in ABSURD.items():
        part, _, key = place.partition(".")
        for value, words in values.items():
            absurd = json.loads(value)
            edit(a / "study.json", **study | {part: study[part] | {key: absurd} if key else absurd})
            for name in ("merge", "merged", "publish", "verify"):
                line = refused(*commands(a, b)[name])
                assert f"{a}/study.json is not a valid study.json (" in line
                assert words in line, (place, value)
    for text in ("{", "[]", '{"files": {}}'):
        (a / "study.json").write_text(text)
        line = refused("publish", a)
        assert "is not a valid study.json" in line
        assert line.endswith("run the study to its end, which writes it")


def test_results_of_a_later_format_are_refused_in_one_line(linclass, a, b):
    edit(a / "study.json", format=study_of(a)["format"] + 1)
    said = "study.json: these results have format 2, and this linclass"
    for command in (*commands(a, b).values(), ["figures", a]):
        output = linclass(*command)
        assert output.code
        (line,) = output.errors
        assert said in line
    with pytest.raises(StudyError, match=said):
        load_results(a)


def test_a_published_file_outside_its_folder_stays_in_the_archive(linclass, a, tmp_path):
    files = {"../../code-ran": "x", "/tmp/linclass-code-ran": "x"}
    edit(a / "study.json", files=files, studies=[[*files]])
    assert linclass("publish", a, "--partial", "--into", tmp_path / "p.zip").code == 0
    assert linclass("verify", tmp_path / "p.zip", a).code == 0


def test_only_metrics_of_modules_that_the_user_trusts_are_imported(
    linclass, refused, a, b, tmp_path, monkeypatch
):
    theirs = "open('code-ran', 'w')\ndef gain(y_true, y_pred): return 1.0\n"
    (tmp_path / "theirs.py").write_text(theirs)
    (tmp_path / "ours.py").write_text("def gain(y_true, y_pred): return 1.0\n")
    entry = {"classifier": "theirs.C", "transforms": ["theirs.Map"], "features": ["theirs.f"]}
    for named in ({"metrics": ["theirs.gain"]}, {"metrics": [], "tune_metric": "theirs.gain"}):
        for folder in (a, b):
            study = study_of(folder)
            study["evaluation"] |= named
            study["methods"]["good"] |= entry
            edit(folder / "study.json", **study)
        several = commands(a, b)
        assert linclass(*several["verify"]).code == 0
        for command in (several["merge"], ["figures", a]):
            assert "add --trust theirs, with its folder in PYTHONPATH" in refused(*command)
        assert linclass(*several["publish"]).code == 0
    assert linclass("clean", a).code == 0
    metrics = {"metrics": ["ours.gain", "sklearn.metrics.jaccard_score"], "tune_metric": "accuracy"}
    edit(a / "study.json", evaluation=study_of(a)["evaluation"] | metrics)
    arguments = ["merge", a, "--into", tmp_path / "c", "--trust", "ours"]
    assert "there is no module 'ours'" in refused(*arguments)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(derived_files, "draw_figures", lambda *_: None)
    monkeypatch.setattr(derived_files, "write_page", lambda *_: None)
    assert linclass(*arguments).code == 0
    scored = pl.read_parquet(tmp_path / "c" / "scores.parquet").filter(metric="ours.gain")
    assert set(scored["value"]) == {1.0}


def test_unfinished_runs_and_shards_are_not_pickles(tmp_path, a):
    for file in ("raw_pickle.npz", "pickle.npz", "zeros.npz"):
        content = (HOSTILE / file).read_bytes()
        for written in (content, len(content).to_bytes(8) + content):
            (tmp_path / UNFINISHED).write_bytes(written)
            assert UnfinishedRun(tmp_path / UNFINISHED).kept == {}, file
        with pytest.raises(StudyError, match="cannot be read"):
            run_files.outcomes_from_bytes(tmp_path / "1.npz", content)


def test_a_recorded_recipe_is_a_digest_and_not_a_path(a):
    """It is the name of a folder of the store, to which the files of the run would be moved."""
    folder, fits = a / RUN, pl.read_parquet(a / RUN / "fits.parquet")
    for recipe, known in (("ab12", True), ("../../../../code-ran", False), ("", True), (3, False)):
        inputs = {"asked": "aa", "rows": "bb", "recipe": recipe}
        made = [run_files.Made("ff")] * fits.height
        write_table(
            fits, "fits", folder / "fits.parquet", run_files.described(folder, inputs, made)
        )
        assert (run_files.recorded_run(folder) is not None) == known
        if not known:
            replace(a, "two", "good")
            assert (folder / "fits.parquet").exists()


def test_control_characters_do_not_reach_the_terminal(linclass, a, b):
    reason = pl.lit("\x1b]0;title\x07 \x9b2J \u202e")
    change(a / RUN / "fits.parquet", status=pl.lit("failed"), reason=reason)
    for arguments in commands(a, b).values():
        output = linclass(*arguments)
        text = "".join([*output.lines, *output.errors])
        assert text.isprintable(), text


def test_hostile_studies_and_data_files_are_refused_in_one_line(refused, tmp_path):
    for study, words in STUDIES.items():
        assert words in refused("check", HOSTILE / study)
    for file, form in DATA.items():
        shutil.copyfile(HOSTILE / file, tmp_path / file)
        entry = {"source": {"file": file}, "format": form, "target": "target"}
        with pytest.raises(Unavailable) as caught:
            obtain_dataset(entry, SearchFolders(root=tmp_path))
        assert "\n" not in str(caught.value)


def test_no_module_of_the_study_can_unpickle():
    package = Path(results_files.__file__).parents[1]
    unpickling = r"^\s*(?:import|from) (pickle|joblib|shelve|marshal|dill|cloudpickle)"
    for file in [*package.rglob("*.py"), *(package.parent / "workflow").rglob("*.smk")]:
        text = file.read_text(encoding="utf-8")
        assert not re.findall(unpickling, text, re.M), file
        assert "allow_pickle=True" not in text, file
