"""Bags of words in the form of Jason Rennie's 20 Newsgroups for Matlab: counts of numbered words.

An archive or a folder contains, for `train` and optionally for `test`,

    train.data    lines `document word count`, both numbered from 1
    train.label   the class number of document 1, 2, …
    train.map     lines `class-name class-number`
    vocabulary.txt   word 1, 2, …; without it, the source needs a `vocabulary:`
"""

from __future__ import annotations

import io
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from linclass_study.data.content import Counts, from_triplets
from linclass_study.errors import Unavailable
from linclass_study.files.unpack import Text, members

PARTS = ("train", "test")


def read(path: Path, options: Mapping[str, Any]) -> Counts:
    files = {Path(name).name: content for name, content in members(path)}
    parts = [part for part in PARTS if f"{part}.data" in files]
    if "train" not in parts:
        raise Unavailable("train.data is missing")
    if "vocabulary.txt" in files:
        words = files["vocabulary.txt"].decode("utf-8", "replace").split()
    elif "vocabulary" in options:
        words = "".join(Text(options["vocabulary"]())).split()
    else:
        raise Unavailable("vocabulary.txt is missing; give the source a `vocabulary:`")
    triplets: list[pl.DataFrame] = []
    labels: list[str] = []
    split: list[int] = []
    for part in parts:
        labels_of_part = _labels(files, part)
        entries = _integers(files, f"{part}.data", ["document", "word", "count"])
        for column, limit in (("document", len(labels_of_part)), ("word", len(words))):
            wrong = entries.filter(~pl.col(column).is_between(1, limit))[column]
            if len(wrong):
                what = f"{part}.data names {column} {wrong[0]}, there are {limit} of them"
                raise Unavailable(what)
        triplets.append(entries.with_columns(pl.col("document") + len(labels)))
        labels += labels_of_part
        split += [PARTS.index(part)] * len(labels_of_part)
    document, word, count = (column.to_numpy() for column in pl.concat(triplets))
    X = from_triplets(document - 1, word - 1, count.astype(float), (len(labels), len(words)))
    return Counts(X, words, labels, np.array(split, np.int8), are_words=True)


def _labels(files: dict[str, bytes], part: str) -> list[str]:
    """Class name of each document of a part."""
    names = {}
    for line in files.get(f"{part}.map", b"").decode("utf-8", "replace").splitlines():
        name, _, number = line.rpartition(" ")
        names[number] = name.strip()
    numbers = _integers(files, f"{part}.label", ["class"])["class"].cast(pl.String).to_list()
    unknown = next((number for number in numbers if number not in names), None)
    if unknown is not None:
        raise Unavailable(f"{part}.label has class {unknown}, which {part}.map does not name")
    return [names[number] for number in numbers]


def _integers(files: dict[str, bytes], name: str, columns: list[str]) -> pl.DataFrame:
    if not files.get(name, b"").strip():
        raise Unavailable(f"there is no {name} in it, or it is empty")
    schema = dict.fromkeys(columns, pl.Int32)
    try:
        table = pl.read_csv(io.BytesIO(files[name]), has_header=False, separator=" ", schema=schema)
    except pl.exceptions.PolarsError:
        table = None
    if table is None or table.null_count().sum_horizontal()[0]:
        for number, line in enumerate(files[name].decode("utf-8", "replace").splitlines(), 1):
            cells = line.split(" ")
            if len(cells) != len(columns) or not all(cell.lstrip("-").isdigit() for cell in cells):
                wanted = " ".join(columns)
                raise Unavailable(f"{name}, line {number}: '{line[:40]}' is not {wanted}")
        raise Unavailable(f"{name} holds numbers beyond 32 bits")
    return table
