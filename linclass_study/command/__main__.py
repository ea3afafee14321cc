"""linclass check | verify | merge | publish: arguments and exit codes.

exit code 0    the study has no errors; the results agree; the folder or archive was written
exit code 1    the results differ or contradict each other
exit code 2    an input is invalid or unreadable; one line says which, of a study a line for each error
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from contextlib import ExitStack
from importlib.metadata import version
from pathlib import Path

from linclass_study.command.open_results import open_results
from linclass_study.refusal import Refused, nearest_name

ROUNDING = 1e-9  # as in agreement.py, which is slow to import
COMMANDS = ("check", "verify", "merge", "publish")
ANONYMOUS = "anonymous"
PLACE = "a results folder, or an archive that `linclass publish` made"


def main(arguments: Sequence[str] | None = None) -> int:
    arguments = sys.argv[1:] if arguments is None else arguments
    parser = _parser()
    if arguments and not arguments[0].startswith("-") and arguments[0] not in COMMANDS:
        parser.error(f"'{arguments[0]}' is no command; {nearest_name(arguments[0], COMMANDS)}")
    options = parser.parse_args(arguments)
    try:
        return options.command(options)
    except Refused as refused:
        print(f"linclass {options.name}: {refused}", file=sys.stderr)
        return 2
    except BrokenPipeError:  # the reader of our output, such as `head`, has ended
        sys.stderr.close()
        return 2
    except OSError as error:  # a folder below a file, or that may not be written; a full disk
        where = error.filename2 or error.filename or "a file"
        print(f"linclass {options.name}: {where}: {error.strerror or error}", file=sys.stderr)
        return 2


def check_command(options: argparse.Namespace) -> int:
    """Run `linclass check` and return its exit code."""
    from linclass_study.command.check import checked_study, plan_lines

    files = [Path(file).expanduser() for file in options.files]
    try:
        study = checked_study(files)
    except Refused as refused:  # each line begins with its file
        print(refused, file=sys.stderr)
        return 2
    for line in plan_lines(study, files):
        print(line)
    return 0


def verify_command(options: argparse.Namespace) -> int:
    """Run `linclass verify` and return its exit code."""
    from linclass_study.command.verify import verify, verify_lines

    with ExitStack() as stack:
        a, b = (stack.enter_context(open_results(given)) for given in (options.a, options.b))
        found = verify(a, b, options.tolerance)
        for line in verify_lines(found, a, b, options.all):
            print(line)
    return 0 if found.agree else 1


def merge_command(options: argparse.Namespace) -> int:
    """Run `linclass merge` and return its exit code."""
    from linclass_study.command.conflicts import Conflict
    from linclass_study.command.merge import merge, merge_lines

    into = Path(options.into).expanduser()
    with ExitStack() as stack:
        sources = [stack.enter_context(open_results(given)) for given in options.results]
        try:
            merged = merge(sources, into, options.tolerance)
        except Conflict as conflict:
            print(
                f"linclass merge: nothing is written: the results contradict each other\n{conflict}"
            )
            return 1
        for line in merge_lines(sources, merged, options.into):
            print(line)
    return 0


def publish_command(options: argparse.Namespace) -> int:
    """Run `linclass publish` and return its exit code."""
    from linclass_study.command import publish as command
    from linclass_study.command.archive_parts import written_on
    from linclass_study.command.citation import Author, Citation

    if Path(options.results).expanduser().is_file():
        raise Refused(f"{options.results} is an archive already; give a results folder")
    with open_results(options.results) as results:
        citation = Citation(
            title=options.title or f"Results of a linclass study: {results.folder.resolve().name}",
            authors=[Author.of(text) for text in options.author or [ANONYMOUS]],
            date=written_on(results).date().isoformat(),
            license=options.license,
        )
        into = Path(options.into).expanduser() if options.into else None
        archive = command.publish(results, citation, into, options.crate, options.partial)
    print(f"published: {archive} ({archive.stat().st_size / 1e6:.1f} MB)")
    if not options.author:
        print("nobody is named in CITATION.cff: name the authors with --author 'Family, Given'")
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="linclass",
        description="Check linclass studies; compare, merge and publish their results.",
    )
    parser.add_argument("--version", action="version", version=f"linclass {version('linclass')}")
    commands = parser.add_subparsers(dest="name", required=True, metavar=" | ".join(COMMANDS))
    _add_check(commands)
    _add_verify(commands)
    _add_merge(commands)
    _add_publish(commands)
    return parser


def _add_check(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser(
        "check",
        help="can this study run?",
        description="Read a study as `snakemake --configfile` does, without running anything. Print what it will "
        "compute, or each error in one line with file, line and remedy. The exit code is 0 without errors, else 2.",
    )
    parser.add_argument(
        "files",
        nargs="*",
        metavar="STUDY.yaml",
        help="as after --configfile: later files win; without one, the default study",
    )
    parser.set_defaults(command=check_command)


def _add_verify(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser(
        "verify",
        help="do two results agree?",
        description="Compare the predictions, fits, data sets and folds of two results. The exit code is 0 "
        "if they agree, 1 if they differ, 2 if one cannot be read.",
    )
    parser.add_argument("a", metavar="A", help=PLACE)
    parser.add_argument("b", metavar="B", help=PLACE)
    parser.add_argument(
        "--tolerance",
        type=_tolerance,
        default=0.0,
        metavar="T",
        help="numbers a and b may differ by T · max(1, |a|, |b|); predicted classes may not "
        "(default 0: identical). Processors round differently: 1e-9 allows for that",
    )
    parser.add_argument("--all", action="store_true", help="show every run that differs")
    parser.set_defaults(command=verify_command)


def _add_merge(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser(
        "merge",
        help="make one results folder of several",
        description="Make one results folder of several, with its tables, figures and report. Runs "
        "that several contain are kept once. Results that contradict each other are reported, with exit code 1, and "
        "nothing is written.",
    )
    parser.add_argument("results", nargs="+", metavar="A B …", help=PLACE)
    parser.add_argument("--into", required=True, metavar="C", help="the folder to make")
    parser.add_argument(
        "--tolerance",
        type=_tolerance,
        default=ROUNDING,
        metavar="T",
        help="numbers a and b of one prediction may differ by T · max(1, |a|, |b|); predicted classes "
        f"may not (default {ROUNDING}: rounding of another processor)",
    )
    parser.set_defaults(command=merge_command)


def _add_publish(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser(
        "publish",
        help="make one archive of a results folder",
        description="Make one .zip of a results folder: configuration, environments, digests of the data, folds, "
        "predictions, fits, scores, tables, figures, report, CITATION.cff and README; not the rows of the data "
        "sets. The same results give the same bytes, and `linclass verify` and `linclass merge` read it.",
    )
    parser.add_argument("results", metavar="DIR", help="a results folder")
    parser.add_argument(
        "--into", metavar="FILE", help="the archive to make (default: DIR-DIGEST.zip)"
    )
    parser.add_argument("--title", default="", help="what the study is called")
    parser.add_argument(
        "--author",
        action="append",
        metavar="'FAMILY, GIVEN[, ORCID]'",
        help="who made it; may be given several times",
    )
    parser.add_argument(
        "--license",
        default="",
        metavar="SPDX",
        help="the licence of the results, such as CC-BY-4.0",
    )
    parser.add_argument(
        "--crate",
        action="store_true",
        help="make it a Workflow Run RO-Crate, too, with ro-crate-metadata.json and the workflow",
    )
    parser.add_argument(
        "--partial", action="store_true", help="publish a study that is not finished"
    )
    parser.set_defaults(command=publish_command)


def _tolerance(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value < 1:
        raise argparse.ArgumentTypeError(f"{text} is not a number from 0 up to 1")
    return value


if __name__ == "__main__":
    sys.exit(main())
