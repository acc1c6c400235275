package invariant_test

import (
	"cmp"
	"slices"
	"strings"
	"testing"

	"github.com/ownergraph/ownergraph/engine"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/proof/invariant"
)

func parse(t *testing.T, s string) graph.Object {
	t.Helper()
	o, err := graph.ParseObject(s)
	if err != nil {
		t.Fatal(err)
	}
	if o.Version == "" {
		o.Version = "1"
	}
	return o
}

// write builds a call from its text, such as "delete b", "drop b->a", "unblock b->a",
// "release a foregroundDeletion" or "attach a x". An "!" before the text leaves the version out.
func write(t *testing.T, s string) engine.Call {
	t.Helper()
	bare := strings.HasPrefix(s, "!")
	words := strings.Fields(strings.TrimPrefix(s, "!"))
	o := parse(t, words[1])
	pre := graph.Precondition{UID: o.UID, Version: o.Version}
	if bare {
		pre.Version = ""
	}
	c := engine.Call{Type: engine.CallPatch, Key: o.Key, Precondition: pre}
	switch words[0] {
	case "delete":
		c.Type, c.Options.Precondition, c.Options.Propagation = engine.CallDelete, pre, graph.Background
		if len(words) > 2 {
			c.Options.Propagation = graph.Orphan
		}
		if words[len(words)-1] == "foreground" {
			c.Options.Propagation = graph.Foreground
		}
	case "drop":
		c.Change.DropOwners = o.Owners
	case "unblock":
		c.Change.Unblock = o.Owners
	case "release":
		c.Change.DropFinalizer = words[2]
	case "attach":
		c.Change.AddFinalizer = words[2]
	}
	return c
}

// unmarked returns copies of the objects before they were marked.
func unmarked(objects []graph.Object) []graph.Object {
	out := slices.Clone(objects)
	for i := range out {
		out[i].Deleting = false
	}
	return out
}

// history returns the ledger of a store with the objects of start, and with the later changes: "put"
// and an object, or "gone" and a key. A mark protects the references that exist before it, so all objects
// come before the first mark.
func history(t *testing.T, start, then string) *invariant.Ledger {
	t.Helper()
	objects, err := graph.Parse(start)
	if err != nil {
		t.Fatal(err)
	}
	for i := range objects {
		objects[i].Version = cmp.Or(objects[i].Version, "1")
	}
	l := invariant.NewLedger(unmarked(objects))
	for _, o := range objects {
		if o.Deleting {
			l.Commit(graph.Event{Type: graph.Put, Object: o})
		}
	}
	for _, step := range strings.Split(then, "; ") {
		if verb, rest, _ := strings.Cut(step, " "); verb == "gone" {
			l.Commit(graph.Event{Type: graph.Gone, Key: parse(t, rest).Key})
		} else if verb == "put" {
			l.Commit(graph.Event{Type: graph.Put, Object: parse(t, rest)})
		}
	}
	return l
}

// TestJudge has, for every invariant, a write that keeps it and a write that breaks it.
func TestJudge(t *testing.T) {
	for _, tc := range []struct{ start, then, write, want, reason string }{
		{"b -> a", "", "delete b", "", "the owner is absent"},
		{"a; b -> a", "", "delete b", "S1:", "the owner lives"},
		{"a~[foreground]; b -> a", "", "delete b", "", "the owner waits"},
		{"a~[foreground]; b -> a", "put a~*", "delete b", "", "the owner waited at an instant since the commit of b"},
		{"a~[foreground]; b -> a", "put a~*; put b#2 -> a", "delete b#2", "S1:", "the owner did not wait since b's new version"},
		{"a", "", "delete a", "S1b:", "the object has no owner"},
		{"a -> a", "", "delete a", "S1b:", "the object has only itself as owner"},
		{"a~[foreground]; b; c -> a, b", "put a~*; put b~[foreground]", "delete c", "S1c:", "the two owners never waited at one instant"},
		{"a~[foreground]; b; c -> a, b", "put b~[foreground]; put a~*", "delete c", "", "both owners waited at one instant"},
		{"a~[orphan]; b -> a", "", "delete b", "S2:", "the owner orphans"},
		{"a~[orphan]; b -> a", "", "release a orphan", "S2:", "b still refers to it"},
		{"a~[orphan]; b -> a", "put b#2", "release a orphan", "", "b has dropped the reference"},
		{"a~[foreground]; b -> a!", "", "release a foregroundDeletion", "S3:", "b still blocks it"},
		{"a~[foreground]; b -> a", "", "release a foregroundDeletion", "", "b does not block it"},
		{"a~[foreground]; b -> a!", "gone b", "release a foregroundDeletion", "", "b is gone"},
		{"a~[foreground]; b -> a; c -> b!", "", "delete b", "S3b:", "a waits for b, and c blocks b"},
		{"a~[foreground]; b -> a; c -> b", "", "delete b", "", "c does not block"},
		{"a~[foreground]; b -> a", "put c -> b!", "delete b", "", "c was created after the mark"},
		{"a~[foreground]; b -> a; c -> b!", "put c#2", "delete b", "", "c has dropped the reference"},
		{"a~[foreground]; b -> a; c -> b!", "gone a", "delete b", "", "the waiting owner is gone"},
		{"a~[foreground]; b -> a!, x", "", "drop b->a!", "S3t:", "no other owner was solid"},
		{"a~[foreground]; b -> a!, x; x", "", "drop b->a!", "", "another owner is solid"},
		{"a; b~[foreground] -> a!", "put a~[foreground]", "unblock b->a!", "S3r:", "there is no ring"},
		{"a -> b!; b~[foreground] -> a!", "put a~[foreground] -> b!", "unblock b->a!", "", "each waits for the other"},
		{"a; b -> a", "", "drop b->a", "S4:", "the owner is solid"},
		{"b -> a", "", "drop b->a", "", "the owner is absent"},
		{"b -> a", "put a", "delete b", "", "the reference foresaw a, which was absent until now"},
		{"b -> a", "put a", "drop b->a", "", "the reference foresaw a, which was absent until now"},
		{"b -> a", "put a; put b#2 -> a", "delete b#2", "S1:", "a was present since b's new version"},
		{"a@1~[orphan]; b -> a@1?", "put c@1; gone a@1", "drop b->a@1?", "", "a and c had the same UID, so the reference may mean either"},
		{"a@1~[orphan]; b -> a@1?", "gone a@1; put c@1; put b#2 -> a@1?", "drop b#2->a@1?", "S4:", "c alone had the UID since b's new version"},
		{"a@1~[orphan]; b -> c@1", "put c@1; gone a@1; put b#2 -> c@1", "drop b#2->c@1", "S4:", "the coordinates of the reference are those of c"},
		{"b -> a", "", "!delete b", "S5:", "the write has no version"},
		{"b -> a", "put b#2 -> a", "delete b", "S5:", "the store takes a write for another version"},
		{"b@1 -> a", "gone b@1; put b@2 -> a", "delete b@1", "S6:", "the name has another incarnation"},
		{"b@1 -> a", "gone b@1", "delete b@1", "", "the object is gone"},
		{"b[orphan] -> a", "", "delete b", "S14:", "the finalizer of b asks for orphaning"},
		{"b[orphan] -> a", "", "delete b as orphan", "", "the finalizer of b asks for orphaning"},
		{"b[foregroundDeletion] -> a", "", "delete b", "S14:", "the finalizer of b asks for foreground"},
	} {
		l := history(t, tc.start, tc.then)
		got := l.Clone().Judge(write(t, tc.write))
		if tc.want == "" && got != nil || tc.want != "" && (got == nil || !strings.HasPrefix(got.Error(), tc.want)) {
			t.Errorf("%s; %s; %s: got %v, want %q: %s", tc.start, tc.then, tc.write, got, tc.want, tc.reason)
		}
	}
}
