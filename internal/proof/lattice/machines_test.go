package lattice

import (
	"go/ast"
	"maps"
	"slices"
	"strings"
	"testing"
)

// machineList is a list of engine/machines.go: its functions, and the variable that has the
// machines there.
type machineList struct{ name, functions, of string }

// machineLists are the lists that name each machine of an Engine.
var machineLists = []machineList{
	{"leave", "leaveObject", "e"},
	{"free", "freeNode", "e"},
	{"clone", "clone", "c"},
	{"check", "check", "e"},
	{"hash", "fingerprint", "e"},
	{"work", "Idle idleIn wake", "e"},
}

// leftOut is a reason why lists leave machines out.
type leftOut struct{ lists, machines, reason string }

var leftOuts = []leftOut{
	{"leave free clone work", "seq", "it is a number, which a copy of the Engine has"},
	{"check", "seq", "each step checks it: see tick"},
	{"hash", "seq", "stamps enter through their comparisons"},
	{"leave free hash work", "times", "it has the times of stamps, for explanations"},
	{"leave check hash work", "effects", "it is empty between two steps"},
	{"leave free work", "copies follows", "they take the change of the graph before: see applyDelta"},
	{"hash", "copies follows held", "they report, and decide nothing"},
	{"check", "copies", "package excerpt checks each copy in its tests"},

	{"leave", "kinds", "it names no node"},
	{"leave", "nodes", "the Engine changes the state by edit"},
	{"leave", "work", "endWaits has forgotten its delay, and the node may have dependents to decide"},
	{"leave", "calls", "endWaits has dropped the retry, and a call under way finds its object gone"},
	{"leave", "cycles", "its last version has begun the search anew: see newVersion"},
	{"leave", "absent", "the node itself has its absence until it is freed"},
	{"leave free", "history", "it explains objects that are gone, and has its own bound"},
	{"leave free", "orphaned", "it remembers owners that are gone, and has its own bound: see applyDelta"},
	{"leave free", "order", "it takes the change of the graph before: see observeOrder"},
	{"leave free", "fence fanout audit misplaced", "their lists may have nodes out of use, which they pass over"},

	{"check", "nodes", "the other machines check the states: see view"},
	{"check", "fence misplaced", "its waiters may be out of use, and no other part depends on another"},

	{"work", "absent orphaned undone history", "it remembers, and begins nothing"},
	{"work", "held misplaced", "a held object waits for the outside, or in another machine"},
}

// machinesOf returns the fields of the type Engine that are machines: their types are those of
// the packages of internal/core, the graph and the queue.
func machinesOf(files []*file) (names []string) {
	for _, f := range files {
		for _, d := range f.ast.Decls {
			if d, ok := d.(*ast.GenDecl); ok {
				for _, s := range d.Specs {
					names = append(names, f.machineFields(s)...)
				}
			}
		}
	}
	return names
}

func (f *file) machineFields(s ast.Spec) (names []string) {
	x, ok := s.(*ast.TypeSpec)
	if !ok || x.Name.Name != "Engine" {
		return nil
	}
	of, ok := x.Type.(*ast.StructType)
	if !ok {
		return nil
	}
	for _, field := range of.Fields.List {
		for _, name := range field.Names {
			if f.isMachine(field.Type) {
				names = append(names, name.Name)
			}
		}
	}
	return names
}

// isMachine reports whether a type is that of a machine, or a list of machines.
func (f *file) isMachine(t ast.Expr) bool {
	switch t := t.(type) {
	case *ast.StarExpr:
		return f.isMachine(t.X)
	case *ast.ArrayType:
		return f.isMachine(t.Elt)
	case *ast.MapType:
		return f.isMachine(t.Value)
	case *ast.IndexExpr:
		return f.isMachine(t.X)
	case *ast.SelectorExpr:
		x, ok := t.X.(*ast.Ident)
		return ok && slices.ContainsFunc(f.ast.Imports, func(s *ast.ImportSpec) bool {
			dir, _ := target(imported(s))
			main := dir == "graph" && t.Sel.Name == "Graph" || dir == "queue" && t.Sel.Name == "Queue"
			return x.Name == f.localName(imported(s)) && (main || within(dir, "internal/core"))
		})
	}
	return false
}

// namedIn adds the fields of a variable that a function of the file names, and those of the other
// functions of the file that it names.
func (f *file) namedIn(function, of string, named, seen map[string]bool) {
	if seen[function] {
		return
	}
	seen[function] = true
	for _, d := range f.ast.Decls {
		fn, ok := d.(*ast.FuncDecl)
		if !ok || fn.Name.Name != function {
			continue
		}
		ast.Inspect(fn.Body, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.SelectorExpr:
				if x, ok := n.X.(*ast.Ident); ok && x.Name == of {
					named[n.Sel.Name] = true
				}
			case *ast.Ident:
				f.namedIn(n.Name, of, named, seen)
			}
			return true
		})
	}
}

// checkMachines finds machines that a list lacks, and reasons that no list needs.
func checkMachines(machines []string, lists []machineList, left []leftOut) func(*file) []finding {
	return func(f *file) (found []finding) {
		reasons := map[string]int{} // the number of reasons of a list and a machine
		for _, x := range left {
			for _, list := range strings.Fields(x.lists) {
				for _, m := range strings.Fields(x.machines) {
					reasons[list+" "+m]++
				}
			}
		}
		at := f.ast.Name.Pos()
		for _, list := range lists {
			named := map[string]bool{}
			for _, function := range strings.Fields(list.functions) {
				f.namedIn(function, list.of, named, map[string]bool{})
			}
			for _, m := range machines {
				key := list.name + " " + m
				switch {
				case !named[m] && reasons[key] == 0:
					found = append(found, f.found(at, "the list %s lacks the machine %s", list.name, m))
				case named[m] && reasons[key] > 0:
					found = append(found, f.found(at, "the list %s has the machine %s, and a reason to leave it out", list.name, m))
				case reasons[key] > 1:
					found = append(found, f.found(at, "the list %s has %d reasons to leave out %s", list.name, reasons[key], m))
				}
				delete(reasons, key)
			}
		}
		for _, key := range slices.Sorted(maps.Keys(reasons)) {
			found = append(found, f.found(at, "there is a reason for %s, which does not exist", key))
		}
		return found
	}
}

// TestMachines checks that each list of engine/machines.go names each machine of an Engine, or has
// a reason to leave it out.
func TestMachines(t *testing.T) {
	files := repo(t).packages()["engine"]
	machines := machinesOf(files)
	if len(machines) < 25 {
		t.Fatalf("machines %q: the check sees too few", machines)
	}
	i := slices.IndexFunc(files, func(f *file) bool { return f.path == "engine/machines.go" })
	if i < 0 {
		t.Fatal("engine/machines.go does not exist")
	}
	report(t, checkMachines(machines, machineLists, leftOuts)(files[i]))
}

const sampleEngine = `package p

import (
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/fence"
	held "github.com/ownergraph/ownergraph/internal/core/kept"
	"github.com/ownergraph/ownergraph/queue"
)

type Engine struct {
	graph    *graph.Graph
	work     *queue.Queue[graph.NodeID]
	a, b     fence.Machine
	held     []*held.Table
	other    map[graph.UID][]graph.NodeID
	lane     queue.Priority
	settings struct{}
}

type Other struct{ none fence.Machine }

func clone(e *Engine) *Engine {
	c := *e
	c.graph = e.graph.Clone()
	c.work = e.work.Clone()
	c.held = clones(e.a, e.b)
	return &c
}

func check(e *Engine) error { return checkAll(e) }

func checkAll(e *Engine) error {
	e.graph.Check()
	return check(e) + e.a.Check() + x.b.Check() + e.held.Check()
}
`

func TestMachinesCanFail(t *testing.T) {
	f := mustParse(t, sampleEngine)
	machines := machinesOf([]*file{f})
	if want := []string{"graph", "work", "a", "b", "held"}; !slices.Equal(machines, want) {
		t.Fatalf("machines %q, want %q", machines, want)
	}
	lists := []machineList{{"copy", "clone", "c"}, {"check", "check", "e"}}
	enough := []leftOut{{"copy", "a b", "they have no state"}, {"check", "work b", "they have no invariant"}}
	for _, c := range []struct {
		left         []leftOut
		want, reason string
	}{
		{enough, "", "each gap has its reason"},
		{enough[1:], "the list copy lacks the machine a; the list copy lacks the machine b", "a field of the other engine is no copy"},
		{enough[:1], "the list check lacks the machine work; the list check lacks the machine b", "no field of another variable counts"},
		{append(enough, leftOut{"copy", "held", "none"}), "the list copy has the machine held, and a reason to leave it out", "a gap has been filled"},
		{append(enough, leftOut{"check", "b", "none"}), "the list check has 2 reasons to leave out b", "one reason is enough"},
		{append(enough, leftOut{"check", "c", "none"}), "there is a reason for check c, which does not exist", "a machine has gone"},
	} {
		var got []string
		for _, x := range checkMachines(machines, lists, c.left)(f) {
			got = append(got, x.text)
		}
		if text := strings.Join(got, "; "); text != c.want {
			t.Errorf("%s:\n got  %s\n want %s", c.reason, text, c.want)
		}
	}
}
