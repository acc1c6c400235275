package storetest

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
)

// broadBugs are bugs that break many laws. Each names the law that an author should
// read first, because it is the cause.
func broadBugs() []mutant {
	return []mutant{
		{name: "the UID is the name", law: newUID, reason: "the primary key is the name",
			plant: renaming(func(n *renamed) {
				n.uid = func(o ownergraph.Object) graph.UID { return graph.UID(place(o.Key)) }
			})},
		{name: "the highest UID is given again", law: newUID, reason: "a rowid of SQLite without AUTOINCREMENT", plant: highestUID},
		{name: "all UIDs are the same", law: clientCreate, reason: "the column has a default",
			plant: renaming(func(n *renamed) { n.uid = func(ownergraph.Object) graph.UID { return "uid" } })},
		{name: "all versions are the same", law: clientUpdate, reason: "the column is never written",
			plant: renaming(func(n *renamed) { n.version = func(ownergraph.Object) ownergraph.Version { return "1" } })},
		{name: "a write ignores its precondition", law: patchUID, reason: "the clause of the statement is missing", plant: careless},
		{name: "an error of a read is not found", law: readMarked, reason: "one branch for every error", plant: newForgetfulOf},
		{name: "the watch reports nothing", law: kindsKnown, reason: "the sink is never called", plant: losing(func() func(ownergraph.Event) bool {
			return func(ownergraph.Event) bool { return true }
		})},
		{name: "the watch reports no changes", law: watchEveryChange, reason: "the trigger is missing", plant: losing(func() func(ownergraph.Event) bool {
			in := newListings()
			return func(e ownergraph.Event) bool { in.applyEvent(e); return in.change(e) }
		})},
		{name: "a patch does nothing", law: readFresh, reason: "the transaction is never committed, which looks like a read from before it", plant: patching(func(ownergraph.Store) patchFunc {
			return func(context.Context, ownergraph.Key, ownergraph.Precondition, ownergraph.Change) error { return nil }
		})},
		{name: "a deletion does nothing", law: deleteRemoves, reason: "the transaction is never committed", plant: deleting(func(ownergraph.Store) deleteFunc {
			return func(context.Context, ownergraph.Key, ownergraph.DeleteOptions) error { return nil }
		})},
	}
}

// highestUID gives the number after the highest number in use.
func highestUID(tb TB, s Subject) Subject {
	var given guarded[map[graph.UID]ownergraph.Key]
	given.v = map[graph.UID]ownergraph.Key{}
	numbers := map[graph.UID]int{}
	sound := s.Store
	return renaming(func(n *renamed) {
		n.uid = func(o ownergraph.Object) (uid graph.UID) {
			given.with(func(m *map[graph.UID]ownergraph.Key) {
				if numbers[o.UID] == 0 {
					highest := 0
					for real, key := range *m {
						if live, err := sound.Get(context.Background(), key); err == nil && live.UID == real {
							highest = max(highest, numbers[real])
						}
					}
					numbers[o.UID], (*m)[o.UID] = highest+1, o.Key
				}
				uid = graph.UID(fmt.Sprintf("row-%d", numbers[o.UID]))
			})
			return uid
		}
	})(tb, s)
}

// careless ignores the precondition of a write.
func careless(_ TB, s Subject) Subject {
	sound := s.Store
	s.Store = &wrapper{Store: sound,
		patch: func(ctx context.Context, key ownergraph.Key, _ ownergraph.Precondition, c ownergraph.Change) error {
			return sound.Patch(ctx, key, graph.Precondition{}, c)
		},
		delete: func(ctx context.Context, key ownergraph.Key, opts ownergraph.DeleteOptions) error {
			opts.Precondition = graph.Precondition{}
			return sound.Delete(ctx, key, opts)
		},
	}
	return s
}

func newForgetfulOf(_ TB, s Subject) Subject {
	s.Store = forgetful{s.Store.(*testStore)}
	return s
}

// TestCauseComesFirst checks the first red line of a store with one bug. It is the
// law that names the bug, although the bug breaks other laws too.
func TestCauseComesFirst(t *testing.T) {
	for _, m := range slices.Concat(broadBugs(), mutants()) {
		t.Run(m.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				r := Judge(t.Context(), Config{New: func(tb TB) Subject { return m.plant(tb, memorySubject(tb)) }})
				red := lawsIn(r.red())
				if len(red) == 0 || red[0] != m.law {
					t.Errorf("the red lines are %q, want %q first: %s", red, m.law, m.reason)
				}
			})
		})
	}
}
