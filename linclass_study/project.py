"""The folders of the project: its workflow with catalogues, schemas and templates, and its packages; and that of the
study, whose modules can be imported."""

import os
import subprocess
import sys
import sysconfig
from pathlib import Path

from linclass_study.errors import StudyError

OURS = ("linclass", "linclass_study")
PACKAGES = Path(__file__).resolve().parent.parent  # the folder that contains them
# a clone has the workflow beside the packages, an installed wheel inside linclass_study
ROOT = PACKAGES if (PACKAGES / "Snakefile").is_file() else PACKAGES / "linclass_study" / "_project"
# for `module` in a Snakefile of one's own: docs/scale.md
SNAKEFILE = str(ROOT / "workflow" / "Snakefile")
DEFAULT_STUDY = ROOT / "config" / "config.yaml"  # always read; a study overrides it


def look_beside_the_study() -> None:
    """Search for modules in Python's own library first, as a file of the same name beside the study must not break all
    other methods; then in the working directory."""
    library = {sysconfig.get_path(name) for name in ("stdlib", "platstdlib")}
    library |= {str(Path(folder, "lib-dynload")) for folder in library}
    first = [*(folder for folder in sys.path if folder in library), os.getcwd()]
    sys.path[:] = [*first, *(folder for folder in sys.path if folder not in first)]


def refuse_another_copy(rules: str) -> None:
    """Refuse to run if the environment contains another copy of the project than that of the folder of rules:
    Snakemake imports the latter, fits import the former. Rules from a repository (`module`) have no such folder."""
    if not Path(rules).is_dir():
        return
    own = Path(rules).parents[1]
    command = [
        sys.executable,
        "-P",
        "-c",
        "from linclass_study import project; print(project.ROOT)",
    ]
    found = subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip()
    if found != str(own.resolve()):
        what = f"linclass from {found}, another copy of the project" if found else "no linclass"
        raise StudyError(
            f"{own / 'Snakefile'}: Python here imports {what}; run `pip install -e '.[study]'` in {own}, "
            "or use a separate environment for each copy"
        )
