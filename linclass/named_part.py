"""Parts with the name by which `parts.find` finds them; apart from that file, whose types name the bases of parts."""

from __future__ import annotations

from typing import ClassVar


class NamedPart:
    name: ClassVar[str]  # of its file; of a class from elsewhere, the name of the class

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        package, _, file = cls.__module__.rpartition(".")
        cls.name = file if package.startswith("linclass.") else cls.__name__
