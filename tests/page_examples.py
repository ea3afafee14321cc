"""Files of linclass that pages show as examples, as modules: they obey the laws of their kind."""

import re
from pathlib import Path
from types import ModuleType

ROOT = Path(__file__).parent.parent
BLOCK = re.compile(r"<!-- test: (\S+) -->\n```\w*\n(.*?)```", flags=re.DOTALL)


def shown_files(page):
    """Path → content of each file that a page shows."""
    return dict(BLOCK.findall((ROOT / page).read_text(encoding="utf-8")))


def shown_modules(page, folder):
    """Name → module of each file of a folder that a page shows."""
    found = {}
    for path, text in shown_files(page).items():
        if Path(path).parent == Path(folder):
            found[Path(path).stem] = module = ModuleType(Path(path).stem)
            exec(compile(text, path, "exec"), module.__dict__)
    return found
