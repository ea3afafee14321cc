"""A machine has one name in all its runs, does not reveal its owner, and shares its times with no other."""

import getpass
import platform

import pytest

from linclass_study.analysis import outcome
from linclass_study.analysis.outcome import times_table
from linclass_study.files import environment
from linclass_study.files.tables import frame, table_schema, write_table


@pytest.fixture
def fresh(monkeypatch):
    monkeypatch.delenv(environment.NAME, raising=False)
    forget()
    yield monkeypatch
    forget()


def forget():
    environment.machine.cache_clear()
    environment._of_process.cache_clear()


def renewed():
    environment.machine.cache_clear()
    return environment.machine()


def test_a_machine_name_gives_processor_and_cores(fresh):
    fresh.setattr(environment.os, "cpu_count", lambda: 4)
    for processor, name in (
        ("Intel(R) Xeon(R) CPU E5-2680 v4 @ 2.40GHz", "intel-xeon-e5-2680-v4-4c"),
        ("AMD Ryzen 7 5800X 8-Core Processor", "amd-ryzen-7-5800x-4c"),
        ("Intel(R) Core(TM) i7-8565U CPU @ 1.80GHz", "intel-core-i7-8565u-4c"),
        ("", "unknown-4c"),
    ):
        fresh.setattr(environment, "processor", lambda processor=processor: processor)
        reported = renewed()
        assert reported.rpartition("-")[0] == name
        assert renewed() == reported


def test_two_machines_of_one_kind_have_two_names_unless_their_user_gives_one(fresh):
    names = []
    for own in (b"one", b"other"):
        fresh.setattr(environment, "_own_id", lambda own=own: own)
        names.append(renewed())
    assert names[0] != names[1]
    fresh.setenv(environment.NAME, "  Partition A/../etc ")
    assert renewed() == "partition-a-..-etc"  # a name of a file, in no other folder


def test_an_environment_is_written_once_without_host_and_user_and_shown_per_machine(
    tmp_path, fresh
):
    name = environment.record(tmp_path)
    (file,) = (tmp_path / "environment").iterdir()
    assert file.name == f"{name}.json"
    for private in (platform.node(), getpass.getuser()):
        assert len(private) < 5 or private.lower() not in file.read_text().lower()
    before = file.stat().st_mtime_ns
    environment.record(tmp_path)
    assert [file] == list((tmp_path / "environment").iterdir())
    assert file.stat().st_mtime_ns == before
    fresh.setattr(environment, "commit", lambda root: "another")
    forget()
    assert environment.record(tmp_path) != name
    (reported,) = environment.of_machines(tmp_path)
    assert reported["Machine"] == environment.machine()
    assert "another" in reported["Commit"].split(" or ")


def test_times_of_two_machines_are_never_added_and_one_may_be_unknown(tmp_path):
    fit = {"dataset": "d", "method": "m", "protocol": "cv", "repeat": 0, "predict_seconds": 1.0}

    def times(machine, *seconds):
        timed = ({"fold": k, "fit_seconds": s} for k, s in enumerate(seconds))
        return frame("fits", [fit | own | {"machine": machine} for own in timed])

    others = times("slow", 10.0, 30.0, 20.0).select(list(table_schema("times")))
    write_table(others, "times", tmp_path / "times.parquet")
    found = times_table(outcome.times_of_machines(times("fast", 1.0, 3.0, 2.5), tmp_path))
    assert found.select("machine", "fits", "fit_seconds", "median_fit_seconds").rows() == [
        ("fast", 3, 6.5, 2.5), ("slow", 3, 60.0, 20.0),
    ]  # fmt: skip
    (tmp_path / "times.parquet").unlink()
    assert [*outcome.times_of_machines(times(None, 1.0), tmp_path)["machine"]] == ["unknown"]
