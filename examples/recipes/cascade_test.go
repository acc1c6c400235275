package recipes_test

import (
	"testing"

	"github.com/ownergraph/ownergraph"
)

// TestTeamTakesItsDatabases tests the references of an application: which objects a deletion takes.
// WaitIdle returns at the end of the cascade, so the test needs no time.
func TestTeamTakesItsDatabases(t *testing.T) {
	store, collector, stop := start(ownergraph.Config{})
	defer stop()
	team, other := create(store, "team", "blue"), create(store, "team", "red")
	create(store, "database", "orders", team.ControllerRef())
	shared := create(store, "database", "shared", team.ControllerRef(), ownergraph.Owner{Key: other.Key})

	if err := store.Delete(t.Context(), team.Key, ownergraph.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	if held := idle(collector); len(held) > 0 {
		t.Error("held:", held)
	}
	for _, o := range store.Objects() {
		if o.Key != other.Key && o.Key != shared.Key {
			t.Error("left:", o.Key)
		}
	}
	if n := len(store.Objects()); n != 2 {
		t.Errorf("%d objects are left, want the other team and the database of both", n)
	}
}
