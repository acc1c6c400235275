package invariant_test

import (
	"errors"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/engine"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/proof/invariant"
)

// kinds are the kinds of every witness in these tests.
var kinds = []graph.KindInfo{{Kind: "a"}, {Kind: "b"}}

// tell reports one event or result to a witness. Events of objects and kinds are
// "put a~[orphan]", "gone a", "begin a", "end a", "list a" (an empty listing),
// "vanish a" and "refused a". Other events are "fence 1", "passed a", "rewound",
// "restored" (with an epoch) and "broke". Results are "absent a", "failed a",
// "read a~[orphan]", "late a" and "handled a". "decided" is the next write's decision.
func tell(t *testing.T, w *invariant.Witness, line string) {
	t.Helper()
	verb, arg, _ := strings.Cut(line, " ")
	read := engine.Call{ID: 50, Type: engine.CallRead}
	answer := func(c engine.Call, r engine.Result) {
		if err := w.Handed(c, nil); err != nil {
			t.Fatal(err)
		}
		w.Answered(c, r)
	}
	switch verb {
	case "put":
		w.Observed(graph.Event{Type: graph.Put, Object: parse(t, arg)})
	case "gone":
		w.Observed(graph.Event{Type: graph.Gone, Key: parse(t, arg).Key})
	case "list", "begin":
		w.Observed(graph.Event{Type: graph.ListBegun, Kind: graph.Kind(arg)})
		if verb == "list" {
			w.Observed(graph.Event{Type: graph.ListEnded, Kind: graph.Kind(arg)})
		}
	case "end":
		w.Observed(graph.Event{Type: graph.ListEnded, Kind: graph.Kind(arg)})
	case "rewound":
		w.Observed(graph.Event{Type: graph.Rewound})
	case "restored":
		w.Observed(graph.Event{Type: graph.Rewound, Epoch: "one"})
	case "broke":
		w.Broke()
	case "vanish":
		w.Observed(graph.Event{Type: graph.KindVanished, Kind: graph.Kind(arg)})
	case "refused":
		w.Refused(graph.Event{Type: graph.Put, Object: parse(t, arg)})
	case "passed":
		w.Observed(graph.Event{Type: graph.FencePassed, Fence: 1, Kind: graph.Kind(arg)})
	case "fence":
		answer(engine.Call{ID: 51, Type: engine.CallFence}, engine.Result{Fence: 1})
	case "later":
		answer(engine.Call{ID: 51, Type: engine.CallFence}, engine.Result{Fence: 2})
	case "absent":
		read.Key = parse(t, arg).Key
		answer(read, engine.Result{Err: graph.ErrNotFound})
	case "failed":
		read.Key = parse(t, arg).Key
		answer(read, engine.Result{Err: errors.New("timeout")})
	case "read":
		o := parse(t, arg)
		read.Key = o.Key
		answer(read, engine.Result{Object: o})
	case "late": // a read that began before a rewind is answered after it
		read.Key = parse(t, arg).Key
		if err := w.Handed(read, nil); err != nil {
			t.Fatal(err)
		}
		w.Observed(graph.Event{Type: graph.Rewound})
		w.Answered(read, engine.Result{Err: graph.ErrNotFound})
	case "handled":
		o := parse(t, arg)
		answer(engine.Call{ID: 52, Type: engine.CallHandle, Key: o.Key, Finalizer: "x.io/h", Object: o}, engine.Result{})
	case "decided":
		w.Decided(0)
	default:
		t.Fatalf("tell: %q", line)
	}
}

// TestWitness has, for every invariant, a call that keeps it and a call that breaks it.
func TestWitness(t *testing.T) {
	const fenced = "; fence 1; passed a; passed b; passed"
	for _, c := range []struct{ live, history, write, want, reason string }{
		{"b -> a", "put a; gone a", "delete b", "", "the watch saw the owner go"},
		{"b -> a", "", "delete b", "S1a:", "no report names the owner"},
		{"b -> a", "put a", "delete b", "S1a:", "the owner lives"},
		{"b -> a", "failed a", "delete b", "S1a:", "an error is no proof of absence"},
		{"b -> a", "absent a", "delete b", "", "a read did not find the owner"},
		{"b -> a", "absent a@1", "delete b", "S1a:", "the read was for another incarnation, and absence has full coordinates"},
		{"b -> a", "put a; list a", "delete b", "", "a complete listing did not bring the observed owner"},
		{"b -> a", "put a; begin a", "delete b", "S1a:", "a listing that has not ended proves nothing"},
		{"b -> a", "put a; begin a; refused a; end a", "delete b", "S1a:", "a listing with a refused event proves nothing"},
		{"b -> a", "put a; vanish a", "delete b", "S1a:", "a kind that is not served proves no absence"},
		{"b -> a", "put a~[foreground]", "delete b", "", "the owner waits"},
		{"b -> a", "read a~[foreground]", "delete b", "", "a read found the owner waiting"},
		{"b -> a", "put a~[orphan]", "delete b", "S1a:", "the owner orphans"},
		{"b -> a?", "put a; gone a", "delete b", "S1a:", "the scope of the owner is unresolved"},
		{"b -> a", "put b -> a; absent a; rewound; list a; list b", "delete b", "S1a:", "absence ends with its history"},
		{"b -> a", "put b -> a; late a; list a; list b", "delete b", "S1a:", "the rewind voids a read that was under way"},
		{"b -> a", "rewound; list a; list b; absent a", "delete b", "", "every kind is listed anew"},
		{"b -> a", "put b -> a; rewound; list b; absent a", "delete b", "S10:", "kind a has not been listed since"},
		{"b -> a", "rewound; list b; absent a", "delete b", "", "the engine had no evidence before the rewind"},
		{"b -> a", "put b -> a; restored; list a; list b; absent a; restored", "delete b", "", "each epoch counts once"},
		{"b -> a", "absent a; put b -> a", "delete b", "S1a:", "the read began before the reference, which may foresee the UID"},
		{"b#2 -> a", "put b -> a; read b#2 -> a; absent a; put b#2 -> a", "delete b", "", "a read had shown the version before the read of the owner began"},
		{"b#2 -> a", "put b -> a; absent a; read b#2 -> a; put b#2 -> a", "delete b", "S1a:", "the read of the owner began before any report of the version"},
		{"b#2 -> a", "put b -> a; read b#3 -> a; absent a; put b#2 -> a", "delete b", "S1a:", "the read showed another version"},
		{"b -> a", "put b -> a; absent a; put a; gone a", "delete b", "", "the watch saw the owner go"},
		{"b -> a", "put b -> a; absent a; put a; begin a", "delete b", "S1a:", "the watch has shown the owner since"},
		{"b -> a", "put b -> a; put a; gone a; broke", "delete b", "R5:", "the store has not answered since the watch broke"},
		{"b -> a", "put b -> a; put a; gone a; broke; absent c", "delete b", "S1a:", "the absence of c is no proof for a, which may be back"},
		{"b -> a", "put b -> a; put a; gone a; broke; absent a", "delete b", "", "a read since the loss did not find the owner"},
		{"b -> a", "put b -> a; put a; gone a; broke; list a", "delete b", "", "a listing since the loss has not brought the owner"},
		{"b", "", "release b foreign", "S21:", "the finalizer belongs to another controller"},
		{"b~[x.io/h]", "put b~[x.io/h]; handled b~[x.io/h]", "release b x.io/h", "", "the handler has succeeded"},
		{"b~[x.io/h]", "put b~[x.io/h]", "release b x.io/h", "S21:", "the handler has not succeeded"},
		{"b~[x.io/h]", "put b~[x.io/h]; handled b~[x.io/h]; rewound; list a; list b", "release b x.io/h", "S21:", "the handler succeeded in another history"},
		{"b~[orphan]", "put b~[orphan]" + fenced, "release b orphan", "", "a fence has passed that began after the mark"},
		{"b~[orphan]", "put b~[orphan]; fence 1; passed a; passed", "release b orphan", "R3:", "kind b has not passed the fence"},
		{"b~[orphan]", "put b" + fenced + "; put b~[orphan]", "release b orphan", "R3:", "the fence began before the mark"},
		{"b~[orphan]", "put b~[foreground]" + fenced + "; put b~[orphan]", "release b orphan", "R3:", "the fence began before the present mark"},
		{"b~[orphan]", "put b~[orphan]" + fenced + strings.Repeat("; later", 20), "release b orphan", "", "a passed fence counts, and later fences change nothing"},
		{"b~[orphan]", "put b~[orphan]; rewound" + fenced + "; list a; list b; put b~[orphan]", "release b orphan", "R3:", "the known mark is of another history"},
		{"b~[foreground] -> a!", "put b~[foreground] -> a!" + fenced, "unblock b->a!", "", "a fence has passed that began after the mark"},
		{"b~[foreground] -> a!", "put b~[foreground] -> a!; rewound" + fenced + "; list a; begin b; put b~[foreground] -> a!; end b", "unblock b->a!", "R3:", "the known ring is of another history"},
		{"b -> a", "put a", "drop b->a", "S4:", "the owner lives"},
		{"b -> a", "put a~[orphan]", "drop b->a", "", "the owner orphans"},
		{"b -> a", "put a; gone a; put a@b; put b; decided", "delete b -> a", "S8:", "another object has its UID"},
		{"b -> a", "put a~[foreground]; put a/2@a; decided", "delete b", "S8:", "another object has its owner's UID"},
		{"b -> a", "put a~[foreground]; put a/2@a", "delete b", "", "the second object came after the decision"},
		{"b -> a", "absent a", "!delete b", "S5:", "the write has no version"},
	} {
		w := invariant.NewWitness(ownergraph.Level2, false)
		w.Observed(graph.Event{Type: graph.KindsKnown, Kinds: kinds})
		for _, line := range strings.Split(c.history, "; ") {
			if line != "" {
				tell(t, w, strings.TrimSpace(line))
			}
		}
		live := parse(t, c.live)
		got := w.Handed(write(t, c.write), &live)
		if c.want == "" && got != nil || c.want != "" && (got == nil || !strings.HasPrefix(got.Error(), c.want)) {
			t.Errorf("%s; %s; %s: got %v, want %q: %s", c.live, c.history, c.write, got, c.want, c.reason)
		}
	}
}

// TestWitnessOfHandlers checks that a handler runs only for a marked object with its
// finalizer.
func TestWitnessOfHandlers(t *testing.T) {
	for _, c := range []struct{ history, object, want, reason string }{
		{"", "a~[x.io/h]", "", "the object is marked and carries the finalizer"},
		{"", "a[x.io/h]", "S21:", "the object is not marked"},
		{"", "a~[foreign]", "S21:", "the object does not carry the finalizer"},
		{"put a~[x.io/h]; rewound", "a~[x.io/h]", "S21:", "the object may live in this history"},
		{"put a~[x.io/h]; rewound; begin a; put a~[x.io/h]", "a~[x.io/h]", "", "the watch shows the object again"},
	} {
		w := invariant.NewWitness(ownergraph.Level2, false)
		for _, line := range strings.Split(c.history, "; ") {
			if line != "" {
				tell(t, w, line)
			}
		}
		o := parse(t, c.object)
		got := w.Handed(engine.Call{Type: engine.CallHandle, Key: o.Key, Object: o, Finalizer: "x.io/h"}, nil)
		if c.want == "" && got != nil || c.want != "" && (got == nil || !strings.HasPrefix(got.Error(), c.want)) {
			t.Errorf("%s: got %v, want %q: %s", c.object, got, c.want, c.reason)
		}
	}
}

// TestPhantoms checks that references bound the number of unobserved owners.
func TestPhantoms(t *testing.T) {
	w := invariant.NewWitness(ownergraph.Level2, false)
	w.Observed(graph.Event{Type: graph.Put, Object: parse(t, "a -> b, b/2")})
	if err := w.Phantoms(3, 1); err != nil {
		t.Errorf("the references name two owners, and the graph has two: %v", err)
	}
	if err := w.Phantoms(4, 1); err == nil || !strings.HasPrefix(err.Error(), "S9:") {
		t.Errorf("the references name two owners, and the graph has three: got %v", err)
	}
}

// TestSum checks that equal objects give an equal sum. Neither their versions nor the
// order of events count.
func TestSum(t *testing.T) {
	w := invariant.NewWitness(ownergraph.Level2, false)
	tell(t, w, "put a")
	one := w.Sum()
	tell(t, w, "put b -> a!")
	if w.Sum() == one {
		t.Error("one more object gives the same sum")
	}
	tell(t, w, "put a#7")
	tell(t, w, "gone b")
	if w.Sum() != one {
		t.Error("the same objects give another sum")
	}
	w.Reset()
	if w.Sum() != 0 {
		t.Error("a new witness has a sum of objects")
	}
}

// TestLedgerMissesNothing compares the ledger after each change with a record of all
// owners.
func TestLedgerMissesNothing(t *testing.T) {
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 1))
		l := invariant.NewLedger(nil)
		name := func() graph.Key { return parse(t, string(rune('a'+r.IntN(5)))).Key }
		for step := range 60 {
			o := graph.Object{Key: name(), Version: graph.Version(strconv.Itoa(step))}
			for range r.IntN(4) {
				o.Owners = append(o.Owners, graph.Owner{Key: name(), Block: r.IntN(2) == 0, Unresolved: r.IntN(6) == 0})
			}
			switch r.IntN(5) {
			case 0:
				o.Deleting, o.Finalizers = true, []string{graph.FinalizerOrphan}
			case 1, 2:
				o.Deleting, o.Finalizers = true, []string{graph.FinalizerForeground}
			}
			ev := graph.Event{Type: graph.Put, Object: o}
			if r.IntN(4) == 0 {
				ev = graph.Event{Type: graph.Gone, Key: o.Key}
			}
			l.Commit(ev)
			if err := l.Check(); err != nil {
				t.Fatalf("seed %d, step %d: %v", seed, step, err)
			}
		}
	}
}
