package explain_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/ownergraph/ownergraph/explain"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/policy"
)

// TestGoneSentence: the sentence names this engine only where a proof does.
func TestGoneSentence(t *testing.T) {
	proof := explain.Proof{Certain: true, Decision: explain.Decision{Action: policy.Delete, Reason: policy.OwnersGone}}
	open := proof
	open.Certain = false
	for _, c := range []struct {
		d            *explain.Deletion
		want, reason string
	}{
		{nil, "a/a is gone since 2020-01-02T12:00:00Z.", "the history keeps no entry"},
		{&explain.Deletion{Proof: &proof}, "a/a is gone since 2020-01-02T12:00:00Z: this engine deleted it, because all owners are gone.", "the store has confirmed the delete"},
		{&explain.Deletion{Proof: &open}, "a/a is gone since 2020-01-02T12:00:00Z: a delete of this engine without an answer, or another writer, ended it.", "the outcome is unknown"},
		{&explain.Deletion{Garbage: explain.NoGarbage}, "a/a is gone since 2020-01-02T12:00:00Z: another writer deleted it, and it was no garbage.", "a user deleted it"},
		{&explain.Deletion{Unseen: true, Garbage: explain.GarbageUnknown}, "a/a is gone since 2020-01-02T12:00:00Z or earlier: another writer deleted it, and an owner was not known, so it may have been garbage.", "a listing showed the end"},
	} {
		x := explain.Explanation{Key: graph.Key{Kind: "a", Name: "a", UID: "1"}, State: explain.Gone, Changed: noon, Deletion: c.d}
		if got := x.Sentence(); got != c.want {
			t.Errorf("%q, want %q: %s", got, c.want, c.reason)
		}
	}
}

// The text of an object that the engine deleted has the proof of the deletion.
func ExampleDeletion() {
	pod := graph.Key{Kind: "Pod", Scope: "shop", Name: "a", UID: "2"}
	set := graph.Owner{Key: graph.Key{Kind: "ReplicaSet", Scope: "shop", Name: "web-1", UID: "1"}, Controller: true}
	since := time.Date(2020, 1, 2, 12, 0, 0, 0, time.UTC)
	x := explain.Explanation{
		Key: pod, State: explain.Gone, Changed: since.Add(time.Second),
		Deletion: &explain.Deletion{
			Object: graph.Object{Key: pod, Version: "7", Owners: []graph.Owner{set}}, Garbage: explain.WasGarbage,
			Root: explain.Root{Keys: []graph.Key{{Kind: "Deployment", Scope: "shop", Name: "web", UID: "0"}}},
			Proof: &explain.Proof{
				Certain: true, Version: "7",
				Decision: explain.Decision{Action: policy.Delete, Reason: policy.OwnersGone, Propagation: graph.Background},
				Owners:   []explain.Owner{{Owner: set, Class: explain.Dangling, Evidence: explain.WatchSawGo, At: since}},
			},
		},
	}
	fmt.Print(x.Text())
	// Output:
	// Pod/shop/a is gone since 2020-01-02T12:00:01Z: this engine deleted it, because all owners are gone.
	// It was seen last at version 7, owned by ReplicaSet/shop/web-1.
	// This engine judged version 7: all owners are gone; the propagation of the delete is background.
	// Owner ReplicaSet/shop/web-1 was gone; the watch saw it go at 2020-01-02T12:00:00Z.
	// At its end it was garbage.
	// The root of its deletion: Deployment/shop/web.
}

// TestRootText: the roots of a deletion are named, and unknown ones are labelled.
func TestRootText(t *testing.T) {
	keys := []graph.Key{{Kind: "a", Name: "a", UID: "1"}, {Kind: "b", Name: "b", UID: "2"}}
	for _, c := range []struct {
		root         explain.Root
		want, reason string
	}{
		{explain.Root{Keys: keys}, "The root of its deletion: a/a and b/b.\n", "two roots"},
		{explain.Root{Keys: keys, More: 3}, "The root of its deletion: a/a, b/b and 3 more.\n", "the bound leaves some out"},
		{explain.Root{Keys: keys[:1], Nearest: true}, "The root of its deletion is not known. The nearest absent owners: a/a.\n", "a restart has made it unknown"},
		{explain.Root{Nearest: true}, "The root of its deletion is not known.\n", "no owner is known to be absent"},
	} {
		x := explain.Explanation{Key: keys[0], State: explain.Gone, Deletion: &explain.Deletion{Object: graph.Object{Key: keys[0]}, Root: c.root}}
		if want := "a/a is gone: another writer deleted it.\nIt was seen last.\n" + c.want; x.Text() != want {
			t.Errorf("%q, want %q: %s", x.Text(), want, c.reason)
		}
	}
}
