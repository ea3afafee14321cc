"""Make the frozen files of tests/command/hostile: `python tests/command/make_hostile.py`. The tests read the files.

A file that runs code creates `code-ran` in the working folder. Bombs unpack to more than a gigabyte.
"""

import bz2
import io
import json
import lzma
import pickle
import tarfile
import zipfile
from pathlib import Path

import numpy as np
import polars as pl

from linclass_study.files.tables import frame

HERE = Path(__file__).parent / "hostile"
LONG_AGO = (1980, 1, 1, 0, 0, 0)


class Runs:
    """What its pickle does when it is read."""

    def __reduce__(self):
        return open, ("code-ran", "w")


def zipped(name, **members):
    """A .zip of results with these members."""
    with zipfile.ZipFile(HERE / name, "w", zipfile.ZIP_DEFLATED) as box:
        box.writestr(zipfile.ZipInfo("study/runs/d/m/fits.parquet", LONG_AGO), b"x")
        for member, content in members.items():
            box.writestr(zipfile.ZipInfo(member, LONG_AGO), content, zipfile.ZIP_DEFLATED)


def tarred(name, member, kind, target=""):
    with tarfile.open(HERE / name, "w") as box:
        box.addfile(tarfile.TarInfo("study/runs/d/m/fits.parquet"))
        info = tarfile.TarInfo(member)
        info.type, info.linkname = kind, target
        box.addfile(info)


def archives():
    zipped("parent.zip", **{"study/../../code-ran": b""})
    zipped("absolute.zip", **{"/tmp/linclass-code-ran": b""})
    zipped("backslash.zip", **{"..\\code-ran": b""})
    zipped("zeros.zip", **{"study/zeros.json": bytes(101_000_000)})
    tarred("parent.tar", "../code-ran", tarfile.REGTYPE)
    tarred("symbolic_link.tar", "study/study.json", tarfile.SYMTYPE, "/etc/passwd")
    tarred("hard_link.tar", "study/study.json", tarfile.LNKTYPE, "/etc/passwd")
    tarred("pipe.tar", "study/study.json", tarfile.FIFOTYPE)
    link = zipfile.ZipInfo("study/study.json", LONG_AGO)
    link.external_attr = 0o120777 << 16
    with zipfile.ZipFile(HERE / "symbolic_link.zip", "w") as box:
        box.writestr(link, "/etc/passwd")
    content = io.BytesIO()
    with tarfile.open(fileobj=content, mode="w") as box:
        zeros = tarfile.TarInfo("study/runs/zeros")
        zeros.size = 101_000_000
        box.addfile(zeros, io.BytesIO(bytes(zeros.size)))
    (HERE / "zeros.tar.bz2").write_bytes(bz2.compress(content.getvalue()))
    folder, header = tarfile.TarInfo("study/runs"), tarfile.TarInfo("study/runs")
    folder.type = tarfile.DIRTYPE
    header.type, header.size = tarfile.XHDTYPE, 101_000_000  # which tarfile would read whole
    for name, bomb in (
        ("folders.tar.xz", folder.tobuf() * 200_000),
        ("header.tar.xz", header.tobuf() + bytes(header.size)),
    ):
        (HERE / name).write_bytes(lzma.compress(bomb))


def arrays():
    with zipfile.ZipFile(HERE / "pickle.npz", "w") as box:
        header = io.BytesIO()
        np.lib.format.write_array_header_1_0(
            header, {"descr": "|O", "fortran_order": False, "shape": ()}
        )
        for name in ("x.npy", "labels.npy", "about.npy"):
            box.writestr(zipfile.ZipInfo(name, LONG_AGO), header.getvalue() + pickle.dumps(Runs()))
    (HERE / "raw_pickle.npz").write_bytes(pickle.dumps(Runs()))
    with zipfile.ZipFile(HERE / "zeros.npz", "w", zipfile.ZIP_BZIP2) as box:
        zeros = io.BytesIO()
        np.save(zeros, np.zeros(1_010_000_000, np.uint8))
        member = zipfile.ZipInfo("labels.npy", LONG_AGO)
        box.writestr(member, zeros.getvalue(), zipfile.ZIP_BZIP2)


def tables():
    list_ = pl.DataFrame({"score": [[1.0] * 130_000_000]})
    list_.write_parquet(HERE / "long_list.parquet")
    text = pl.DataFrame({"reason": ["x" * 1_010_000_000]})
    text.write_parquet(HERE / "long_text.parquet", statistics=False)
    many = pl.DataFrame({"row": np.zeros(260_000_000, np.int32)})
    many.write_parquet(HERE / "many_rows.parquet", row_group_size=260_000_000)
    content = bytearray((HERE / "long_list.parquet").read_bytes())
    begin = len(content) - 8 - int.from_bytes(content[-8:-4], "little")
    for number in (130_000_000, list_.estimated_size()):  # in its footer, not in its pages
        told = varint(2 * number)
        place = content.find(told, begin)
        if place > 0:
            content[place : place + len(told)] = padded(2, len(told))
    assert content != (HERE / "long_list.parquet").read_bytes()
    (HERE / "lying_footer.parquet").write_bytes(content)
    deep_schema()
    fits = frame("fits", [{"status": "failed"}])
    reason = pl.lit("x" * 10**6).cast(pl.Categorical)  # once in the file, as text in each row
    pl.concat([fits] * 20_000).with_columns(reason=reason).write_parquet(
        HERE / "categories.parquet", statistics=False
    )


def deep_schema():
    """A column inside a column, 5,000 times, in Thrift's compact protocol."""
    around = b"\x35\x02\x18\x01a\x15\x02\0"  # optional, called a, with one child
    footer = (
        b"\x15\x02\x19\xfc"  # version 1, a list of structures
        + varint(5002)
        + b"\x48\x01r\x15\x02\0"
        + around * 5000
        + b"\x15\x02\x25\x02\x18\x01z\0"
        + b"\x16\0\x19\x0c\0"  # no rows, no row groups
    )
    content = b"PAR1" + footer + len(footer).to_bytes(4, "little") + b"PAR1"
    (HERE / "deep.parquet").write_bytes(content)


def varint(value):
    found = bytearray()
    while value > 127:
        found.append(value & 127 | 128)
        value >>= 7
    return bytes([*found, value])


def padded(value, length):
    """The number as a varint of this length."""
    return bytes([value | 128, *[128] * (length - 2), 0])


def texts():
    (HERE / "nested.json").write_text("[" * 20_000 + "]" * 20_000)
    (HERE / "surrogate.json").write_text('{"status": "available", "digest": "\\ud800"}')
    (HERE / "list.json").write_text("[]")
    (HERE / "long_number.json").write_text('{"status": ' + "9" * 5000 + "}")
    (HERE / "not_text.json").write_bytes(b'{"status": "\xff\xfe"}')
    (HERE / "alias_bomb.yaml").write_text(
        "a0: &a0 [x, x]\n" + "".join(f"a{k}: &a{k} [*a{k - 1}, *a{k - 1}]\n" for k in range(1, 40))
    )
    (HERE / "merge_bomb.yaml").write_text(
        "a0: &a0 {x: 1}\n"
        + "".join(f"a{k}: &a{k} {{<<: [*a{k - 1}, *a{k - 1}]}}\n" for k in range(1, 40))
    )
    (HERE / "python_object.yaml").write_text(
        "datasets: !!python/object/apply:os.mkdir [code-ran]\n"
    )
    (HERE / "nested.yaml").write_text("datasets: " + "[" * 5000 + "]" * 5000 + "\n")


def data_files():
    (HERE / "huge_index.libsvm").write_text("1 1:0.5 99999999999999:1\n0 2:1\n")
    (HERE / "unclosed.csv").write_text('a,target\n1,"x\n2,y\n')
    (HERE / "no_end.arff").write_text("@relation r\n@attribute a {x,y\n@data\nx\n")


if __name__ == "__main__":
    HERE.mkdir(exist_ok=True)
    for make in (archives, arrays, tables, texts, data_files):
        make()
    print(json.dumps({file.name: file.stat().st_size for file in sorted(HERE.iterdir())}, indent=1))
