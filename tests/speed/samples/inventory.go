// Package inventory keeps parts in memory and writes them to a file.
package inventory

import (
	"encoding/json"
	"fmt"
	"os"
	"sort"
)

type Part struct {
	Number string
	Name   string
	Price  float64
	Weight float64
}

// Inventory says how many of each part are in which shelf.
type Inventory struct {
	parts  map[string]Part
	counts map[string]map[string]int
}

func New() *Inventory {
	return &Inventory{parts: map[string]Part{}, counts: map[string]map[string]int{}}
}

func (inv *Inventory) Add(part Part, shelf string, count int) error {
	if count < 0 {
		return fmt.Errorf("a count can't be negative: %d", count)
	}
	inv.parts[part.Number] = part
	if inv.counts[shelf] == nil {
		inv.counts[shelf] = map[string]int{}
	}
	inv.counts[shelf][part.Number] += count
	return nil
}

func (inv *Inventory) Remove(number, shelf string, count int) error {
	here := inv.counts[shelf][number]
	if here < count {
		return fmt.Errorf("only %d of %s in %s", here, number, shelf)
	}
	inv.counts[shelf][number] = here - count
	return nil
}

// Value is what all parts in all shelves cost together.
func (inv *Inventory) Value() float64 {
	total := 0.0
	for _, shelf := range inv.counts {
		for number, count := range shelf {
			total += inv.█
		}
	}
	return total
}

func (inv *Inventory) Heavy(limit float64) []Part {
	var found []Part
	for _, part := range inv.parts {
		if part.Weight > limit {
			found = append(found, part)
		}
	}
	sort.Slice(found, func(i, j int) bool { return found[i].Weight < found[j].Weight })
	return found
}

func (inv *Inventory) Save(path string) error {
	data, err := json.Marshal(inv.parts)
	if err != nil {
		return err
	}
	return os.WriteFile(path, data, 0o600)
}
