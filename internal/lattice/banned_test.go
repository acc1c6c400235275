package lattice

import (
	"go/ast"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// promise finds words that put off work. They are spelt in two halves so that
// this file passes.
var promise = regexp.MustCompile(`\b(` + strings.Join([]string{"TO" + "DO", "FIX" + "ME", "X" + "XX"}, "|") + `)\b`)

// skips are the ways in which a test passes without having run.
var skips = []string{"Skip", "Skipf", "SkipNow"}

// checkBanned finds what no file may hold: sleeps, tests that skip themselves,
// and work put off.
func checkBanned(f *file) []finding {
	list := checkPromises(f)
	f.uses("time", func(sel *ast.SelectorExpr) {
		if sel.Sel.Name == "Sleep" {
			list = append(list, f.found(sel.Pos(), "time.Sleep: step, or use testing/synctest and a channel"))
		}
	})
	if f.test() || f.below(harness...) {
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

func TestBanned(t *testing.T) { hold(t, checkBanned) }

func TestBannedCanFail(t *testing.T) { fails(t, "banned.txt", checkBanned) }
