"""The memory that a Parquet file needs, computed from its pages before it is read: its footer may lie.

100 kB can unpack to gigabytes, and Polars ends the process when it is out of memory. Footer and page headers are
structures in Thrift's compact protocol.
"""

from __future__ import annotations

import mmap
from typing import Any

from linclass_study.files.writing import Path_

DEEPEST = 100  # columns inside each other; deeper ones overflow the stack of Polars
WIDTHS = {0: 1, 1: 4, 2: 8, 3: 12, 4: 4, 5: 8, 6: 16}  # bytes in memory, by Parquet's physical type


def unpacked_and_file_size(path: Path_) -> tuple[int, int]:
    """(bytes in memory, bytes of the file)."""
    with open(path, "rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
        footer = _footer(content)
        chunks = (chunk[3] for group in footer[4] for chunk in group[1])
        return sum(_chunk_bytes(content, chunk) for chunk in chunks), len(content)


def require_shallow(path: Path_) -> None:
    """Refuse a Parquet file with columns nested so deeply that reading its schema would overflow the stack."""
    with open(path, "rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
        _footer(content)


def _footer(content: mmap.mmap) -> dict[int, Any]:
    if content[-4:] != b"PAR1":
        raise ValueError("it is not a Parquet file, or was cut short")
    begin = len(content) - 8 - int.from_bytes(content[-8:-4], "little")
    footer, _ = _thrift(content, max(0, begin))
    left: list[int] = []  # children to come of each column that is not closed
    for element in footer[2]:  # each with its number of children
        left.append(element.get(5, 0))
        if len(left) > DEEPEST:
            raise ValueError("its columns are nested too deeply")
        while left and left[-1] <= 0:
            left.pop()
            if left:
                left[-1] -= 1
    return footer


def _chunk_bytes(content: mmap.mmap, chunk: dict[int, Any]) -> int:
    """Bytes of a column chunk in memory: its unpacked pages, and its values."""
    if chunk[1] not in WIDTHS:
        raise ValueError("it has a column of fixed-length bytes, which linclass never writes")
    place = chunk.get(11) or chunk[9]  # of the dictionary, else of the first page
    end, unpacked, values = place + chunk[7], 0, 0
    if not 0 <= place <= end <= len(content):
        raise ValueError("it has a column outside the file")
    while place < end:
        page, place = _thrift(content, place)
        if page[2] < 0 or page[3] < 0:
            raise ValueError("it has a page of negative size")
        place += page[3]
        unpacked += page[2]
        values += sum(page[kind][1] for kind in (5, 7, 8) if kind in page)
    return unpacked + max(values, chunk[5]) * WIDTHS[chunk[1]]


def _thrift(content: mmap.mmap, place: int, depth: int = 0) -> tuple[dict[int, Any], int]:
    """(number of a field → value, place after it) of a structure; texts are skipped."""
    fields: dict[int, Any] = {}
    number = 0
    while head := content[place]:
        place += 1
        if head >> 4:
            number += head >> 4
        else:
            number, place = _integer(content, place)
        kind = head & 15
        if kind > 2:  # else a truth value, which is in the kind itself
            fields[number], place = _value(content, place, kind, depth)
    return fields, place + 1


def _value(content: mmap.mmap, place: int, kind: int, depth: int) -> tuple[Any, int]:
    if kind in (4, 5, 6):
        return _integer(content, place)
    if kind == 8:
        length, place = _natural(content, place)
        return None, place + length
    if kind == 12 and depth < 20:
        return _thrift(content, place, depth + 1)
    if kind == 9 and depth < 20:
        head, place = content[place], place + 1
        number, place = (head >> 4, place) if head >> 4 < 15 else _natural(content, place)
        values = []
        for _ in range(number):  # each takes a byte at least, so the end of the file ends it
            value, place = _value(content, place, head & 15, depth + 1)
            values.append(value)
        return values, place
    if kind in (1, 2, 3):
        return content[place], place + 1
    if kind == 7:
        return None, place + 8
    raise ValueError("its footer is not Parquet's")


def _natural(content: mmap.mmap, place: int) -> tuple[int, int]:
    value = shift = 0
    while (byte := content[place]) > 127:
        if shift > 63:
            raise ValueError("its footer is not Parquet's")
        value |= (byte & 127) << shift
        shift, place = shift + 7, place + 1
    return value | byte << shift, place + 1


def _integer(content: mmap.mmap, place: int) -> tuple[int, int]:
    byte = content[place]
    value, place = (byte, place + 1) if byte < 128 else _natural(content, place)
    return value >> 1 ^ -(value & 1), place
