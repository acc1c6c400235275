package invariant_test

import (
	"strings"
	"testing"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/engine"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/proof/invariant"
)

// TestLedgerOfGuards has, for each law of guards, a write that keeps it and one that breaks it.
func TestLedgerOfGuards(t *testing.T) {
	const hold, isNew = graph.FinalizerHold, graph.FinalizerNew
	names := strings.NewReplacer("HOLD", hold, "NEW", isNew, "PROTECT", graph.FinalizerProtect)
	for _, c := range []struct {
		start, then, write, want, reason string
	}{
		{"b[PROTECT] -> a", "", "delete b", "G1:", "b carries the finalizer of protection"},
		{"c -> a", "", "delete c", "G1:", "the settings protect c"},
		{"b -> a", "", "delete b", "", "no rule protects b"},
		{"b[PROTECT] -> a", "put b#2 -> a", "delete b#2", "", "the protection has ended"},
		{"b[PROTECT]", "", "release b PROTECT", "G1:", "a user alone ends protection"},
		{"b", "", "attach b PROTECT", "G1:", "a user alone protects"},
		{"a[HOLD,NEW]", "", "release a HOLD", "G2:", "a verdict needs a mark"},
		{"a[HOLD,NEW]", "", "release a NEW", "G2:", "a verdict needs a mark"},
		{"a~[HOLD,NEW]", "", "release a HOLD", "", "the guard lets the deletion pass"},
		{"a~[HOLD,NEW]", "", "release a NEW", "", "the guard refuses the deletion"},
		{"a", "", "attach a NEW", "G2:", "hold goes on first"},
		{"a[HOLD]", "", "attach a NEW", "", "hold is on"},
		{"a~[HOLD]", "", "release a HOLD", "G4:", "the deletion was refused"},
		{"a~[HOLD,NEW]", "put a#2~[HOLD]", "release a#2 HOLD", "G4:", "the deletion is refused now"},
		{"a~[HOLD,NEW,foreground]; b -> a", "", "delete b", "G3:", "the mark is withheld"},
		{"a~[HOLD,NEW,foreground]; b -> a", "put a#2~[foreground,NEW]", "delete b", "", "the guard has let it pass"},
		{"a~[HOLD,foreground]; b -> a, c; c", "", "drop b->a", "G3:", "a held owner does not wait beside c"},
		{"a~[HOLD,orphan]; b -> a", "", "drop b->a", "G3:", "a held owner frees no dependent"},
		{"a~[PROTECT,foreground]; b -> a", "", "delete b", "G3:", "the mark of a protected object is withheld"},
		{"c~[foreground]; b -> c", "", "delete b", "G3:", "a rule protects c"},
		{"a~[HOLD,foreground]", "", "release a foregroundDeletion", "G3:", "a withheld mark ends nothing"},
		{"a~[HOLD,orphan]", "", "release a orphan", "G3:", "a withheld mark ends nothing"},
		{"a~[foreground] -> b!; b~[HOLD,foreground] -> a!", "", "unblock a->b!", "", "b did not wait before, so its mark protects nothing"},
		{"a~[HOLD,NEW]", "", "delete a as foreground", "", "the deletion is repeated for an order"},
	} {
		start, err := graph.Parse(names.Replace(c.start))
		if err != nil {
			t.Fatal(err)
		}
		for i := range start {
			start[i].Version = "1"
		}
		l := invariant.NewLedger(nil)
		l.Protects = func(o graph.Object) bool { return o.Name == "c" && len(o.Owners) > 0 || o.Name == "c" && o.Deleting }
		for _, o := range append(unmarked(start), start...) {
			l.Commit(graph.Event{Type: graph.Put, Object: o})
		}
		if c.then != "" {
			l.Commit(graph.Event{Type: graph.Put, Object: parse(t, names.Replace(strings.TrimPrefix(c.then, "put ")))})
		}
		got := l.Clone().Judge(write(t, names.Replace(c.write)))
		if c.want == "" && got != nil || c.want != "" && (got == nil || !strings.HasPrefix(got.Error(), c.want)) {
			t.Errorf("%s; %s; %s: got %v, want %q: %s", c.start, c.then, c.write, got, c.want, c.reason)
		}
	}
}

// TestHandlersOfHeldRoots checks that a handler that runs for a held root is a breach.
func TestHandlersOfHeldRoots(t *testing.T) {
	l := invariant.NewLedger(nil)
	o := graph.Object{Key: parse(t, "a").Key, Deleting: true, Finalizers: []string{"x.io/h", graph.FinalizerHold}}
	c := engine.Call{Type: engine.CallHandle, Key: o.Key, Object: o, Finalizer: "x.io/h"}
	if err := l.JudgeHandler(c); err == nil || !strings.HasPrefix(err.Error(), "G3:") {
		t.Errorf("a handler runs for a held root: got %v, want G3", err)
	}
	w := invariant.NewWitness(ownergraph.Level2, false)
	if err := w.Handed(c, nil); err == nil || !strings.HasPrefix(err.Error(), "G3:") {
		t.Errorf("the witness says %v, want G3", err)
	}
	c.Object.Finalizers = c.Object.Finalizers[:1]
	if err := l.JudgeHandler(c); err != nil {
		t.Errorf("the root is not held: got %v", err)
	}
}

// TestWitnessOfVerdicts checks that an engine writes a verdict behind a fence that began when
// the mark was known.
func TestWitnessOfVerdicts(t *testing.T) {
	const both = "[ownergraph.github.io/hold,ownergraph.github.io/new]"
	const fenced = "; fence 1; passed a; passed b; passed"
	for _, c := range []struct{ history, write, want, reason string }{
		{"put b~" + both + fenced, "release b " + graph.FinalizerHold, "", "the fence began after the mark"},
		{"put b~" + both + fenced, "release b " + graph.FinalizerNew, "", "a refusal is a verdict, too"},
		{"put b" + both + fenced + "; put b~" + both, "release b " + graph.FinalizerHold, "G2:", "the fence began before the mark"},
		{"put b" + both + fenced + "; put b~" + both, "release b " + graph.FinalizerNew, "G2:", "the same for a refusal"},
		{"put b~" + both + "; fence 1; passed a; passed", "release b " + graph.FinalizerHold, "G2:", "kind b has not passed the fence"},
		{"put b~" + both + "; rewound" + fenced + "; list a; list b; put b~" + both, "release b " + graph.FinalizerHold, "G2:", "the known mark is of another history"},
	} {
		w := invariant.NewWitness(ownergraph.Level2, false)
		w.Observed(graph.Event{Type: graph.KindsKnown, Kinds: kinds})
		for _, line := range strings.Split(c.history, "; ") {
			tell(t, w, strings.TrimSpace(line))
		}
		live := parse(t, "b~"+both)
		got := w.Handed(write(t, c.write), &live)
		if c.want == "" && got != nil || c.want != "" && (got == nil || !strings.HasPrefix(got.Error(), c.want)) {
			t.Errorf("%s; %s: got %v, want %q: %s", c.history, c.write, got, c.want, c.reason)
		}
	}
	w := invariant.NewWitness(ownergraph.Level2, false)
	live := parse(t, "b~[ownergraph.github.io/new]")
	if err := w.Handed(write(t, "release b "+graph.FinalizerNew), &live); err != nil {
		t.Errorf("without hold new goes without a fence: %v", err)
	}
}
