"""From a flat model to a checked program: every expression gets a shape and a dimension.

Definitions first, in an order in which each follows what it names; then attributes and statements, which may
name any of them; then the count of equations and unknowns. All mistakes are told in one go: an expression
with a mistake fits everywhere, so that nothing is told twice.
"""

from __future__ import annotations

from .check_attributes import check_attributes
from .check_contacts import Contacts
from .check_definitions import Definition, define, is_unknown, refuse_cycle
from .check_events import Events
from .check_expression import Expressions
from .check_order import DefinitionOrder, definition_order
from .check_reactions import declare_reactions
from .check_site import Site
from .check_statements import Statements
from .check_unknowns import verify_unknowns
from .check_uses import Uses
from .diagnostics import Diagnostic, Severity, in_order
from .flat import FlatModel
from .program import Expr, Program, VariableDefinition
from .statements import Statements as StatementList


def check(model: FlatModel) -> tuple[Program | None, list[Diagnostic]]:
    """The checked program, None where there is an error; and all that is to be said, by place."""
    site = Site()
    declared = {variable.name: variable for variable in model.variables}
    expressions = Expressions(site, declared)
    definitions = _define_all(model, expressions, definition_order(declared))
    attributes = {name: check_attributes(expressions, item) for name, item in definitions.items()}
    uses = Uses(expressions)
    events = Events(uses)
    statements = _check_statements(model, Statements(uses), Contacts(uses), events)
    unknowns = {
        name: (variable, expressions.variables[name].size)
        for name, variable in declared.items()
        if is_unknown(variable)
    }
    verify_unknowns(site, unknowns, events.rows, model.components, model.span)
    diagnostics = in_order(site.diagnostics)
    if any(diagnostic.severity is Severity.ERROR for diagnostic in diagnostics):
        return None, diagnostics
    variables = {name: _variable(definitions[name], attributes[name], site) for name in declared}
    return _program(model, variables, statements), diagnostics


def _define_all(model: FlatModel, expressions: Expressions, order: DefinitionOrder) -> dict[str, Definition]:
    """Definitions in order. Those that contain reactions wait until constraints have their shapes."""
    definitions: dict[str, Definition] = {}
    for cycle in order.cycles:
        refuse_cycle(expressions, cycle)
    in_cycles = {name for cycle in order.cycles for name in cycle}
    names = [name for name in order.names if name not in in_cycles]
    for name in names:
        if name not in order.reactive:
            definitions[name] = define(expressions, expressions.declared[name])
    declare_reactions(expressions, model.statements, order.reactive)
    for name in names:
        if name in order.reactive:
            definitions[name] = define(expressions, expressions.declared[name])
    return definitions


def _check_statements(
    model: FlatModel, mechanics: Statements, contacts: Contacts, events: Events
) -> StatementList[Expr]:
    given = model.statements
    return StatementList(
        energies=tuple([mechanics.energy(s) for s in given.energies]),
        forces=tuple([mechanics.force(s) for s in given.forces]),
        constraints=tuple([mechanics.constraint(s) for s in given.constraints]),
        servos=tuple([mechanics.servo(s) for s in given.servos]),
        limits=tuple([contacts.limit(s) for s in given.limits]),
        frictions=tuple([contacts.friction(s) for s in given.frictions]),
        equations=tuple([events.equation(s) for s in given.equations]),
        whens=tuple([events.when(s) for s in given.whens]),
        asserts=tuple([events.assertion(s) for s in given.asserts]),
        visuals=tuple([events.visual(s) for s in given.visuals]),
    )


def _variable(definition: Definition, attributes: dict[str, Expr], site: Site) -> VariableDefinition:
    declaration = definition.declaration
    bound = definition.bound
    return VariableDefinition(
        name=declaration.name,
        kind=definition.kind,
        base=declaration.base,
        type=definition.value.node.type,
        unit=definition.unit,
        attributes=attributes,
        binding=None if bound is None else bound.node,
        final=declaration.final,
        structural=declaration.structural,
        description=declaration.description,
        is_state=declaration.name in site.states,
        component=declaration.component,
        span=declaration.span,
        given_by=declaration.given_by,
    )


def _program(model: FlatModel, variables: dict[str, VariableDefinition], statements: StatementList[Expr]) -> Program:
    return Program(
        name=model.name,
        description=model.description,
        source=model.source,
        span=model.span,
        variables=variables,
        statements=statements,
        experiment=model.experiment,
        structure=model.structure,
        components=model.components,
    )
