"""The `name` by which `parts.find` finds a part.

In a file of its own because parts.py imports the bases of parts for its annotations.
"""

from __future__ import annotations

from typing import ClassVar


class NamedPart:
    name: ClassVar[str]  # of its file; of a class from elsewhere, the name of the class

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        package, _, file = cls.__module__.rpartition(".")
        cls.name = file if package.startswith("linclass.") else cls.__name__
