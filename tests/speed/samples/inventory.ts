import { readFile, writeFile } from "node:fs/promises";

export interface Part {
  number: string;
  name: string;
  price: number;
  weight?: number;
}

/** How many of each part are in which shelf. */
export class Inventory {
  private parts = new Map<string, Part>();
  private counts = new Map<string, Map<string, number>>();

  add(part: Part, shelf: string, count = 1): void {
    if (count < 0) {
      throw new RangeError("a count can't be negative");
    }
    this.parts.set(part.number, part);
    const here = this.shelf(shelf);
    here.set(part.number, (here.get(part.number) ?? 0) + count);
  }

  remove(number: string, shelf: string, count = 1): void {
    const here = this.shelf(shelf);
    const there = here.get(number) ?? 0;
    if (there < count) {
      throw new RangeError(`only ${there} of ${number} in ${shelf}`);
    }
    here.set(number, there - count);
  }

  count(number: string): number {
    let total = 0;
    for (const shelf of this.counts.values()) {
      total += shelf.get(number) ?? 0;
    }
    return total;
  }

  /** What all parts in all shelves cost together. */
  value(): number {
    let total = 0;
    for (const shelf of this.counts.values()) {
      for (const [number, count] of shelf) {
        total += this.█
      }
    }
    return total;
  }

  private shelf(name: string): Map<string, number> {
    const found = this.counts.get(name) ?? new Map<string, number>();
    this.counts.set(name, found);
    return found;
  }

  async save(path: string): Promise<void> {
    await writeFile(path, JSON.stringify([...this.parts.values()]));
  }
}

export async function load(path: string): Promise<Part[]> {
  return JSON.parse(await readFile(path, "utf8"));
}
