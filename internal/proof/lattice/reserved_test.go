package lattice

import (
	"go/ast"
	"strings"
	"testing"
)

// keepers may mention the reserved field Owner.OnDelete: they write it, hash it, or give it
// back.
var keepers = []string{"graph", "explain", "graph", "internal/core/history", "internal/core/fingerprint", "internal/draft", "adapters"}

// checkReserved finds OnDelete in code that decides, plans or judges.
func checkReserved(f *file) (list []finding) {
	if f.test() || f.harness() || f.below(keepers...) {
		return nil
	}
	ast.Inspect(f.ast, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && strings.HasPrefix(id.Name, "OnDelete") {
			list = append(list, f.found(id.Pos(), "%s is reserved: no code reads it yet", id.Name))
		}
		return true
	})
	return list
}

func TestOnDeleteIsReserved(t *testing.T) { passes(t, checkReserved) }

func TestReservedCanFail(t *testing.T) { fails(t, "reserved.txt", checkReserved) }
