"""Physical dimensions: exponents of the seven SI base units. Radians count as 1."""

from __future__ import annotations

from fractions import Fraction

from .records import frozen

BASE_UNITS = ("m", "kg", "s", "A", "K", "mol", "cd")


@frozen
class Dimension:
    """Exponents of metre, kilogram, second, ampere, kelvin, mole and candela, in that order."""

    exponents: tuple[Fraction | int, ...] = (0,) * len(BASE_UNITS)

    def __mul__(self, other: Dimension) -> Dimension:
        return Dimension(tuple(a + b for a, b in zip(self.exponents, other.exponents, strict=True)))

    def __truediv__(self, other: Dimension) -> Dimension:
        return Dimension(tuple(a - b for a, b in zip(self.exponents, other.exponents, strict=True)))

    def __pow__(self, exponent: Fraction | int) -> Dimension:
        return Dimension(tuple(a * exponent for a in self.exponents))

    @property
    def is_one(self) -> bool:
        return not any(self.exponents)

    def __str__(self) -> str:
        """In base units, such as `kg.m2.s-2`; `1` where there is none."""
        order = (1, 0, 2, 3, 4, 5, 6)
        parts = []
        for index in order:
            exponent = self.exponents[index]
            if exponent == 1:
                parts.append(BASE_UNITS[index])
            elif exponent:
                text = str(exponent) if Fraction(exponent).denominator == 1 else f"({exponent})"
                parts.append(f"{BASE_UNITS[index]}{text}")
        return ".".join(parts) or "1"


ONE = Dimension()
TIME = Dimension((0, 0, 1, 0, 0, 0, 0))
ENERGY = Dimension((2, 1, -2, 0, 0, 0, 0))
POWER = Dimension((2, 1, -3, 0, 0, 0, 0))
