"""An inventory of parts, kept in memory and written to a file."""

import json
from collections import defaultdict
from dataclasses import asdict, dataclass
from pathlib import Path


@dataclass(frozen=True)
class Part:
    number: str
    name: str
    price: float
    weight: float = 0.0


class Inventory:
    """How many of each part are in which shelf."""

    def __init__(self) -> None:
        self.parts: dict[str, Part] = {}
        self.counts: dict[str, dict[str, int]] = defaultdict(dict)

    def add(self, part: Part, shelf: str, count: int = 1) -> None:
        if count < 0:
            raise ValueError("a count can't be negative")
        self.parts[part.number] = part
        self.counts[shelf][part.number] = self.counts[shelf].get(part.number, 0) + count

    def remove(self, number: str, shelf: str, count: int = 1) -> None:
        here = self.counts[shelf].get(number, 0)
        if here < count:
            raise KeyError(f"only {here} of {number} in {shelf}")
        self.counts[shelf][number] = here - count

    def count(self, number: str) -> int:
        return sum(shelf.get(number, 0) for shelf in self.counts.values())

    def value(self) -> float:
        """What all parts in all shelves cost together."""
        total = 0.0
        for shelf in self.counts.values():
            for number, count in shelf.items():
                total += self.█
        return total

    def heavy(self, limit: float) -> list[Part]:
        return sorted((part for part in self.parts.values() if part.weight > limit), key=lambda part: part.weight)

    def save(self, path: Path) -> None:
        whole = {"parts": [asdict(part) for part in self.parts.values()], "counts": self.counts}
        path.write_text(json.dumps(whole))


def load(path: Path) -> Inventory:
    inventory = Inventory()
    whole = json.loads(path.read_text())
    for part in whole["parts"]:
        inventory.parts[part["number"]] = Part(**part)
    inventory.counts.update(whole["counts"])
    return inventory
