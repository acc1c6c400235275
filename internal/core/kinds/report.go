package kinds

import (
	"fmt"
	"strings"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/seq"
)

// maxUnlisted bounds the kinds that Unsynced names.
const maxUnlisted = 8

// Busy reports whether a listing is under way or due, or its pruning is under way.
func (t *Table) Busy() bool { return !t.IsPruned() || t.ListsWanted() || t.Listing() }

// SetSickAt notes that a kind became sick after the last stamp. It decides nothing.
func (t *Table) SetSickAt(name graph.Kind, last seq.Stamp) {
	if s := t.states[name]; s != nil {
		s.SickAt = last + 1
	}
}

// SickNames names the kinds that take part and are sick, each with the reason. It names a
// refused set of kinds, too.
func (t *Table) SickNames() (names []string) {
	for _, name := range t.names {
		if k := t.states[name]; k.Part && k.Sick != "" {
			names = append(names, string(name)+": "+k.Sick)
		}
	}
	if t.setLost {
		names = append(names, "the newest set of kinds was refused")
	}
	return names
}

// Unsynced gives the reason for which not every kind is listed and well, "" for none.
func (t *Table) Unsynced() string {
	if !t.setKnown {
		return "the watch has not told the kinds"
	}
	var names []string
	for _, name := range t.names {
		switch k := t.states[name]; {
		case !k.Part:
		case k.Sick != "":
			names = append(names, fmt.Sprintf("%.200s (%.200s)", name, k.Sick))
		case !k.Listed:
			names = append(names, fmt.Sprintf("%.200s", name))
		}
	}
	more := max(len(names)-maxUnlisted, 0)
	names = names[:len(names)-more]
	if t.setLost {
		names = append(names, "those of a set that was refused")
	}
	if len(names) == 0 {
		return ""
	}
	text := "kinds that are not listed: " + strings.Join(names, ", ")
	if more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}
