"""linclass init | run | check | status | report | figures | verify | merge | publish | clean.

exit code 0    the study has no errors; the results agree; the folder or archive was written
exit code 1    the results differ or contradict each other
exit code 2    an input is invalid or unreadable; one line says which, of a study a line for each error
"""

from __future__ import annotations

import argparse
import sys
import traceback
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

from linclass_study.command.arguments import parser_of
from linclass_study.command.open_results import open_results
from linclass_study.errors import StudyError, printable, suggest_name

ANONYMOUS = "anonymous"


def main(arguments: Sequence[str] | None = None) -> int:
    arguments = sys.argv[1:] if arguments is None else arguments
    parser = parser_of(COMMANDS)
    if arguments and not arguments[0].startswith("-") and arguments[0] not in COMMANDS:
        parser.error(f"unknown command '{arguments[0]}'; {suggest_name(arguments[0], COMMANDS)}")
    own, after = _divided(arguments)
    options = parser.parse_args(own)
    if after:
        options.options = after
    try:
        return COMMANDS[options.name](options)
    except StudyError as refused:
        return _refused(options.name, str(refused))
    except BrokenPipeError:  # the reader of our output, such as `head`, has ended
        sys.stderr.close()
        return 2
    except OSError as error:  # a folder below a file, or that may not be written; a full disk
        where = error.filename2 or error.filename or "a file"
        return _refused(options.name, f"{where}: {error.strerror or error}")
    except BaseException as error:  # results may come from anybody, and hold anything
        if not (isinstance(error, Exception) or type(error).__name__ == "PanicException"):
            raise
        *_, last = traceback.extract_tb(error.__traceback__)
        what = " ".join(f"{type(error).__name__}: {error}".split())[:300]
        where = f"{Path(last.filename).name}, line {last.lineno}"
        return _refused(options.name, f"this is not as linclass writes it ({what}; {where})")


def _divided(arguments: Sequence[str]) -> tuple[Sequence[str], Sequence[str]]:
    """The arguments, and of `run` those after -- for Snakemake."""
    if arguments[:1] != ["run"] or "--" not in arguments:
        return arguments, []
    place = arguments.index("--")
    return arguments[:place], arguments[place + 1 :]


def init_command(options: argparse.Namespace) -> int:
    """Run `linclass init` and return its exit code."""
    from linclass_study.command.run import init

    csv = Path(options.from_csv).expanduser() if options.from_csv else None
    for line in init(Path(options.folder).expanduser(), csv, options.target):
        print(printable(line))
    return 0


def run_command(options: argparse.Namespace) -> int:
    """Run `linclass run` and return its exit code."""
    from linclass_study.command.run import run

    try:
        return run([Path(file).expanduser() for file in options.files], options.options)
    except StudyError as refused:  # each line begins with its file
        print(printable(str(refused)), file=sys.stderr)
        return 2


def status_command(options: argparse.Namespace) -> int:
    """Run `linclass status` and return its exit code."""
    from linclass_study.command.run import is_complete, results_of, status_lines

    with results_of(options.study) as (results, planned):
        for line in status_lines(results, planned):
            print(printable(line))
        return 0 if is_complete(results, planned) else 1


def report_command(options: argparse.Namespace) -> int:
    """Run `linclass report` and return its exit code."""
    from linclass_study.command.run import report_lines

    if options.open and Path(options.results).expanduser().is_file():
        raise StudyError(f"{options.results} is an archive; unpack it, and give the folder")
    with open_results(options.results) as results:
        for line in report_lines(results, options.open):
            print(printable(line))
    return 0


def _refused(command: str, sentence: str) -> int:
    print(printable(f"linclass {command}: {sentence}"), file=sys.stderr)
    return 2


def check_command(options: argparse.Namespace) -> int:
    """Run `linclass check` and return its exit code."""
    from linclass_study.command.check import checked_study, plan_lines

    files = [Path(file).expanduser() for file in options.files]
    try:
        study = checked_study(files)
    except StudyError as refused:  # each line begins with its file
        print(printable(str(refused)), file=sys.stderr)
        return 2
    for line in plan_lines(study, files):
        print(printable(line))
    return 0


def figures_command(options: argparse.Namespace) -> int:
    """Run `linclass figures` and return its exit code."""
    from linclass_study.command.figures import write_figures
    from linclass_study.report.figure_files import PICTURES

    if Path(options.results).expanduser().is_file():
        raise StudyError(f"{options.results} is an archive; unpack it, and give the folder")
    with open_results(options.results) as results:
        forms = options.format or PICTURES
        print(printable(write_figures(results, options.names, forms, options.trust)))
    return 0


def verify_command(options: argparse.Namespace) -> int:
    """Run `linclass verify` and return its exit code."""
    from linclass_study.command.verify import verify, verify_lines

    with ExitStack() as stack:
        a, b = (stack.enter_context(open_results(given)) for given in (options.a, options.b))
        found = verify(a, b, options.tolerance)
        for line in verify_lines(found, a, b, options.all):
            print(printable(line))
    return 0 if found.agree else 1


def merge_command(options: argparse.Namespace) -> int:
    """Run `linclass merge` and return its exit code."""
    from linclass_study.command.merge import Conflict, merge, merge_lines

    into = Path(options.into).expanduser()
    with ExitStack() as stack:
        sources = [stack.enter_context(open_results(given)) for given in options.results]
        try:
            merged = merge(sources, into, options.tolerance, options.trust)
        except Conflict as conflict:
            heading = "linclass merge: nothing is written: the results contradict each other"
            print(printable(f"{heading}\n{conflict}"))
            return 1
        for line in merge_lines(sources, merged, options.into):
            print(printable(line))
    return 0


def publish_command(options: argparse.Namespace) -> int:
    """Run `linclass publish` and return its exit code."""
    from linclass_study.command import publish
    from linclass_study.command.archive import written_on
    from linclass_study.command.citation import Author, Citation

    if Path(options.results).expanduser().is_file():
        raise StudyError(f"{options.results} is an archive already; give a results folder")
    with open_results(options.results) as results:
        citation = Citation(
            title=options.title or f"Results of a linclass study: {results.folder.resolve().name}",
            authors=[Author.of(text) for text in options.author or [ANONYMOUS]],
            date=written_on(results).date().isoformat(),
            license=options.license,
        )
        into = Path(options.into).expanduser() if options.into else None
        archive = publish.publish(results, citation, into, options.crate, options.partial)
    print(f"published: {archive} ({archive.stat().st_size / 1e6:.1f} MB)")
    if not options.author:
        print("CITATION.cff lists no authors: name them with --author 'Family, Given'")
    return 0


def clean_command(options: argparse.Namespace) -> int:
    """Run `linclass clean` and return its exit code."""
    from linclass_study.command.clean import clean_lines, empty_store, remove_runs

    results = Path(options.results).expanduser()
    if options.run or options.environment:
        removed = remove_runs(results, options.run, options.environment)
    else:
        removed = empty_store(results, options.keep_mb)
    for line in clean_lines(removed):
        print(printable(line))
    return 0


COMMANDS = {
    "init": init_command,
    "run": run_command,
    "check": check_command,
    "status": status_command,
    "report": report_command,
    "figures": figures_command,
    "verify": verify_command,
    "merge": merge_command,
    "publish": publish_command,
    "clean": clean_command,
}


if __name__ == "__main__":
    sys.exit(main())
