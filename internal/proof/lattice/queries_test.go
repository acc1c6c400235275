package lattice

import (
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"slices"
	"strings"
	"testing"
)

// caches are fields that make a lookup faster. Their change has no other effect.
var caches = []string{"Graph.lastKinds", "Graph.lastPlaces", "Table.last", "Table.lastOf"}

// beside lists methods of Graph that change other state than the observed one,
// with the reason.
var beside = map[string]string{
	"SetNote":     "the note of a node belongs to the node records",
	"Fan":         "the cursor of a fan-out belongs to the work",
	"FanMember":   "the cursor of a fan-out belongs to the work",
	"FanNext":     "the cursor of a fan-out belongs to the work",
	"Prefetch":    "the next events only make Apply faster",
	"Find":        "the next event only makes Apply faster",
	"OpenCursor":  "a cursor belongs to its reader",
	"CloseCursor": "a cursor belongs to its reader",
}

// core reports whether the file is part of the engine's locked core. The graph itself
// is not: its own functions change it.
func core(f *file) bool {
	return engineFile(f) || f.below(machines...) && f.dir() != "graph"
}

// TestOnePlaceChangesTheGraph checks that one function of the engine calls the
// methods that change the graph. The ratchet ends at 1.
func TestOnePlaceChangesTheGraph(t *testing.T) {
	p := typed(t)
	changers := changers(p.declarations, newEffects(p.declarations, caches), "graph", "Graph", "inner")
	if len(changers) == 0 {
		t.Fatal("no method changes the graph")
	}
	for name := range beside {
		if !slices.ContainsFunc(slices.Collect(maps.Keys(changers)), func(fn *types.Func) bool { return fn.Name() == name }) {
			t.Errorf("%s does not change the graph: remove it from the list", name)
		}
	}
	n := 0
	for _, d := range p.sorted() {
		if !core(d.file) {
			continue
		}
		if calls := p.callsOf(d, changers); len(calls) > 0 {
			n++
			t.Logf("%s:%d: %s calls %s", d.file.path, d.file.line(d.decl.Pos()), d.name(), strings.Join(calls, ", "))
		}
	}
	onlyFalls(t, "functions that change the graph", n)
}

// changers returns the exported methods of the types of a package that change their receiver.
// The value is false for a method beside the observed state.
func changers(p declarations, a *effects, dir string, typeNames ...string) map[*types.Func]bool {
	set := map[*types.Func]bool{}
	for fn, d := range p.decls {
		if d.decl.Recv != nil && slices.Contains(typeNames, receiver(d.decl)) && d.file.dir() == dir && fn.Exported() && a.of[fn].writes&1 != 0 {
			set[fn] = beside[fn.Name()] == ""
		}
	}
	return set
}

// callsOf returns the names of the called functions that are in the set.
func (p declarations) callsOf(d *definition, set map[*types.Func]bool) []string {
	var list []string
	ast.Inspect(d.decl.Body, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok {
			if fn := p.callee(call); fn != nil && set[fn] {
				list = append(list, fn.Name())
			}
		}
		return true
	})
	return list
}

// acts are the verbs of functions that act and return true on success. Every other
// function with one bool result answers a question.
var acts = []string{
	"add", "begin", "confirm", "decide", "drop", "end", "hold", "issue", "keep", "next", "note", "pass", "pop",
	"record", "remove", "retry", "revoke", "see", "start", "step", "take", "try", "use", "want",
}

// question reports whether a function answers a question by its result and name.
func question(fn *types.Func) bool {
	results := fn.Signature().Results()
	one := results.Len() == 1 && types.Identical(results.At(0).Type(), types.Typ[types.Bool])
	return one && !slices.Contains(acts, parts(fn.Name())[0])
}

// TestQueriesChangeNothing counts the questions of the engine that change their
// receiver or an argument. The ratchet ends at 0.
func TestQueriesChangeNothing(t *testing.T) {
	p := typed(t)
	a := newEffects(p.declarations, caches)
	n, seen := 0, 0
	for _, d := range p.sorted() {
		if !core(d.file) || !question(d.fn) {
			continue
		}
		seen++
		if a.of[d.fn].writes != 0 {
			n++
			t.Logf("%s:%d: %s answers a question and makes a change", d.file.path, d.file.line(a.cause[d.fn]), d.name())
		}
	}
	if seen == 0 {
		t.Fatal("no function of the engine answers a question")
	}
	onlyFalls(t, "questions that make a change", n)
}

// TestEffects compares the analysis with a sample. The comment of a function
// names the parameters that the function changes.
func TestEffects(t *testing.T) {
	p := &program{map[string]*types.Package{}, declarations{newInfo(), map[*types.Func]*definition{}}}
	fset := token.NewFileSet()
	f, err := parseIn(fset, "p/p.go", []byte(readSample(t, "effects.txt")))
	if err != nil {
		t.Fatal(err)
	}
	if err := p.check("p", []*file{f}, fset); err != nil {
		t.Fatal(err)
	}
	a := newEffects(p.declarations, []string{"graph.cache"})
	for _, d := range p.sorted() {
		var got []string
		for i, name := range d.parameters() {
			if a.of[d.fn].writes&(1<<i) != 0 {
				got = append(got, name)
			}
		}
		if want := strings.TrimSpace(d.decl.Doc.Text()); strings.Join(got, " ") != want {
			t.Errorf("%s changes %q, want %q", d.name(), strings.Join(got, " "), want)
		}
	}
}

func TestQuestion(t *testing.T) {
	signature := func(results ...types.Type) *types.Signature {
		var vars []*types.Var
		for _, r := range results {
			vars = append(vars, types.NewParam(token.NoPos, nil, "", r))
		}
		return types.NewSignatureType(nil, nil, nil, nil, types.NewTuple(vars...), false)
	}
	yes, number := types.Typ[types.Bool], types.Typ[types.Int]
	for _, c := range []struct {
		name    string
		results []types.Type
		want    bool
		reason  string
	}{
		{"leaving", []types.Type{yes}, true, "a participle asks"},
		{"IsNewest", []types.Type{yes}, true, "the verb be asks"},
		{"takeEpoch", []types.Type{yes}, false, "the verb take acts"},
		{"Pop", []types.Type{yes}, false, "the verb pop acts"},
		{"length", []types.Type{number}, false, "the result is no bool"},
		{"find", []types.Type{number, yes}, false, "there are two results"},
	} {
		if got := question(types.NewFunc(token.NoPos, nil, c.name, signature(c.results...))); got != c.want {
			t.Errorf("question(%s) = %v, want %v: %s", c.name, got, c.want, c.reason)
		}
	}
}

// parameters returns the names of the receiver and of the parameters.
func (d *definition) parameters() []string {
	var list []string
	if recv := d.fn.Signature().Recv(); recv != nil {
		list = append(list, recv.Name())
	}
	for v := range d.fn.Signature().Params().Variables() {
		list = append(list, v.Name())
	}
	return list
}
