package lattice

import (
	"go/ast"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// promise finds the marks of postponed work. The halves of a mark stand apart
// here, so that this file passes.
var promise = regexp.MustCompile(`\b(` + strings.Join([]string{"TO" + "DO", "FIX" + "ME", "X" + "XX"}, "|") + `)\b`)

// skips are the methods with which a test passes without a run.
var skips = []string{"Skip", "Skipf", "SkipNow"}

// checkBanned finds sleeps, tests that skip themselves, and postponed work. No
// file may have them.
func checkBanned(f *file) []finding {
	list := checkPromises(f)
	f.uses("time", func(sel *ast.SelectorExpr) {
		if sel.Sel.Name == "Sleep" {
			list = append(list, f.found(sel.Pos(), "time.Sleep: step, or use testing/synctest and a channel"))
		}
	})
	if f.test() || f.harness() {
		list = append(list, checkSkips(f)...)
	}
	return list
}

func checkPromises(f *file) []finding {
	var list []finding
	tokens := f.fset.File(f.ast.Package)
	for _, at := range promise.FindAllIndex(f.src, -1) {
		list = append(list, f.found(tokens.Pos(at[0]), "%s: do it, or file it", f.src[at[0]:at[1]]))
	}
	return list
}

func checkSkips(f *file) []finding {
	var list []finding
	ast.Inspect(f.ast, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		if sel, ok := call.Fun.(*ast.SelectorExpr); ok && slices.Contains(skips, sel.Sel.Name) {
			list = append(list, f.found(call.Pos(), "%s: a test runs or fails", sel.Sel.Name))
		}
		return true
	})
	return list
}

func TestBanned(t *testing.T) { passes(t, checkBanned) }

func TestBannedCanFail(t *testing.T) { fails(t, "banned.txt", checkBanned) }
