r"""Strip posts: texts of newsgroups or mails without headers, footers and quotes, which reveal the group.

    headers   everything before the first blank line; a post without a blank line has no body
    footers   everything from the last blank line, or line of hyphens, on, where signatures stand
    quotes    lines that quote (they begin with | or >) or announce a quotation ("… writes:", "In article …")

They are removed in this order, so that a header is not taken for a body with quotes. Line ends \r\n and
\r become \n first. Headers contain the author's address and organization, from which a classifier learns
who posts where instead of the subject. Results on 20 Newsgroups are usually compared under these rules.
                                                      Lang (1995), NewsWeeder; Pedregosa et al. (2011)
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import replace

from linclass.base.parameters import is_list
from linclass.base.tables import Table
from linclass.preprocessing.features._texts import refuse_no_texts

QUOTE = re.compile(r"writes in|writes:|wrote:|says:|said:|^In article|^Quoted from|^[|>]")


def with_plain_ends(post: str) -> str:
    return post.replace("\r\n", "\n").replace("\r", "\n")


def without_headers(post: str) -> str:
    return post.partition("\n\n")[2]


def without_footer(post: str) -> str:
    lines = post.strip().split("\n")
    breaks = [number for number, line in enumerate(lines) if not line.strip().strip("-")]
    return "\n".join(lines[: breaks[-1]]) if breaks and breaks[-1] > 0 else post


def without_quotes(post: str) -> str:
    return "\n".join(line for line in post.split("\n") if not QUOTE.search(line))


PARTS: dict[str, Callable[[str], str]] = {
    "headers": without_headers,
    "footers": without_footer,
    "quotes": without_quotes,
}


def apply(table: Table, parts: Sequence[str] = tuple(PARTS)) -> Table:
    """Remove parts of posts from columns of texts.

    Parameters
    ----------
    table : Table
        Rows and the names of their columns.
    parts : sequence of str, default=('headers', 'footers', 'quotes')
        The parts to remove, out of 'headers', 'footers' and 'quotes'.

    Returns
    -------
    Table
        The same columns, with shorter texts.
    """
    wrong = [part for part in parts if part not in [*PARTS]] if is_list(parts) else [parts]
    if wrong:
        raise ValueError(
            f"strip_posts: parts has {wrong[0]!r}; give a list out of {', '.join(PARTS)}."
        )
    refuse_no_texts(table, "strip_posts")
    levels = dict(table.levels)
    for name in table.texts:
        levels[name] = tuple(map(with_plain_ends, levels[name]))
        for part in PARTS:
            if part in parts:
                levels[name] = tuple(map(PARTS[part], levels[name]))
    return replace(table, levels=levels)
