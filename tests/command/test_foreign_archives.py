"""Untrusted archives: nothing is written outside the temporary folder, and each fault is one line."""

from __future__ import annotations

import io
import tarfile
import zipfile
from pathlib import Path

import pytest


def zipped(path: Path, folder: Path) -> zipfile.ZipFile:
    """The folder as an archive that is still open."""
    box = zipfile.ZipFile(path, "w")
    for file in folder.rglob("*"):
        box.write(file, Path("study") / file.relative_to(folder))
    return box


@pytest.mark.parametrize("form", ["zip", "tar", "tar.gz", "tar.xz"])
def test_an_archive_of_a_folder_is_read_like_the_folder(linclass, a, tmp_path, form):
    archive = tmp_path / f"study.{form}"
    if form == "zip":
        zipped(archive, a).close()
    else:
        with tarfile.open(archive, f"w:{form.partition('.')[2]}") as box:
            box.add(a, "study")
    output = linclass("verify", archive, a)
    assert output.code == 0, output


@pytest.mark.parametrize(
    "name", ["../outside", "study/../../outside", "/tmp/linclass-outside", "..\\outside", "c:/x"]
)
def test_a_member_name_outside_the_folder_is_refused(linclass, a, tmp_path, name):
    archive = tmp_path / "study.zip"
    with zipped(archive, a) as box:
        box.writestr(name, "x")
    output = linclass("verify", archive, a)
    assert output.code == 2
    assert "outside the archive's own folder" in output.errors[0]
    assert not Path("/tmp/linclass-outside").exists()


@pytest.mark.parametrize("kind", [tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.FIFOTYPE])
def test_a_link_or_a_device_is_refused(linclass, a, tmp_path, kind):
    archive = tmp_path / "study.tar"
    with tarfile.open(archive, "w") as box:
        box.add(a, "study")
        member = tarfile.TarInfo("study/scores.txt")
        member.type, member.linkname = kind, "/etc/hostname"
        box.addfile(member)
    output = linclass("verify", archive, a)
    assert output.code == 2
    assert "'study/scores.txt' is a link or a device" in output.errors[0]


def test_a_link_in_a_zip_is_refused(linclass, a, tmp_path):
    archive = tmp_path / "study.zip"
    member = zipfile.ZipInfo("study/link")
    member.external_attr = 0o120777 << 16
    with zipped(archive, a) as box:
        box.writestr(member, "/etc/hostname")
    assert "link" in linclass("verify", archive, a).errors[0]


def test_an_archive_that_expands_too_much_is_not_unpacked(linclass, a, tmp_path):
    archive = tmp_path / "study.zip"
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as box:
        box.writestr("study/runs/x", bytes(150_000_000))
    output = linclass("verify", archive, a)
    assert output.code == 2
    assert "more than 100 times its size" in output.errors[0]


def test_a_repeated_member_name_is_refused(linclass, a, tmp_path):
    archive = tmp_path / "study.tar"
    with tarfile.open(archive, "w") as box:
        box.add(a, "study")
        member = tarfile.TarInfo("study/scores.csv")
        member.size = 1
        box.addfile(member, io.BytesIO(b"x"))
    assert linclass("verify", archive, a).code == 2


@pytest.mark.parametrize("kept", [0.1, 0.6, 0.98])
def test_a_truncated_archive_is_reported_in_one_line(linclass, a, tmp_path, kept):
    for form in ("zip", "tar.gz"):
        archive = tmp_path / f"study.{form}"
        if form == "zip":
            zipped(archive, a).close()
        else:
            with tarfile.open(archive, "w:gz") as box:
                box.add(a, "study")
        content = archive.read_bytes()
        archive.write_bytes(content[: int(kept * len(content))])
        output = linclass("verify", archive, a)
        assert (output.code, len(output.errors)) == (2, 1), output
