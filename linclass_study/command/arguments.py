"""The arguments of each command, and its help."""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from importlib.metadata import version

ROUNDING = 1e-9  # as in agreement.py, which is slow to import
STUDIES = "as after --configfile: later files win; without one, the default study"
PLACE = "a results folder, or an archive that `linclass publish` made"


def parser_of(names: Iterable[str]) -> argparse.ArgumentParser:
    """The parser of the commands with these names."""
    parser = argparse.ArgumentParser(
        prog="linclass",
        description="Start, check and run studies of linear classifiers; compare, merge and publish their results.",
    )
    parser.add_argument("--version", action="version", version=f"linclass {version('linclass')}")
    commands = parser.add_subparsers(dest="name", required=True, metavar=" | ".join(names))
    _add_init(commands)
    _add_run(commands)
    _add_check(commands)
    _add_status(commands)
    _add_report(commands)
    _add_figures(commands)
    _add_verify(commands)
    _add_merge(commands)
    _add_publish(commands)
    _add_clean(commands)
    return parser


def _add_init(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser(
        "init",
        help="write the files of a first study",
        description="Write study.yaml with comments, measurements.csv and my_estimator.py into DIR, to start from; "
        "with --from-csv a study.yaml for that file. No file is overwritten.",
    )
    parser.add_argument("folder", nargs="?", default=".", metavar="DIR", help="default: here")
    parser.add_argument("--from-csv", metavar="FILE", help="a CSV file with a line of names")
    parser.add_argument("--target", default="", metavar="COLUMN", help="its column of classes")


def _add_run(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser(
        "run",
        help="run a study",
        usage="linclass run [STUDY.yaml ...] [-- SNAKEMAKE OPTIONS]",
        description="Check a study and run it in this folder; ends with the answer and the page. The same as "
        "`snakemake --configfile STUDY.yaml` in a clone. Options after -- go to Snakemake, such as -n, "
        "--cores 4 or --workflow-profile profiles/slurm; the exit code is Snakemake's.",
    )
    parser.add_argument("files", nargs="*", metavar="STUDY.yaml", help=STUDIES)
    parser.set_defaults(options=[])


def _add_status(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser(
        "status",
        help="how much of a study is done?",
        description="Count the runs and the fits by their status. The exit code is 0 if the study is complete, else 1.",
    )
    parser.add_argument("study", metavar="STUDY.yaml|DIR", help="a study file or a results folder")


def _add_report(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser(
        "report",
        help="show the answer and the page",
        description="Print the answer of a study and the path of its page.",
    )
    parser.add_argument("results", nargs="?", default="results", metavar="DIR", help=PLACE)
    parser.add_argument("--open", action="store_true", help="open the page in a browser")


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
        help=STUDIES,
    )


def _add_figures(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser(
        "figures",
        help="write figures as PNG and PDF",
        description="Write figure.png and figure.pdf beside figure.svg in DIR/exhibits, unless they are there. They "
        "are drawn again from the results. `snakemake figures` brings the results up to date first.",
    )
    parser.add_argument("results", metavar="DIR", help="a results folder")
    parser.add_argument(
        "names",
        nargs="*",
        metavar="NAME",
        help="an exhibit, such as roc-iris, or a figure, such as roc; without names, all of them",
    )
    parser.add_argument(
        "--format",
        action="append",
        choices=("png", "pdf"),
        help="may be given several times (default: both)",
    )
    _add_trust(parser)


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
    _add_trust(parser)


def _add_trust(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--trust",
        action="append",
        default=[],
        metavar="MODULE",
        help="import this module for the study's own metrics; without it, those of scikit-learn alone",
    )


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


def _add_clean(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser(
        "clean",
        help="empty the store of earlier fits; remove runs, to fit them again",
        description="Empty DIR/store, which keeps the fits of earlier variants of the study, so that a variant that "
        "returns is not fitted again. With --run or --environment, remove these runs instead, from the results and "
        "from the store, so that the next snakemake fits them again.",
    )
    parser.add_argument("results", metavar="DIR", help="a results folder")
    parser.add_argument(
        "--keep-mb",
        type=_megabytes,
        default=0.0,
        metavar="MB",
        help="keep this many megabytes of the store, those that were used last (default 0: empty it)",
    )
    parser.add_argument(
        "--run", nargs="+", default=[], metavar="DATASET/METHOD", help="remove these runs"
    )
    parser.add_argument(
        "--environment",
        nargs="+",
        default=[],
        metavar="ID",
        help="remove the runs with a fit that was made in one of these environments: names of files in "
        "DIR/environment, without .json",
    )


def _megabytes(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value < float("inf"):
        raise argparse.ArgumentTypeError(f"{text} is not a number of megabytes")
    return value


def _tolerance(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value < 1:
        raise argparse.ArgumentTypeError(f"{text} is not a number from 0 up to 1")
    return value
