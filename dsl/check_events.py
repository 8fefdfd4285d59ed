"""Checks equations, initial conditions, events, assertions and what is drawn."""

from __future__ import annotations

from typing import assert_never

from . import complaints_check as say
from . import flat, program, statements
from .check_expression import base_variable
from .check_uses import Uses
from .check_value import (
    ACCELERATION,
    CHANGING,
    DOUBT,
    MOTION,
    REACTION,
    UNKNOWN,
    Dims,
    Facts,
    Value,
    united,
    wrong,
)
from .dimension import ONE, Dimension
from .records import frozen

Checked = program.Expr

_LENGTH: Dims = (Dimension((1, 0, 0, 0, 0, 0, 0)),)
_MATRIX_RANK = 2
# What each shape takes, and the rank of each argument; a `line` takes points as rows.
VISUALS: dict[str, dict[str, tuple[int, ...]]] = {
    "sphere": {"radius": (0,)},
    "disc": {"radius": (0,), "width": (0,)},
    "box": {"size": (1,)},
    "cylinder": {"radius": (0,), "length": (0,)},
    "line": {"points": (2,)},
    "trail": {"point": (1,)},
}


@frozen
class EquationRows:
    """An equation as it counts against unknowns: its label, its rows, and the unknowns in it.

    `rows` is -1 where a mistake hides what it determines.
    """

    name: str
    rows: int
    facts: Facts
    equation: statements.Equation[flat.Expr]


class Events:
    """Checks the statements that are not mechanics proper."""

    def __init__(self, uses: Uses) -> None:
        self._uses = uses
        self._expressions = uses.expressions
        self._site = uses.expressions.site
        self.rows: list[EquationRows] = []

    def equation(self, equation: statements.Equation[flat.Expr]) -> statements.Equation[Checked]:
        """Two sides of one shape; `initial` ones without accelerations and reactions."""
        what = f"{equation.kind} `{equation.name}`"
        left, right = self._uses.sides(equation.left, equation.right, what, equation.span, _MATRIX_RANK)
        sound = not left.is_wrong and not right.is_wrong
        facts = united((left.facts, right.facts))
        if equation.kind == "initial":
            for bits in (ACCELERATION, REACTION):
                left = self._uses.without(left, what, bits, "start")
                right = self._uses.without(right, what, bits, "start")
            if sound and not facts.depends & (MOTION | UNKNOWN | DOUBT):
                self._site.report(say.initial_constant(equation.span, equation.name))
        else:
            clear = sound and not facts.depends & DOUBT
            self.rows.append(EquationRows(equation.name, left.size if clear else -1, facts, equation))
        return statements.Equation(
            span=equation.span, description=equation.description, kind=equation.kind, name=equation.name,
            left=left.node, right=right.node,
        )  # fmt: skip

    def when(self, when: statements.When[flat.Expr]) -> statements.When[Checked]:
        """A condition that can change, and what is done when it turns true."""
        condition = self._site.condition(self._uses.use(when.condition))
        if not condition.is_wrong and condition.lacks(CHANGING):
            self._site.report(say.condition_constant(condition.span))
        actions: list[statements.Reinit[Checked] | statements.Terminate] = []
        for action in when.actions:
            match action:
                case statements.Reinit():
                    actions.append(self._reinit(action))
                case statements.Terminate():
                    actions.append(action)
                case _:
                    assert_never(action)
        return statements.When(
            span=when.span, description=when.description, condition=condition.node, actions=tuple(actions)
        )

    def _reinit(self, action: statements.Reinit[flat.Expr]) -> statements.Reinit[Checked]:
        target = self._uses.use(action.target)
        value = self._uses.use(action.value)
        if not target.is_wrong and not self._can_be_set(target.node):
            target = self._site.mistake(say.reinit_target(target.span), target)
        if not target.is_wrong and not value.is_wrong:
            what = f"the new value of {say.quoted(target.span)}"
            if target.rotation and not value.rotation:
                value = self._site.mistake(say.not_a_rotation(value.span, what), value)
            else:
                value = self._site.fits(value, what, target.shape or (), target.dims)
        return statements.Reinit(target=target.node, value=value.node)

    def _can_be_set(self, node: program.Expr) -> bool:
        """A coordinate or an element of one, the rate of such, or a first-order state."""
        variable = node.operand if isinstance(node, program.Derivative) else node
        declared = self._expressions.declared.get(base_variable(variable))
        if declared is None:
            return False
        if declared.kind == "coordinate":
            # Elements of an attitude, and the rate of its matrix, are not free.
            whole = isinstance(node, program.Variable)
            return declared.base == "Real" or whole
        return variable is node and declared.name in self._site.states

    def assertion(self, assertion: statements.Assert[flat.Expr]) -> statements.Assert[Checked]:
        condition = self._site.condition(self._uses.use(assertion.condition))
        if condition.is_fixed and condition.number is not None and not condition.number[0] and not assertion.is_warning:
            self._site.report(say.assertion_false(condition.span, assertion.message))
        return statements.Assert(
            span=assertion.span, description=assertion.description, condition=condition.node,
            message=assertion.message, is_warning=assertion.is_warning,
        )  # fmt: skip

    # --- what is drawn -----------------------------------------------------------------------

    def visual(self, visual: statements.Visual[flat.Expr]) -> statements.Visual[Checked]:
        """Lengths for a known shape, on a frame."""
        takes = VISUALS.get(visual.shape)
        if takes is None:
            self._site.report(say.unknown_visual(visual.span, visual.shape, tuple(VISUALS)))
        arguments = []
        for place, (name, written) in enumerate(visual.arguments):
            value = self._uses.use(written)
            if takes is not None:
                value = self._drawn(visual, place, name, value, takes)
            arguments.append((name, value.node))
        if takes is not None:
            self._verify_complete(visual, takes)
        position = self._placed(visual.position, (3,), _LENGTH)
        attitude = self._placed(visual.attitude, (3, 3), (ONE,))
        return statements.Visual(
            span=visual.span, description=visual.description, shape=visual.shape,
            arguments=tuple(arguments), position=position, attitude=attitude,
        )  # fmt: skip

    def _drawn(
        self,
        visual: statements.Visual[flat.Expr],
        place: int,
        name: str,
        value: Value,
        takes: dict[str, tuple[int, ...]],
    ) -> Value:
        known = list(takes)
        label = name or (known[place] if place < len(known) else "")
        if label not in takes:
            self._site.report(say.visual_argument(value.span, visual.shape, name, known))
            return value
        if value.is_wrong or not self._site.real(value):
            return wrong(value.span)
        what = f"`{label}` of `{visual.shape}`"
        shape = value.shape or ()
        if len(shape) not in takes[label] or (len(shape) > 0 and shape[-1] != 3):
            wanted = {0: "a number", 1: "a vector of 3", 2: "a matrix whose rows are points"}[takes[label][0]]
            return self._site.mistake(say.shape_expected(value.span, what, wanted, shape), value)
        return self._site.fits(value, what, shape, _LENGTH)

    def _verify_complete(self, visual: statements.Visual[flat.Expr], takes: dict[str, tuple[int, ...]]) -> None:
        known = list(takes)
        given = {name or (known[i] if i < len(known) else "") for i, (name, _) in enumerate(visual.arguments)}
        missing = [name for name in known if name not in given]
        if missing:
            self._site.report(say.visual_incomplete(visual.span, visual.shape, missing))

    def _placed(self, written: flat.Expr | None, shape: tuple[int, ...], dims: Dims) -> Checked | None:
        if written is None:
            return None
        return self._site.fits(self._uses.use(written), "the place of what is drawn", shape, dims).node
