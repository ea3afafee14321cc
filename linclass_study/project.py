"""The folders of the project: its workflow with catalogues, schemas and templates, and its packages."""

import subprocess
import sys
from pathlib import Path

from linclass_study.errors import StudyError

OURS = ("linclass", "linclass_study")
PACKAGES = Path(__file__).resolve().parent.parent  # the folder that contains them
# a clone has the workflow beside the packages, an installed wheel inside linclass_study
ROOT = PACKAGES if (PACKAGES / "Snakefile").is_file() else PACKAGES / "linclass_study" / "_project"
# for `module` in a Snakefile of one's own: docs/scale.md
SNAKEFILE = str(ROOT / "workflow" / "Snakefile")
DEFAULT_STUDY = ROOT / "config" / "config.yaml"  # always read; a study overrides it


def refuse_another_copy(rules: str) -> None:
    """Refuse to run if the environment contains another copy of the project than that of the folder of rules:
    Snakemake imports the latter, fits import the former. Rules from a repository (`module`) have no such folder."""
    if not Path(rules).is_dir():
        return
    own = Path(rules).parents[1]
    command = [sys.executable, "-c", "from linclass_study import project; print(project.ROOT)"]
    found = subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip()
    if found != str(own.resolve()):
        what = f"linclass from {found}, another copy of the project" if found else "no linclass"
        raise StudyError(
            f"{own / 'Snakefile'}: Python here imports {what}; run `pip install -e '.[study]'` in {own}, "
            "or use a separate environment for each copy"
        )
