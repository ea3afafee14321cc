"""Archives are read file by file: unsafe members are skipped and logged, and the unpacked size is limited."""

import bz2
import gzip
import io
import lzma
import stat
import tarfile
import warnings
import zipfile
from dataclasses import replace

import pytest
from cases import each

from linclass_study.data.formats import arff, libsvm
from linclass_study.errors import Unavailable
from linclass_study.files import unpack
from linclass_study.files.unpack import Text, at_most, members

GOOD = {"train/rain/1": b"wet", "train/sun/2": b"dry", "notes/a..b": b"two dots are a name"}
MEGABYTE = bytes(1_000_000)

ODD = {  # name in the archive: what the log says of it
    "../evil": "it lies outside the archive",
    "train/../../evil": "it lies outside the archive",
    "/etc/passwd": "it lies outside the archive",
    "C:\\evil": "it lies outside the archive",
    "c:evil": "it lies outside the archive",
    "train\\..\\evil": "it lies outside the archive",
    "a\nb": "its name is not text in UTF-8 on one line",
    "a\x1bb": "its name is not text in UTF-8 on one line",
    "train/rain/1": "a second file of this name",
}
KINDS = (tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.FIFOTYPE, tarfile.CHRTYPE, tarfile.BLKTYPE)
NOT_REGULAR = dict.fromkeys(KINDS, "not a regular file")


def tar(path, *entries, mode="w:gz"):
    """entries: (name, content, kind of member)"""
    with tarfile.open(path, mode) as box:
        for name, content, kind in entries:
            about = tarfile.TarInfo(name)
            about.type, about.linkname = kind, "train/rain/1"
            about.size = len(content)
            box.addfile(about, io.BytesIO(content))
    return path


def plain(contents):
    return [(name, content, tarfile.REGTYPE) for name, content in contents.items()]


def zipped(path, contents):
    """contents: name, or about a member, and its content"""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as box:
        for name, content in contents:
            box.writestr(name, content)
    return path


@pytest.mark.parametrize("mode", ["w", "w:gz", "w:bz2", "w:xz"])
def test_unusual_members_of_a_tar_file_are_skipped_and_named(tmp_path, capsys, mode):
    odd = [*plain(dict.fromkeys(ODD, b"evil")), ("caf\udce9", b"", tarfile.REGTYPE)]
    odd += [(f"kind {kind!r}", b"", kind) for kind in KINDS]
    (first, *rest) = plain(GOOD)
    path = tar(tmp_path / "a.tar", first, *odd, *rest, mode=mode)
    assert dict(members(path)) == GOOD
    output = capsys.readouterr().out.splitlines()
    assert len(output) == len(odd)
    for line, (name, _, kind) in zip(output, odd, strict=True):
        wrong = NOT_REGULAR.get(kind) or ODD.get(name, "its name is not text in UTF-8 on one line")
        assert line == f"left out of a.tar: {name!a} ({wrong})"


def test_unusual_members_of_a_zip_file_are_skipped_and_named(tmp_path, capsys):
    link = zipfile.ZipInfo("link")
    link.external_attr = (stat.S_IFLNK | 0o777) << 16
    first, *rest = GOOD.items()
    warnings.simplefilter("ignore")  # Python's, of the second file of one name
    odd = [(link, "/etc/passwd"), *((name, b"evil") for name in ODD)]
    path = zipped(tmp_path / "a", [first, *odd, *rest])
    path.write_bytes(path.read_bytes().replace(b"a\nb", b"a\0b"))
    assert dict(members(path)) == GOOD
    output = capsys.readouterr().out
    assert "left out of a: 'link' (not a regular file)" in output
    assert r"left out of a: 'a\x00b' (its name is not text in UTF-8 on one line)" in output
    assert output.count("left out of a: ") == 1 + len(ODD)
    content = bytearray(zipped(path, GOOD.items()).read_bytes())
    content[content.index(b"PK\x01\x02") + 8] |= 1  # the flag in the directory, of the first
    path.write_bytes(content)
    assert list(dict(members(path))) == list(GOOD)[1:]
    assert "(it is encrypted)" in capsys.readouterr().out


def test_many_unusual_members_are_counted_and_a_data_set_is_made_of_the_rest(
    tmp_path, obtain, capsys
):
    path = tar(tmp_path / "a", *plain({f"../{i}": b"" for i in range(1000)} | GOOD))
    assert dict(members(path)) == GOOD
    output = capsys.readouterr().out.splitlines()
    assert len(output) == 21
    assert output[-1] == "left out of a: 1000 members in all"
    texts = {f"train/{label}/{i}": label.encode() for label in ("rain", "sun") for i in range(3)}
    odd = [("train/sun/link", b"", tarfile.SYMTYPE), ("../x", b"", tarfile.REGTYPE)]
    tar(tmp_path / "tar", *odd, *plain(texts))
    zipped(tmp_path / "zip", {"../x": b"", **texts}.items())
    for file in ("tar", "zip"):
        found = obtain({"source": {"file": file}, "format": "text_folders", "texts": ["text"]})
        assert found.classes == ["rain", "sun"]
        assert len(found.y) == 6


PACKERS = {"gz": gzip.compress, "bz2": bz2.compress, "xz": lzma.compress}


@pytest.mark.parametrize("end", PACKERS)
def test_a_file_that_unpacks_without_end_is_refused_in_one_line(tmp_path, reason, hasty, end):
    (tmp_path / f"a.csv.{end}").write_bytes(PACKERS[end](MEGABYTE * 20))
    entry = {"source": {"file": f"a.csv.{end}"}, "format": "csv", "target": "y"}
    with at_most(5), pytest.raises(Unavailable, match="more than 5 MB"):
        list(Text(tmp_path / f"a.csv.{end}"))
    output = reason(entry, limits=replace(hasty, megabytes=10))
    wanted = f"a.csv.{end} unpacks to more than 10 MB; raise limits.download_mb"
    assert output.startswith(f"a.csv.{end}: {wanted}")


@each("kind", ["w:gz", "w:bz2", "w:xz", "zip"])
def test_members_of_an_archive_count_together(tmp_path, kind):
    path, contents = tmp_path / "a", {f"train/a/{i}": MEGABYTE for i in range(8)}
    zipped(path, contents.items()) if kind == "zip" else tar(path, *plain(contents), mode=kind)
    assert path.stat().st_size < 20_000
    read = []
    with at_most(5), pytest.raises(Unavailable, match=r"^a unpacks to more than 5 MB; raise"):
        read.extend(name for name, _ in members(path))
    assert 0 < len(read) < 6
    with at_most(9):
        assert len(dict(members(path))) == 8


def test_the_unpacked_size_is_limited_and_a_file_counts_once(tmp_path):
    """As CSV is, where Polars finds something odd."""
    zipped(tmp_path / "a", [("train/a/1", MEGABYTE * 30)])
    with at_most(2):
        with pytest.raises(Unavailable, match="more than 2 MB"):
            list(members(tmp_path / "a"))
        assert sum(unpack._quota.get().sizes.values()) < 3_000_000  # bytes that were unpacked
    for name in ("a", "b"):
        (tmp_path / name).write_bytes(gzip.compress(MEGABYTE * 3))
    with at_most(5):
        for _ in range(3):
            assert len("".join(Text(tmp_path / "a"))) == 3_000_000
        with pytest.raises(Unavailable, match="b unpacks to more than 5 MB"):
            list(Text(tmp_path / "b"))
    (tmp_path / "a.csv").write_bytes(b"1,2\n" * 1_000_000)
    with at_most(1):
        assert sum(1 for _ in Text(tmp_path / "a.csv")) == 1_000_000


BLANKS, ARFF = " " * 500_000, "@attribute x real\n@data\n"
SLOW = {  # lines that would take many minutes in time quadratic in their length
    "ARFF, blanks before a quote": (arff, f"{ARFF}1,{BLANKS}'\n"),
    "ARFF, blanks after a quote": (arff, f"{ARFF}'1'{BLANKS}x\n"),
    "ARFF, escapes": (arff, ARFF + "'" + "\\'" * 500_000 + "\n"),
    "ARFF, open quotes": (arff, ARFF + "'a',' " * 500_000 + "\n"),
    "ARFF, a name of blanks": (arff, f"@attribute{BLANKS}{{\n@data\n"),
    "ARFF, values": (arff, f"@attribute x {{{BLANKS}'}}\n@data\n"),
    "LIBSVM, digits": (libsvm, "1 1:" + "1" * 500_000 + "x\n"),
    "LIBSVM, blanks": (libsvm, f"1{BLANKS}:\n"),
    "LIBSVM, pairs": (libsvm, "1 " + "1:1 " * 500_000 + "x\n"),
}


@each("case", SLOW)
def test_a_line_is_read_in_time_linear_in_its_length(case, tmp_path):
    reader, content = SLOW[case]
    (tmp_path / "a").write_text(content)
    with pytest.raises(Unavailable, match=r"line \d"):
        reader.read(tmp_path / "a", {})
