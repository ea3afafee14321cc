"""linclass init | run | check | status | report | figures | table | verify | merge | publish | clean.

exit code 0    the study has no errors; the results agree; the folder or archive was written
exit code 1    the results differ or contradict each other
exit code 2    an input is invalid or unreadable; one line says which, of a study a line for each error
"""

from __future__ import annotations

import argparse
import os
import sys
import traceback
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from importlib.metadata import version
from pathlib import Path
from typing import Any

from linclass_study.command.results_folder import ResultsFolder, open_results
from linclass_study.errors import StudyError, printable, suggest_name

DIFFERENCE_TOLERANCE = 1e-9  # as in verify.py, which is slow to import
STUDIES = "as after --configfile: later files win; without one, study.yaml of this folder, or else the default study"
FOLDER_OR_ARCHIVE = "a results folder, or an archive that `linclass publish` made"

Function = Callable[[argparse.Namespace], int]
Argument = tuple[tuple[str, ...], dict[str, Any]]  # of `add_argument`


# name → function, options of its parser, arguments
COMMANDS: dict[str, tuple[Function, dict[str, Any], Sequence[Argument]]] = {}


def command(
    help: str, description: str, *arguments: Argument, **options: Any
) -> Callable[[Function], Function]:
    """Decorator of a function `_name`, which runs `linclass name` and returns its exit code."""

    def register(run: Function) -> Function:
        options.update(help=help, description=description)
        COMMANDS[run.__name__.removeprefix("_")] = run, options, arguments
        return run

    return register


def argument(*names: str, **options: Any) -> Argument:
    return names, options


def main(arguments: Sequence[str] | None = None) -> int:
    arguments = sys.argv[1:] if arguments is None else arguments
    parser = _parser()
    if "_ARGCOMPLETE" in os.environ:  # a shell asks what may come next, and Python ends here
        import argcomplete

        argcomplete.autocomplete(parser)
    if arguments and not arguments[0].startswith("-") and arguments[0] not in COMMANDS:
        parser.error(f"unknown command '{arguments[0]}'; {suggest_name(arguments[0], COMMANDS)}")
    for_snakemake: Sequence[str] = ()
    if arguments[:1] == ["run"] and "--" in arguments:
        place = arguments.index("--")
        arguments, for_snakemake = arguments[:place], arguments[place + 1 :]
    options = parser.parse_args(arguments)
    options.for_snakemake = for_snakemake
    try:
        return COMMANDS[options.name][0](options)
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


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="linclass",
        description="Start, check and run studies of linear classifiers; compare, merge and publish their results.",
    )
    parser.add_argument("--version", action="version", version=f"linclass {version('linclass')}")
    commands = parser.add_subparsers(dest="name", required=True, metavar=" | ".join(COMMANDS))
    for name, (_, of_parser, arguments) in COMMANDS.items():
        own = commands.add_parser(name, **of_parser)
        for names, options in arguments:
            own.add_argument(*names, **options)
    return parser


def _refused(name: str, sentence: str) -> int:
    """Print an error; those of a study begin with its files."""
    prefix = "" if name in ("run", "check") else f"linclass {name}: "
    print(printable(f"{prefix}{sentence}"), file=sys.stderr)
    return 2


def _print(lines: Iterable[str]) -> None:
    for line in lines:
        print(printable(line))


@contextmanager
def _folder(
    given: str, remedy: str = "is an archive; unpack it, and give the folder"
) -> Iterator[ResultsFolder]:
    """The results folder at `given`; an archive is refused."""
    if Path(given).expanduser().is_file():
        raise StudyError(f"{given} {remedy}")
    with open_results(given) as results:
        yield results


def _tolerance(text: str) -> float:
    """The type of an argument that is a number in [0, 1)."""
    with suppress(ValueError):
        if 0 <= float(text) < 1:
            return float(text)
    raise argparse.ArgumentTypeError(f"{text} is not a number from 0 up to 1")


STUDY_FILES = argument("files", nargs="*", metavar="STUDY.yaml", help=STUDIES)
TRUST = argument(
    "--trust",
    action="append",
    default=[],
    metavar="MODULE",
    help="import this module for the study's own metrics; without it, those of scikit-learn alone",
)


def _names(text: str) -> list[str]:
    return [name.strip() for name in text.split(",") if name.strip()]


PARTS = (
    argument(
        "--part",
        metavar="I/N",
        help="the part I of N of its data sets, of about equal work, as 2/8, in a results folder of its own; `linclass "
        "merge` joins the parts to what the whole study would give",
    ),
    argument("--only", type=_names, metavar="A,B", help="these data sets of it, likewise"),
)


def _part(options: argparse.Namespace) -> dict[str, Any]:
    """The options of PARTS that are given."""
    given = {"only": options.only, "part": options.part}
    return {name: value for name, value in given.items() if value is not None}


def _study_files(options: argparse.Namespace) -> list[Path]:
    """The study files of the command line; else study.yaml of this folder, if it exists."""
    given = [Path(file).expanduser() for file in options.files]
    return given or [file for file in [Path("study.yaml")] if file.is_file()]


@command(
    "write the files of a first study",
    "Write study.yaml with comments, its schema for editors, measurements.csv and my_estimator.py into DIR; with "
    "--from-csv a study.yaml for that file. No file is overwritten.",
    argument("folder", nargs="?", default=".", metavar="DIR", help="default: here"),
    argument("--from-csv", metavar="FILE", help="a CSV file with a line of names"),
    argument("--target", default="", metavar="COLUMN", help="its column of classes"),
)
def _init(options: argparse.Namespace) -> int:
    from linclass_study.command.run import init

    csv = Path(options.from_csv).expanduser() if options.from_csv else None
    _print(init(Path(options.folder).expanduser(), csv, options.target))
    return 0


@command(
    "run a study",
    "Check a study and run it in this folder; ends with the answer and the page. The same as `snakemake --configfile "
    "STUDY.yaml` in a clone. Options after -- go to Snakemake, such as -n, --cores 4 or --workflow-profile "
    "profiles/slurm; the exit code is Snakemake's.",
    STUDY_FILES,
    *PARTS,
    usage="linclass run [STUDY.yaml ...] [--part I/N] [--only A,B] [-- SNAKEMAKE OPTIONS]",
)
def _run(options: argparse.Namespace) -> int:
    from linclass_study.command.run import run

    run(_study_files(options), options.for_snakemake, _part(options))


@command(
    "can this study run?",
    "Read a study as `snakemake --configfile` does, without running anything. Print what it will compute, or each "
    "error in one line with file, line and remedy. The exit code is 0 without errors, else 2.",
    STUDY_FILES,
    *PARTS,
)
def _check(options: argparse.Namespace) -> int:
    from linclass_study.command.run import checked_study, plan_lines

    files, part = _study_files(options), _part(options)
    _print(plan_lines(checked_study(files, part), files, part))
    return 0


@command(
    "how much of a study is done?",
    "Count the runs and the fits by their status. The exit code is 0 if the study is complete, else 1.",
    argument("study", metavar="STUDY.yaml|DIR", help="a study file or a results folder"),
    *PARTS,
)
def _status(options: argparse.Namespace) -> int:
    from linclass_study.command.run import is_complete, results_of, status_lines

    with results_of(options.study, _part(options)) as found:
        _print(status_lines(*found))
        return 0 if is_complete(*found) else 1


@command(
    "show the answer and the page",
    "Print the answer of a study and the path of its page.",
    argument("results", nargs="?", default="results", metavar="DIR", help=FOLDER_OR_ARCHIVE),
    argument("--open", action="store_true", help="open the page in a browser"),
)
def _report(options: argparse.Namespace) -> int:
    from linclass_study.command.run import report_lines

    with (_folder if options.open else open_results)(options.results) as results:
        _print(report_lines(results, options.open))
    return 0


@command(
    "write figures as PNG and PDF",
    "Write figure.png and figure.pdf beside figure.svg in DIR/exhibits, unless they are there. They are drawn again "
    "from the results. `snakemake figures` brings the results up to date first.",
    argument("results", metavar="DIR", help="a results folder"),
    argument(
        "names",
        nargs="*",
        metavar="NAME",
        help="an exhibit, such as roc-iris, or a figure, such as roc; without names, all of them",
    ),
    argument(
        "--format",
        action="append",
        choices=("png", "pdf"),
        help="may be given several times (default: both)",
    ),
    TRUST,
)
def _figures(options: argparse.Namespace) -> int:
    from linclass_study.command.derived_files import write_figures
    from linclass_study.report.figure_files import PICTURES

    with _folder(options.results) as results:
        forms = options.format or PICTURES
        _print([write_figures(results, options.names, forms, options.trust)])
    return 0


@command(
    "print a table with chosen columns",
    "Print a table as LaTeX, Markdown or CSV. In LaTeX, numbers have the digits that their spread supports, "
    "and methods and data sets their `label:`.",
    argument("results", metavar="DIR", help=FOLDER_OR_ARCHIVE),
    argument(
        "table", metavar="TABLE", help="such as compared or performance-iris: a file of DIR/tables"
    ),
    argument(
        "--columns",
        type=_names,
        default=[],
        metavar="A,B",
        help="these columns, by their names in the CSV, beside the first one, which names the rows",
    ),
    argument(
        "--rows", type=_names, default=[], metavar="A,B", help="these rows, by their first cell"
    ),
    argument("--format", choices=("tex", "md", "csv"), default="tex"),
    TRUST,
)
def _table(options: argparse.Namespace) -> int:
    from linclass_study.protocols import require_trusted
    from linclass_study.report.table_files import printed_table

    with open_results(options.results) as results:
        outcome = results.study.outcome
        require_trusted(outcome.evaluation, options.trust)
        asked = options.table, options.format, options.columns, options.rows
        print(printed_table(outcome, *asked), end="")
    return 0


@command(
    "do two results agree?",
    "Compare the predictions, fits, data sets and folds of two results; without the predictions of one, the scores. "
    "The exit code is 0 if they agree, 1 if they differ, 2 if one cannot be read.",
    argument("a", metavar="A", help=FOLDER_OR_ARCHIVE),
    argument("b", metavar="B", help=FOLDER_OR_ARCHIVE),
    argument(
        "--tolerance",
        type=_tolerance,
        default=0.0,
        metavar="T",
        help="numbers a and b may differ by T · max(1, |a|, |b|); predicted classes may not (default 0: identical). "
        "Processors round differently: 1e-9 allows for that",
    ),
    argument("--all", action="store_true", help="show every run that differs"),
    argument(
        "--part",
        action="store_true",
        help="A is a part of B, so runs that B alone has are no difference; not needed for results of `linclass run "
        "--only` or `--part`",
    ),
)
def _verify(options: argparse.Namespace) -> int:
    from linclass_study.command.verify import verify, verify_lines

    with ExitStack() as stack:
        a, b = (stack.enter_context(open_results(given)) for given in (options.a, options.b))
        found = verify(a, b, options.tolerance, options.part)
        _print(verify_lines(found, a, b, options.all))
    return 0 if found.agree else 1


@command(
    "make one results folder of several",
    "Make one results folder of several, with its tables, figures and report. Runs that several contain are kept "
    "once. Results that contradict each other are reported, with exit code 1, and nothing is written.",
    argument("results", nargs="+", metavar="A B …", help=FOLDER_OR_ARCHIVE),
    argument("--into", required=True, metavar="C", help="the folder to make"),
    argument(
        "--tolerance",
        type=_tolerance,
        default=DIFFERENCE_TOLERANCE,
        metavar="T",
        help="numbers a and b of one prediction may differ by T · max(1, |a|, |b|); predicted classes may not "
        f"(default {DIFFERENCE_TOLERANCE}: rounding of another processor)",
    ),
    TRUST,
)
def _merge(options: argparse.Namespace) -> int:
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
        _print(merge_lines(sources, merged, options.into))
    return 0


@command(
    "make one archive of a results folder",
    "Make one .zip of a results folder: configuration, environments, digests of the data, folds, predictions, fits, "
    "scores, tables, figures, report, CITATION.cff and README; not the rows of the data sets. The same results give "
    "the same bytes, and `linclass verify` and `linclass merge` read it.",
    argument("results", metavar="DIR", help="a results folder"),
    argument("--into", metavar="FILE", help="the archive to make (default: DIR-DIGEST.zip)"),
    argument("--title", default="", help="what the study is called"),
    argument(
        "--author",
        action="append",
        metavar="'FAMILY, GIVEN[, ORCID]'",
        help="who made it; may be given several times",
    ),
    argument(
        "--license",
        default="",
        metavar="SPDX",
        help="the licence of the results, such as CC-BY-4.0",
    ),
    argument(
        "--crate",
        action="store_true",
        help="make it a Workflow Run RO-Crate, too, with ro-crate-metadata.json and the workflow",
    ),
    argument("--partial", action="store_true", help="publish a study that is not finished"),
    argument(
        "--without-predictions",
        action="store_true",
        help="a small archive of scores and fits, without predictions, coefficients and boundaries; `linclass verify` "
        "then compares scores, and `linclass merge` takes them as they are",
    ),
    TRUST,
)
def _publish(options: argparse.Namespace) -> int:
    from linclass_study.command import publish
    from linclass_study.command.archive import Author, Citation, written_on

    with _folder(options.results, "is an archive already; give a results folder") as results:
        citation = Citation(
            title=options.title or f"Results of a linclass study: {results.folder.resolve().name}",
            authors=[Author.of(text) for text in options.author or ["anonymous"]],
            date=written_on(results).date().isoformat(),
            license=options.license,
        )
        into = Path(options.into).expanduser() if options.into else None
        archive = publish.publish(
            results,
            citation,
            into,
            options.crate,
            options.partial,
            options.without_predictions,
            options.trust,
        )
    print(f"published: {archive} ({archive.stat().st_size / 1e6:.1f} MB)")
    if not options.author:
        print("CITATION.cff lists no authors: name them with --author 'Family, Given'")
    return 0


@command(
    "empty the store of earlier fits; remove runs, to fit them again",
    "Empty DIR/store, which keeps the fits of earlier variants of the study, so that a variant that returns is not "
    "fitted again. With --run or --environment, remove these runs instead, from the results and from the store, so "
    "that the next run of the study fits them again.",
    argument("results", metavar="DIR", help="a results folder"),
    argument("--run", nargs="+", default=[], metavar="DATASET/METHOD", help="remove these runs"),
    argument(
        "--environment",
        nargs="+",
        default=[],
        metavar="ID",
        help="remove the runs with a fit that was made in one of these environments: names of files in "
        "DIR/environment, without .json",
    ),
)
def _clean(options: argparse.Namespace) -> int:
    from linclass_study.command.clean import clean_lines, empty_store, remove_runs

    results = Path(options.results).expanduser()
    if options.run or options.environment:
        _print(clean_lines(*remove_runs(results, options.run, options.environment)))
    else:
        _print(clean_lines([], empty_store(results)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
