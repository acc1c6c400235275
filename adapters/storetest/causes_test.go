package storetest

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync/atomic"
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
		{name: "one change in seven is lost", law: watchEveryChange, reason: "a page that ends one row too early", plant: losing(everyNth(7))},
		{name: "one change in 29 is lost", law: watchEveryChange, reason: "a page that ends one row too early", plant: losing(everyNth(29))},
		{name: "one change in 53 is lost", law: watchEveryChange, reason: "a page that ends one row too early", plant: losing(everyNth(53))},
		{name: "the 71st change is lost", law: watchEveryChange, reason: "the end of the first page", plant: losing(func() func(ownergraph.Event) bool {
			in, n := newListings(), 0
			return func(e ownergraph.Event) bool {
				if in.applyEvent(e); in.change(e) {
					n++
				}
				return in.change(e) && n == 71
			}
		})},
		{name: "a random change is lost", law: watchEveryChange, reason: "a signal that is not repeated", plant: losing(func() func(ownergraph.Event) bool {
			in, dice := newListings(), rand.New(rand.NewPCG(1, 2))
			return func(e ownergraph.Event) bool {
				in.applyEvent(e)
				return in.change(e) && dice.IntN(30) == 0
			}
		})},
		{name: "only acknowledged writes of the own process are observed", law: secondObserved, reason: "the writer sends the signal after its commit, and no watch polls", plant: unsignalled},
	}
}

// everyNth loses one change of n.
func everyNth(n int) func() func(ownergraph.Event) bool {
	return func() func(ownergraph.Event) bool {
		in, at := newListings(), 0
		return func(e ownergraph.Event) bool {
			if in.applyEvent(e); !in.change(e) {
				return false
			}
			at++
			return at%n == 0
		}
	}
}

// unsignalled loses the changes of a second handle, and of each object that was written while
// the answers of commits are lost.
func unsignalled(tb TB, s Subject) Subject {
	var failing atomic.Bool
	var silent guarded[map[ownergraph.Key]bool]
	silent.v = map[ownergraph.Key]bool{}
	fail := s.FailCommits
	s.FailCommits = func(ctx context.Context, done bool) (func(context.Context) error, error) {
		end, err := fail(ctx, done)
		failing.Store(true)
		return func(ctx context.Context) error { failing.Store(false); return end(ctx) }, err
	}
	note := func(key ownergraph.Key) {
		if failing.Load() {
			silent.with(func(m *map[ownergraph.Key]bool) { (*m)[key.Place()] = true })
		}
	}
	users := s.Client
	s.Client = &wrappedClient{Client: users,
		create: func(ctx context.Context, o ownergraph.Object) (ownergraph.Object, error) {
			note(o.Key)
			return users.Create(ctx, o)
		},
		update: func(ctx context.Context, o ownergraph.Object) (ownergraph.Object, error) {
			note(o.Key)
			return users.Update(ctx, o)
		},
	}
	sound := s.Store
	s.Store = &wrapper{Store: sound,
		patch: func(ctx context.Context, key ownergraph.Key, pre ownergraph.Precondition, c ownergraph.Change) error {
			note(key)
			return sound.Patch(ctx, key, pre, c)
		},
		delete: func(ctx context.Context, key ownergraph.Key, opts ownergraph.DeleteOptions) error {
			note(key)
			return sound.Delete(ctx, key, opts)
		},
	}
	s = losing(func() func(ownergraph.Event) bool {
		in := newListings()
		return func(e ownergraph.Event) (lost bool) {
			in.applyEvent(e)
			key := e.Key
			if e.Type == graph.Put {
				key = e.Object.Key
			}
			silent.with(func(m *map[ownergraph.Key]bool) { lost = in.change(e) && (*m)[key.Place()] })
			return lost
		}
	})(tb, s)
	return seconds(losing(func() func(ownergraph.Event) bool {
		in := newListings()
		return func(e ownergraph.Event) bool {
			in.applyEvent(e)
			return in.change(e)
		}
	}))(tb, s)
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

// TestCauseComesFirst checks the first red line of a store with a bug that breaks many laws. It
// is the law that names the bug. TestMutants checks it of the other bugs.
func TestCauseComesFirst(t *testing.T) {
	for _, m := range undetected(broadBugs()) {
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
