package lattice

import (
	"go/ast"
	"slices"
	"testing"
)

// logWriters are the files of the root that may use Config.Logger: its default, and the
// writers of the lines that a step has returned.
var logWriters = []string{"engine/config.go", "engine/effects.go", "collector_step.go"}

// checkLog finds uses of the logger in the other files of the root. A line of the log is
// data there, because a log handler may take long and the Collector has a lock.
func checkLog(f *file) []finding {
	if f.dir() != "." && f.dir() != "engine" || f.test() || slices.Contains(logWriters, f.path) {
		return nil
	}
	var list []finding
	ast.Inspect(f.ast, func(n ast.Node) bool {
		if sel, ok := n.(*ast.SelectorExpr); ok && sel.Sel.Name == "Logger" {
			list = append(list, f.found(sel.Pos(), "a line of the log is data: see package effect"))
		}
		return true
	})
	return list
}

func TestLog(t *testing.T) { passes(t, checkLog) }

func TestLogCanFail(t *testing.T) { fails(t, "logger.txt", checkLog) }
