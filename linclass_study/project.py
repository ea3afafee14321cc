"""Where the project lies: its catalogues, schemas and templates are found from here, wherever a study runs."""

from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
