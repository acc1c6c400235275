package world

import (
	"testing"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/proof/oracle"
)

// TestStrictUsers: a world of level 3 refuses the same actions as the oracle. One of level 2
// refuses none of them.
func TestStrictUsers(t *testing.T) {
	const start = "a; w~*[foreground]; o~*[orphan]; k~*; b* -> w; c* -> w!, k; d; e -> x; r*; s* -> r:restrict; u~* -> a:restrict"
	for _, tc := range []struct {
		action  string
		refused bool
		reason  string
	}{
		{"addref b->a!", false, "the owner lives"},
		{"addref b->k", false, "the owner has a background mark"},
		{"addref b->w", false, "b has the reference"},
		{"addref a->w", true, "the owner waits"},
		{"addref a->o", true, "the owner orphans"},
		{"addref a->x", true, "the owner does not exist"},
		{"addref a->d@2", true, "the owner has another UID"},
		{"addref a->w?", false, "an unresolved reference is not judged"},
		{"flip b->w", true, "b begins to block the waiting owner"},
		{"flip c->w", false, "c no longer blocks"},
		{"flip d->w", false, "d does not have the reference"},
		{"dropref b->w", false, "a reference goes"},
		{"create f -> a, w", true, "the second owner waits"},
		{"create f -> a", false, "the owner lives"},
		{"create d -> x", false, "the name is taken"},
		{"recreate x", false, "a new object has no owner"},
		{"touch e", false, "e keeps its reference"},
		{"addref y->x", false, "there is no y"},
		{"addref b->k:restrict", true, "a restrict reference needs an owner without a mark"},
		{"addref b->a:restrict", false, "the owner has none"},
		{"repolicy c->k:cascade", false, "a background mark takes other policies"},
		{"repolicy c->k:restrict", true, "a changed policy is a new reference"},
		{"repolicy c->w:release", true, "the owner waits"},
		{"repolicy s->r", false, "the owner lives"},
		{"bg r", true, "s restricts it"},
		{"fg r", true, "with every propagation"},
		{"orphan r", true, "with every propagation"},
		{"bg s", false, "nothing restricts it"},
		{"bg a", false, "the mark of u ends the restriction"},
		{"bg k", false, "it is marked"},
	} {
		objects, err := graph.Parse(start)
		if err != nil {
			t.Fatal(err)
		}
		a, err := oracle.ParseAction(tc.action)
		if err != nil {
			t.Fatal(err)
		}
		if got := a.Refused(oracle.NewState(objects)); got != tc.refused {
			t.Errorf("%s: the oracle refuses it: %t, want %t: %s", tc.action, got, tc.refused, tc.reason)
		}
		done := map[ownergraph.Level]bool{}
		for _, level := range []ownergraph.Level{ownergraph.Level2, ownergraph.Level3} {
			w, err := New(level, ownergraph.Config{}, 1, []graph.KindInfo{{Kind: "f"}, {Kind: "x"}, {Kind: "y"}}, objects)
			if err != nil {
				t.Fatal(err)
			}
			if got, want := w.Refuses(a), tc.refused; got != want {
				t.Errorf("%s: refused at level %s: %t, want %t: %s", tc.action, level, got, want, tc.reason)
			}
			done[level] = w.Do(a)
		}
		if done[ownergraph.Level3] != (done[ownergraph.Level2] && !tc.refused) {
			t.Errorf("%s: done at the levels: %v, want none of them at level 3 if refused: %t", tc.action, done, tc.refused)
		}
	}
}

// TestStrictUnserved: the world leaves a reference to an unserved kind unresolved, and takes it.
func TestStrictUnserved(t *testing.T) {
	objects, err := graph.Parse("pod/s/a; rs/s/r~[foreground]")
	if err != nil {
		t.Fatal(err)
	}
	w, err := New(ownergraph.Level3, ownergraph.Config{}, 1, nil, objects)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Vanish(w.kind("rs")); err != nil {
		t.Fatal(err)
	}
	a, err := oracle.ParseAction("addref pod/s/a->rs/s/r!")
	if err != nil {
		t.Fatal(err)
	}
	o, _ := w.Store.At(a.Object.Key)
	if done := w.Do(a); !done {
		t.Errorf("%s is refused, and the kind is not served", a)
	}
	if o, _ = w.Store.At(a.Object.Key); len(o.Owners) != 1 || !o.Owners[0].Unresolved {
		t.Errorf("the store has %s, want an unresolved reference", o)
	}
}
