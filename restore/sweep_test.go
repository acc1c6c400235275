package restore_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/archive"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/guard"
)

// TestSweep: the members of a sweep come back with their holder, which no reference of theirs names. A member that a user
// deletes stays gone.
func TestSweep(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sweep := guard.Sweep{Holder: "tenant", Finalizer: "x.io/tenant", Members: []guard.Members{{By: guard.ByName, Delimiter: "-"}}}
		r := newRig(t, objects(t, "tenant/1; volume/1-a; volume/1-b; pod/p -> volume/1-a"), false, ownergraph.Config{Sweeps: []guard.Sweep{sweep}})
		r.delete("1-b", graph.Background)
		pass(time.Hour)
		r.delete("1", graph.Background)
		pass(time.Hour)
		if got := r.shape(); got != "" {
			t.Fatalf("the store has %s after the sweep", got)
		}
		page, err := r.s.Entries(t.Context(), archive.Query{UIDs: []graph.UID{r.uids["1-a"]}})
		if e := page.Entries[0]; err != nil || e.Explicit || e.Cause.Holder.UID != r.uids["1"] || e.Cause.Root.UID != r.uids["1"] {
			t.Errorf("the entry of the member has %+v: %v", e, err)
		}
		if _, err := r.restore("1"); err != nil {
			t.Fatal(err)
		}
		pass(time.Hour)
		if got, want := r.shape(), "pod/p@p -> volume/1-a@1-a; tenant/1@1[x.io/tenant]; volume/1-a@1-a"; got != want {
			t.Errorf("the store has %s, want %s", got, want)
		}
	})
}
