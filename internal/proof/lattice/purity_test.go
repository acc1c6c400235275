package lattice

import (
	"go/ast"
	"slices"
	"testing"
)

// rule lists the imports that the production files of one part may not use. No
// part under a rule reads a clock, starts a goroutine or has a channel.
type rule struct {
	part    string
	applies func(*file) bool
	// denied imports, each with all packages below it.
	denied []string
	reason string
}

var (
	// impure names the packages of waits, locks, chance, logs, and the machine.
	impure = []string{"context", "sync", "golang.org/x/sync", "math/rand", "crypto/rand", "log", "os", "net", "runtime", "syscall"}
	// clock names the functions of package time that read a clock or wait.
	clock = []string{"Now", "After", "AfterFunc", "Sleep", "Tick", "Since", "Until", "NewTimer", "NewTicker"}
)

var purity = []rule{
	{"graph", in("graph"), impure, "the vocabulary has values"},
	{"policy", in("policy"), impure, "a decision depends on its input alone"},
	{"plan", in("plan"), impure, "a plan is data"},
	{"explain", in("explain"), impure, "the vocabulary has values"},
	{"view", in("view"), impure, "a picture depends on its input alone"},
	{"finalizer", in("finalizer"), without(impure, "context"), "the rules are pure, and a handler takes a context"},
	{"archive", in("archive"), without(impure, "context"), "a restore set depends on the entries alone, and a store takes a context"},
	{"guard", in("guard"), impure, "the declarations are data"},
	{"lint", in("lint"), impure, "the findings depend on the dump alone"},
	{"a machine", func(f *file) bool { return f.below(machines...) }, impure, "a machine returns its requests as data, and time is a parameter"},
	{"internal/replica", in("internal/replica"), []string{"context", "sync", "math/rand", "log", "os", "net", "runtime", "syscall"}, "a state is a value; its clock is a setting, and only its UIDs are random"},
	{"internal/terminal", in("internal/terminal"), without(impure, "os", "syscall"), "time is a parameter"},
	{"the root but for collector*.go", engineFile, []string{"sync", "golang.org/x/sync"}, "work is returned as data, time is a parameter"},
}

func in(dir string) func(*file) bool { return func(f *file) bool { return f.dir() == dir } }

func without(list []string, drop ...string) []string {
	return slices.DeleteFunc(slices.Clone(list), func(s string) bool { return slices.Contains(drop, s) })
}

// engineFile reports whether the file is of the engine or of its forecasts. The root's Collector alone
// has goroutines, locks and a clock.
func engineFile(f *file) bool { return f.dir() == "engine" || f.dir() == "internal/forecast" }

// checkPurity finds the imports, clocks, goroutines and channels that make a
// pure part depend on more than its input.
func checkPurity(f *file) []finding {
	var list []finding
	for _, r := range purity {
		if f.test() || !r.applies(f) {
			continue
		}
		list = append(list, r.imports(f)...)
		list = append(list, r.clock(f)...)
		list = append(list, r.goroutines(f)...)
	}
	return list
}

func (r rule) imports(f *file) []finding {
	var list []finding
	for _, s := range f.ast.Imports {
		p := imported(s)
		if slices.ContainsFunc(r.denied, func(d string) bool { return within(p, d) }) {
			list = append(list, f.found(s.Pos(), "%s may not import %s: %s", r.part, p, r.reason))
		}
	}
	return list
}

func (r rule) clock(f *file) []finding {
	var list []finding
	f.uses("time", func(sel *ast.SelectorExpr) {
		if slices.Contains(clock, sel.Sel.Name) {
			list = append(list, f.found(sel.Pos(), "%s may not use time.%s: %s", r.part, sel.Sel.Name, r.reason))
		}
	})
	return list
}

func (r rule) goroutines(f *file) []finding {
	var list []finding
	ast.Inspect(f.ast, func(n ast.Node) bool {
		switch n.(type) {
		case *ast.GoStmt:
			list = append(list, f.found(n.Pos(), "%s may not start a goroutine: %s", r.part, r.reason))
		case *ast.ChanType:
			list = append(list, f.found(n.Pos(), "%s may not have a channel: %s", r.part, r.reason))
		}
		return true
	})
	return list
}

func TestPurity(t *testing.T) { passes(t, checkPurity) }

func TestPurityCanFail(t *testing.T) {
	fails(t, "purity.txt", checkPurity)
	fails(t, "handler.txt", checkPurity)
	fails(t, "engine.txt", checkPurity)
	fails(t, "impuremachine.txt", checkPurity)
}

func TestEngineFile(t *testing.T) {
	for _, c := range []struct {
		path   string
		want   bool
		reason string
	}{
		{"engine/engine.go", true, "the engine"},
		{"internal/forecast/run.go", true, "a forecast runs a fork of it"},
		{"collector.go", false, "the Collector waits"},
		{"adapters/memory/watch.go", false, "a store does I/O"},
	} {
		if got := engineFile(&file{path: c.path}); got != c.want {
			t.Errorf("engineFile(%s) = %v, want %v: %s", c.path, got, c.want, c.reason)
		}
	}
}
