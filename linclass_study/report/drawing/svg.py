"""Figures as SVG, PNG or PDF, reproducibly (equal figures have equal bytes), and an SVG inside a page.

A page contains many drawings, so matplotlib's SVG is written again in half its bytes: without what is invisible, with
the styles of neighbours in one place, and with relative coordinates in tenths of a point.
"""

from __future__ import annotations

import base64
import html
import io
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby, pairwise
from typing import TYPE_CHECKING
from xml.etree import ElementTree

import numpy as np

from linclass_study.errors import StudyError
from linclass_study.report.drawing import style

if TYPE_CHECKING:
    from matplotlib.figure import Figure


METADATA = {  # omitted: they differ from run to run, or from version to version
    "svg": ("Date", "Creator", "Format", "Type"),
    "png": ("Software",),
    "pdf": ("CreationDate", "Creator", "Producer"),
}


def rendered(figure: Figure, form: str) -> bytes:
    """Bytes of the figure as `svg`, `png` or `pdf`; an SVG is transparent, as a page may be light or dark."""
    file = io.BytesIO()
    omitted = dict.fromkeys(METADATA[form])
    figure.savefig(file, format=form, metadata=omitted, transparent=form == "svg")
    if form != "svg":
        return file.getvalue()
    return _compact(file.getvalue(), _columns(figure)).encode()


def _columns(figure: Figure) -> str:
    """Lines at which a narrow page cuts the figure to place its columns of panels below each other, in points from the
    top left: the width of what is left of all columns and repeated beside each, the upper and lower ends of the panels,
    the ends of what is above and of what is below them, the limits of the columns. Empty for one column."""
    points, height = 72 / figure.dpi, figure.bbox.height
    shown = [(axes, box) for axes in figure.axes if axes.axison and (box := axes.get_tightbbox())]
    boxes = [box for _, box in shown]
    columns: list[list[float]] = []
    for left, right in sorted((box.x0, box.x1) for box in boxes):
        if columns and left < columns[-1][1]:
            columns[-1][1] = max(columns[-1][1], right)
        else:
            columns.append([left, right])
    if len(columns) < 2:
        return ""
    lefts = [left for left, _ in columns]
    inner = [min(axes.bbox.x0 for axes, box in shown if box.x0 >= left) for left in lefts]
    beside = [x - left for x, left in zip(inner, lefts, strict=True)][1:]
    shared = max(beside) < BESIDE / points
    top, bottom = max(box.y1 for box in boxes), min(box.y0 for box in boxes)
    others = [(one.get_window_extent(), [one]) for one in figure.texts]
    others += [(one.get_window_extent(), one.get_texts()) for one in figure.legends]
    above = [
        box.x1 + WIDER * max(text.get_window_extent().width for text in texts)
        for box, texts in others
        if box.y0 >= top - 1
    ]
    below = [end for box, _ in others if box.y1 <= bottom + 1 for end in (box.x0, box.x1)] or [0, 0]
    cuts = [(a[1] + b[0]) / 2 for a, b in pairwise(columns)]
    start = inner[0] - 2 / points if shared else 0.0
    ends = [start, height - top, height - bottom, max(above, default=0), min(below), max(below)]
    places = [*ends, start, *cuts, figure.bbox.width]
    return " ".join(_number(place * points, 1) for place in places)


ROOT = (
    '<svg style="stroke-linejoin:round{font}" xmlns="http://www.w3.org/2000/svg" '
    'xmlns:xlink="http://www.w3.org/1999/xlink" width="{width}" height="{height}" viewBox="{viewBox}"{columns}>'
)
LINK = "{http://www.w3.org/1999/xlink}href"
FONT = re.compile(";(font-family:[^;]*)")
TOLERANCE = 0.1  # points between a polyline and its simplification: invisible
WIDER = 0.4  # by which letters of a page may be wider than Matplotlib's, as a share
BESIDE = 6.0  # points between panels and the left end of their columns, if only the first column has labels
AXIS_ORDER = {"path": 0, "use": 1}  # grid, ticks, and then their labels, as they do not overlap


@dataclass(frozen=True)
class _Shape:
    """A leaf of the drawing; `own` are its attributes other than the clip path and the style."""

    tag: str
    clip: str
    style: str
    own: Mapping[str, str] = field(default_factory=dict)
    inner: str = ""


def _compact(svg: bytes, columns: str) -> str:
    root = ElementTree.fromstring(svg)
    defined = {part.get("id", ""): part for part in root.iterfind(".//{*}defs/*[@id]")}
    ids: dict[str, str] = {}
    marks: dict[tuple[str, str], str] = {}
    visible = (shape for shape in _shapes(root, ids) if shape.style != "fill:none")
    shapes = [_placed(shape, defined, marks) for shape in visible]
    fonts = [found[0] for shape in shapes if (found := FONT.search(shape.style))]
    font = fonts[0] if fonts else ""
    shapes = [replace(shape, style=shape.style.replace(font, "")) for shape in shapes]
    body = _groups(_joined(_without_copies(shapes)))
    parts = [_written("path", {"id": i, "d": d, "style": look}) for (d, look), i in marks.items()]
    for name, short in ids.items():
        part = defined[name]
        parts.append(_written(_tag(part), {**part.attrib, "id": short}, _inner(part)))
    cuts = f' data-columns="{columns}"' if columns else ""
    root_tag = ROOT.format(font=font, columns=cuts, **root.attrib)
    return "\n".join([root_tag, "<defs>", *parts, "</defs>", *body, "</svg>\n"])


def _shapes(parent: ElementTree.Element, ids: dict[str, str], clip: str = "") -> Iterator[_Shape]:
    """The leaves in the order in which they are painted; `ids` gets the new ids of what they refer to."""

    def short(name: re.Match[str]) -> str:
        return f"url(#{ids.setdefault(name[1], f'p{len(ids)}')})"

    for part in parent:
        tag = _tag(part)
        own = {name: value for name, value in part.items() if name not in ("id", "style")}
        look = re.sub(r"url\(#([^)]+)\)", short, _plain_style(part))
        inside = re.sub(r"url\(#([^)]+)\)", short, own.pop("clip-path", "")) or clip
        if tag == "g" and not (own or look):
            leaves = list(_shapes(part, ids, inside))
            if part.get("id", "").startswith("matplotlib.axis"):
                leaves.sort(key=lambda leaf: AXIS_ORDER.get(leaf.tag, 2))
            yield from leaves
        elif tag not in ("defs", "metadata") and own.get("d") != "":
            for glyph in part.iterfind(".//{*}use"):
                ids[glyph.get(LINK, "")[1:]] = glyph.get(LINK, "")[1:]
            yield _Shape(tag, inside, look, own, _inner(part))


def _tag(part: ElementTree.Element) -> str:
    return part.tag.rpartition("}")[2]


def _plain_style(part: ElementTree.Element) -> str:
    return re.sub(r"([;:]) ", r"\1", part.get("style", "")).replace(";stroke-dashoffset:0", "")


def _inner(part: ElementTree.Element) -> str:
    """Text and parts of an element, such as a formula."""
    parts = (_written(_tag(p), p.attrib, _inner(p)) + (p.tail or "").strip() for p in part)
    text = "" if len(part) else part.text or ""
    return html.escape(text, quote=False) + "".join(parts)


def _placed(
    shape: _Shape, defined: Mapping[str, ElementTree.Element], marks: dict[tuple[str, str], str]
) -> _Shape:
    """A marker, which `marks` then has without the style of its place; a tick as a path, which can be joined."""
    if shape.tag != "use":
        return shape
    mark = defined[shape.own[LINK][1:]]
    path, look = mark.attrib["d"], _plain_style(mark)
    commands = _commands(path)
    if [letter for letter, _ in commands] == ["M", "L"]:
        corner = complex(float(shape.own["x"]), float(shape.own["y"]))
        ends = [corner + point for _, (point,) in commands]
        line = "M {0.real} {0.imag} L {1.real} {1.imag}".format(*ends)
        return _Shape("path", shape.clip, f"fill:none;{look}", {"d": line})
    here = shape.style.split(";")
    rest = ";".join(part for part in look.split(";") if part not in here)
    name = marks.setdefault((_path(path, 2, 0), rest), f"m{len(marks)}")
    return replace(shape, own={**shape.own, LINK: f"#{name}"})


def _without_copies(shapes: Sequence[_Shape]) -> Iterator[_Shape]:
    """Refer to an image that was painted before elsewhere."""
    parts = (LINK, "width", "height", "transform")
    looks = [tuple(shape.own.get(name) for name in parts) for shape in shapes]
    times = Counter(looks)
    first: dict[tuple[str | None, ...], Mapping[str, str]] = {}
    for look, shape in zip(looks, shapes, strict=True):
        own = shape.own
        if shape.tag != "image" or "x" not in own or times[look] == 1:
            yield shape
        elif look not in first:
            first[look] = {**own, "id": f"i{len(first)}"}
            yield replace(shape, own=first[look])
        else:
            right, down = (float(own[k]) - float(first[look][k]) for k in "xy")
            link = {LINK: f"#{first[look]['id']}", "x": str(right), "y": str(-down)}
            yield replace(shape, tag="use", own=link)


def _joined(shapes: Iterable[_Shape]) -> Iterator[_Shape]:
    """Neighbouring opaque lines of one style as one path."""
    for (tag, clip, look), run in groupby(shapes, lambda s: (s.tag, s.clip, s.style)):
        if tag == "path" and "fill:none" in look and "opacity" not in look:
            yield _Shape(tag, clip, look, {"d": " ".join(shape.own["d"] for shape in run)})
        else:
            yield from run


def _groups(shapes: Iterable[_Shape]) -> Iterator[str]:
    """Shapes as text, with the clip paths and the styles of neighbours in groups around them."""
    for clip, clipped in groupby(shapes, lambda shape: shape.clip):
        parts = [
            _wrapped({"style": look}, [(s.tag, s.own, s.inner) for s in run])
            for look, run in groupby(clipped, lambda shape: shape.style)
        ]
        for part in [_wrapped({"clip-path": clip}, parts)] if clip else parts:
            yield _written(*part)


_Part = tuple[str, Mapping[str, str], str]  # tag, attributes, inner text


def _wrapped(shared: Mapping[str, str], parts: list[_Part]) -> _Part:
    """Parts with shared attributes: the only part has them itself, unless it is moved, and a clip path is not."""
    tag, own, inner = parts[0]
    if len(parts) == 1 and ("clip-path" not in shared or tag in ("g", "path")):
        return tag, {**own, **shared}, inner
    return "g", shared, "\n" + "\n".join(_written(*part) for part in parts) + "\n"


def _written(tag: str, attributes: Mapping[str, str], inner: str = "") -> str:
    texts = []
    for name, value in attributes.items():
        if name == "d" and value.startswith("M"):
            value = _path(value, 1, TOLERANCE)
        elif name == LINK:
            name, value = "xlink:href", value if value[0] == "#" else _fewer_colours(value)
        elif name in ("x", "y") and tag in ("text", "use"):
            value = _number(float(value), 1)
        elif name != "id":  # factors multiply hundreds of pixels
            value = _rounded(value, 5 if re.search("matrix|scale", value) else 2)
        if value:
            texts.append(f' {name}="{html.escape(value)}"')
    return f"<{tag}{''.join(texts)}" + (f">{inner}</{tag}>" if inner else "/>")


def _rounded(text: str, digits: int) -> str:
    return re.sub(r"-?\d+\.\d+", lambda found: _number(float(found[0]), digits), text)


def _number(value: float, digits: int) -> str:
    """A number in its shortest form: 0.50 is .5"""
    text = re.sub(r"\.?0+$", "", f"{value:.{digits}f}")
    return "0" if text == "-0" else re.sub(r"^(-?)0\.", r"\1.", text)


def _path(path: str, digits: int, tolerance: float) -> str:
    """The path in relative coordinates of so many digits."""
    words: list[str] = []
    here = start = 0j
    implied = ""  # the letter that may be omitted
    for letter, points in _simplified(_commands(path), tolerance):
        ends = np.round(points * 10**digits)
        steps = ends - here  # not rounded themselves, as their errors would add up
        here = ends[-1] if len(ends) else start
        numbers = np.column_stack([steps.real, steps.imag]).ravel()
        if letter == "M":
            start = here
        elif letter == "L" and not numbers.all():
            if not numbers.any() and here != start:
                continue
            letter, numbers = ("H", numbers[:1]) if numbers[0] else ("V", numbers[1:])
        if letter != implied:
            words.append(letter.lower())
        implied = {"M": "L", "z": ""}.get(letter, letter)
        words += [_number(number / 10**digits, digits) for number in numbers]
    return re.sub(r" (?=[a-z-])|(?<=[a-z]) |(?<=\.\d) (?=\.)", "", " ".join(words))


def _commands(path: str) -> list[tuple[str, np.ndarray]]:
    """(letter, its points as complex numbers) of a path of matplotlib, whose coordinates are absolute."""
    parts = re.findall(r"([MLCQz])([^MLCQz]*)", path)
    numbers = ((letter, np.array(text.split(), float)) for letter, text in parts)
    return [(letter, xy[::2] + 1j * xy[1::2]) for letter, xy in numbers]


def _simplified(
    commands: list[tuple[str, np.ndarray]], tolerance: float
) -> Iterator[tuple[str, np.ndarray]]:
    """Commands with fewer points in each run of straight lines."""
    here = np.zeros(1, complex)
    for straight, run in groupby(commands, lambda command: command[0] == "L"):
        parts = list(run)
        if straight and tolerance:
            points = np.concatenate([here, *[point for _, point in parts]])
            parts = [("L", points[i : i + 1]) for i in corners(points, tolerance)[1:]]
        yield from parts
        here = parts[-1][1][-1:] if parts[-1][0] != "z" else here


def corners(points: np.ndarray, tolerance: float) -> list[int]:
    """The points that a polyline needs to be that near to all of them.   Douglas & Peucker (1973)"""
    needed, waiting = {0, len(points) - 1}, [(0, len(points) - 1)]
    while waiting:
        i, j = waiting.pop()
        chord, to = points[j] - points[i], points[i + 1 : j] - points[i]
        if not len(to):
            continue
        share = np.clip((to / chord).real, 0, 1) if chord else 0
        off = np.abs(to - share * chord)
        if off.max() > tolerance:
            k = i + 1 + int(off.argmax())
            needed.add(k)
            waiting += [(i, k), (k, j)]
    return sorted(needed)


def _fewer_colours(link: str) -> str:
    from PIL import Image

    start, _, png = link.partition(",")
    image = Image.open(io.BytesIO(base64.b64decode(png)))
    small = image.quantize(64, method=Image.Quantize.FASTOCTREE)
    small = small.remap_palette(np.unique(np.asarray(small)).tolist())
    file = io.BytesIO()
    small.save(file, "png", optimize=True)
    return f"{start},{base64.b64encode(file.getvalue()).decode()}"


#: Colours that are invisible on a dark page → variable of the page's CSS.
THEME = {
    style.INK: "var(--ink)",
    style.MUTED: "var(--muted)",
    style.GRID: "var(--rule)",
    style.COLOURS[6]: "var(--wine)",
    "#ffffff": "var(--paper)",
}


#: What our drawings consist of; the file may come from somebody else's results.
ALLOWED_TAG = re.compile(
    r"</?(?:svg|g|path|use|defs|clipPath|rect|text|tspan|image|pattern)"
    r'(?:\s+(?!(?i:on|src))[\w:-]++="[^"<>\\]*+")*+\s*+/?>'
)
# in its text without HTML's entities
ACTIVE_CONTENT = re.compile(r'href="(?!#|data:image/png;)|url\((?!#)|position:|image-set', re.I)


def inline(svg: str, name: str, title: str) -> str:
    """The <svg> element of exhibit `name`, ready for HTML; a drawing with anything active or external is refused."""
    for tag in re.findall("<[^>]*>?", svg):
        if not ALLOWED_TAG.fullmatch(tag) or ACTIVE_CONTENT.search(html.unescape(tag)):
            file = f"exhibits/{name}/figure.svg"
            raise StudyError(f"{file} has {tag[:60]}, which linclass never draws; delete it")
    prefix = re.sub(r"[^A-Za-z0-9-]", lambda odd: f"_{ord(odd[0]):x}_", name)
    svg = re.sub(r"<[^>]+>", lambda tag: _adapted(tag[0], prefix), svg)
    svg = re.sub(r'\s(?:width|height)="[\d.]+pt"', "", svg, count=2)
    svg = re.sub(r'\s(?:xmlns(?::xlink)?|version)="[^"]*"', "", svg, count=3)
    label = html.escape(title, quote=True)
    box = re.search(r'viewBox="0 0 ([\d.]+)', svg)
    if box:  # beside the drawing's own style, if it has one
        points, look = f'<svg style="--points: {float(box[1]):.0f}', r'<svg(?: style="(.*?)")?'
        svg = re.sub(look, lambda own: f'{points}; {own[1] or ""}"', svg, count=1)
    return svg.replace("<svg ", f'<svg role="img" aria-label="{label}" ', 1).strip()


def _adapted(tag: str, prefix: str) -> str:
    """Adapt a tag; texts between tags are not changed (a class may be called #ffffff)."""
    tag = re.sub(r'(\bid="|href="#|url\(#)', rf"\1{prefix}.", tag).replace("xlink:href", "href")
    for colour, variable in THEME.items():
        tag = tag.replace(colour, variable)
    return tag
