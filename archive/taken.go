package archive

import (
	"fmt"
	"strings"

	"github.com/ownergraph/ownergraph/graph"
)

// TakenError says that other objects have the names of a restore (RULES, A3). It wraps graph.ErrConflict. Nothing is
// done.
type TakenError struct {
	// Taken are the objects that have the names, by the UID of the entry.
	Taken map[graph.UID]graph.Key
}

// Error lists the first names, sorted.
func (e *TakenError) Error() string {
	const most = 8
	keys := make([]graph.Key, 0, len(e.Taken))
	for _, k := range e.Taken {
		keys = append(keys, k)
	}
	sortKeys(keys)
	var b strings.Builder
	b.WriteString("restore: " + counted(len(keys), "name is taken", "names are taken"))
	for i, k := range keys[:min(len(keys), most)] {
		b.WriteString([]string{": ", ", "}[min(i, 1)] + k.String())
	}
	if len(keys) > most {
		fmt.Fprintf(&b, " and %d more", len(keys)-most)
	}
	return b.String()
}

// Unwrap returns graph.ErrConflict.
func (e *TakenError) Unwrap() error { return graph.ErrConflict }

// RefusedError lists the roots that cannot come back (RULES, A3). It wraps graph.ErrRefused. Nothing is done before the first
// write of a restore. Later the error says that a user has deleted a new root, or its owner.
type RefusedError struct {
	Refused []Left
}

// Error names the first root, and counts the others.
func (e *RefusedError) Error() string {
	x := e.Refused[0]
	text := fmt.Sprintf("restore %s: %s", x.Entry.Object.Key, x.Why)
	switch {
	case x.Why == PayloadUnreadable:
		text += fmt.Sprintf(" (%s)", x.Entry.Unreadable)
	case x.Owner.UID != "":
		text += fmt.Sprintf(" (%s)", x.Owner.Key)
	}
	if n := len(e.Refused) - 1; n > 0 {
		text += ", and " + counted(n, "more root is refused", "more roots are refused")
	}
	return text
}

func counted(n int, one, many string) string {
	if n == 1 {
		many = one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// Unwrap returns graph.ErrRefused.
func (e *RefusedError) Unwrap() error { return graph.ErrRefused }
