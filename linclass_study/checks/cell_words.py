"""Encode cells as 64-bit words, so that rows and columns can be compared quickly.

A number is encoded by its bits (−0 as 0, every NaN as one NaN); a level by a hash of its text, or as a number if all
levels of its column are numbers. 0 is the word 0, so the zeros of a sparse matrix need no work.
"""

from __future__ import annotations

import hashlib

import numpy as np

Words = np.ndarray  # of uint64

MISSING = np.float64(np.nan).view(np.uint64)


def of_numbers(values: np.ndarray) -> Words:
    """Words of numbers."""
    words = (np.asarray(values, np.float64) + 0.0).view(np.uint64)
    words[np.isnan(values)] = MISSING
    return words


def of_levels(codes: np.ndarray, levels: tuple[str, ...]) -> Words:
    """Words of a categorical or text column; `codes` are indices into `levels`."""
    of_level = np.append(_of_texts(levels), MISSING)
    return of_level[np.where(np.isnan(codes), len(levels), codes).astype(np.int64)]


def of_name(name: str) -> np.uint64:
    """Hash of a text."""
    digest = hashlib.blake2b(name.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return np.frombuffer(digest, np.uint64)[0]


def mixed(words: Words) -> Words:
    """Mix the bits of 64-bit words by a bijection, in place.

    The finalizer of splitmix64. Steele, Lea & Flood (2014), Fast splittable pseudorandom number generators
    """
    words ^= words >> np.uint64(30)
    words *= np.uint64(0xBF58476D1CE4E5B9)
    words ^= words >> np.uint64(27)
    words *= np.uint64(0x94D049BB133111EB)
    words ^= words >> np.uint64(31)
    return words


def _of_texts(levels: tuple[str, ...]) -> Words:
    try:
        numbers = np.array([float(level) for level in levels])
    except ValueError:
        numbers = np.array([np.nan])
    if np.isfinite(numbers).all() and len(np.unique(numbers)) == len(levels):
        return of_numbers(numbers)
    return np.array([of_name(level) for level in levels], np.uint64)
