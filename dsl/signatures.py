"""What a function or a record takes and holds, told from its text once."""

from __future__ import annotations

from . import syntax
from .library import Class, Namespace
from .records import frozen


@frozen(eq=False)
class Slot:
    """An input, output or local variable of a function, or a member of a record.

    `where` is the namespace its text stands in; `default` what it is without an argument.
    """

    declaration: syntax.Declaration
    declarator: syntax.Declarator
    where: Namespace
    default: syntax.Expr | None

    @property
    def name(self) -> str:
        return self.declarator.name


@frozen(eq=False)
class Signature:
    """`inputs` are filled by arguments, `locals` worked out; `output` is the result, None for a record."""

    cls: Class
    inputs: tuple[Slot, ...]
    locals: tuple[Slot, ...]
    output: Slot | None
