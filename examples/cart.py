"""A cart, with a line that waits to be completed."""

from dataclasses import dataclass, field


@dataclass
class Item:
    name: str
    price: float
    count: int = 1


@dataclass
class Cart:
    items: list[Item] = field(default_factory=list)

    def total(self) -> float:
        """What all items cost together."""
        return sum(item.p
