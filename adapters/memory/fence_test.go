package memory

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/ownergraph/ownergraph/graph"
)

// TestFence holds where in the stream a fence is reported.
func TestFence(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStore(t, start, 0)
		ctx := t.Context()
		do(t, s.Fence(ctx, 1)) // nobody watches
		r := record(t, s)
		r.wants(t, listed...)
		do(t, s.Fence(ctx, 2))
		r.wants(t, "fence 2 node", "fence 2 pod", "fence 2 ")

		release := r.block()
		put(t, s, "pod/ns/a*")
		synctest.Wait() // the sink is stuck with it
		put(t, s, "pod/ns/b")
		do(t, s.Fence(ctx, 3))
		put(t, s, "pod/ns/c")
		release()
		r.wants(t, "put pod/ns/a@a1#3*", "put pod/ns/b@u1#4%1/0", "put pod/ns/c@u2#5%1/0", "fence 3 node", "fence 3 pod", "fence 3 ")
	})
}

// TestFenceDuringListing: a fence that begins while a watch lists waits for
// what was committed meanwhile.
func TestFenceDuringListing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStore(t, start, 0)
		r := &recorder{done: make(chan error, 1)}
		release := r.block()
		go func() { r.done <- s.Watch(t.Context(), r.sink) }()
		synctest.Wait()
		put(t, s, "pod/ns/a*")
		do(t, s.Fence(t.Context(), 1))
		release()
		r.wants(t, slices.Concat(listed, []string{"put pod/ns/a@a1#3*", "fence 1 node", "fence 1 pod", "fence 1 "})...)
	})
}

// TestFenceBeyondBatch: a fence waits for the very last change before it, though
// the log is read in batches.
func TestFenceBeyondBatch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStore(t, start, 0)
		r := record(t, s)
		synctest.Wait()
		release := r.block()
		put(t, s, "pod/ns/a*")
		synctest.Wait() // the sink is stuck with it
		for range batch {
			put(t, s, "pod/ns/a")
			put(t, s, "pod/ns/a*")
		}
		put(t, s, "pod/ns/last")
		do(t, s.Fence(t.Context(), 1))
		release()
		synctest.Wait()
		r.events = r.events[len(r.events)-4:]
		r.wants(t, "put pod/ns/last@u1#516%1/0", "fence 1 node", "fence 1 pod", "fence 1 ")
	})
}

// TestFenceOfSickKind: its report waits for the recovery and the listing; the
// other kinds' does not.
func TestFenceOfSickKind(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStore(t, start, 0)
		ctx := t.Context()
		r := record(t, s)
		r.wants(t, listed...)
		do(t, s.Sicken("pod", "no disk"))
		do(t, s.Fence(ctx, 1))
		r.wants(t, "sick pod no disk", "fence 1 node", "fence 1 ")
		put(t, s, "pod/ns/b")
		do(t, s.Fence(ctx, 2), s.List(ctx, "pod"))
		r.wants(t, "fence 2 node", "fence 2 ")
		do(t, s.Sicken("pod", "still no disk"))
		r.wants(t, "sick pod still no disk")

		joins := record(t, s)
		joins.wants(t, "kinds node pod", "list node", "put node/n@n1#1", "ended node 3", "sick pod still no disk")
		do(t, s.Recover("pod"))
		listing := []string{"recovered pod", "list pod", "put pod/ns/a@a1#2", "put pod/ns/b@u1#3%1/0", "ended pod 3"}
		joins.wants(t, listing...)
		r.wants(t, append(listing, "fence 1 pod", "fence 2 pod")...)
		do(t, s.Recover("pod"), s.Fence(ctx, 3))
		r.wants(t, "fence 3 node", "fence 3 pod", "fence 3 ")
	})
}

// TestFencesAreBounded: a watch that is slower than its fences keeps the newest.
func TestFencesAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStore(t, start, 0)
		r := record(t, s)
		do(t, s.Sicken("pod", "no disk"), s.RemoveKind("node"))
		synctest.Wait()
		r.events = nil
		release := r.block()
		do(t, s.Fence(t.Context(), 1000))
		synctest.Wait() // the sink is stuck with it
		for id := range uint64(maxFences + 3) {
			do(t, s.Fence(t.Context(), id))
		}
		release()
		synctest.Wait()
		do(t, s.Fence(t.Context(), 2000))
		synctest.Wait()
		do(t, s.Recover("pod"))
		synctest.Wait()
		var all, pods []uint64
		for _, e := range r.fences {
			if e.Kind == "" {
				all = append(all, e.Fence)
			} else {
				pods = append(pods, e.Fence)
			}
		}
		if want := maxFences + 2; len(all) != want || all[0] != 1000 || all[1] != 3 || all[want-1] != 2000 {
			t.Errorf("passed for the set of kinds: %d", all)
		}
		if want := maxFences; len(pods) != want || pods[0] != 4 || pods[want-1] != 2000 {
			t.Errorf("passed for pods: %d", pods)
		}
	})
}

// TestList: the kind is listed anew, once, and never older than what was told.
func TestList(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStore(t, start, 0)
		r := record(t, s)
		r.wants(t, listed...)
		release := r.block()
		put(t, s, "node/n*")
		synctest.Wait() // the sink is stuck with it
		put(t, s, "pod/ns/a*")
		put(t, s, "pod/ns/b")
		put(t, s, "node/n")
		do(t, s.List(t.Context(), "pod"), s.List(t.Context(), "pod"))
		put(t, s, "pod/ns/b*")
		release()
		r.wants(t, "put node/n@n1#3*", "list pod", "put pod/ns/a@a1#4*", "put pod/ns/b@u1#7*%1/0", "ended pod 7", "put node/n@n1#6")
		do(t, s.List(t.Context(), "pod"))
		r.wants(t, "list pod", "put pod/ns/a@a1#4*", "put pod/ns/b@u1#7*%1/0", "ended pod 7")
		put(t, s, "pod/ns/b")
		r.wants(t, "put pod/ns/b@u1#8%1/0")
	})
}

func TestWatchKinds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStore(t, start, 0)
		r := record(t, s)
		r.wants(t, listed...)
		do(t, s.AddKind(graph.KindInfo{Kind: "job"}))
		r.wants(t, "kinds job node pod", "list job", "ended job 2")
		put(t, s, "job/j")
		r.wants(t, "put job/j@u1#3%1/0")
		do(t, s.RemoveKind("pod"))
		r.wants(t, "vanished pod", "kinds job node")
		do(t, s.Fence(t.Context(), 1), s.AddKind(graph.KindInfo{Kind: "job"}))
		r.wants(t, "fence 1 job", "fence 1 node", "fence 1 ")
		do(t, s.AddKind(graph.KindInfo{Kind: "pod", Scoped: true}))
		r.wants(t, "kinds job node pod", "list pod", "put pod/ns/a@a1#2", "ended pod 3")
		do(t, s.AddKind(graph.KindInfo{Kind: "pod", Scoped: true, NoOwner: true}))
		r.wants(t, "kinds job node pod")
	})
}

// TestWatchMissesNoKind: a watch that was stuck sees what has become of the
// kinds, and no change of one that went.
func TestWatchMissesNoKind(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStore(t, start, 2)
		r := record(t, s)
		r.wants(t, listed...)
		release := r.block()
		put(t, s, "node/n*")
		synctest.Wait() // the sink is stuck with it
		put(t, s, "pod/ns/a*")
		do(t, s.RemoveKind("pod"), s.AddKind(graph.KindInfo{Kind: "job"}))
		put(t, s, "job/j")
		release()
		r.wants(t, "put node/n@n1#3*", "vanished pod", "kinds job node", "list job", "put job/j@u1#5%1/0", "ended job 5")

		do(t, s.Sicken("job", "no disk"))
		synctest.Wait()
		release = r.block()
		put(t, s, "node/n")
		synctest.Wait() // the sink is stuck with it
		for range 3 {
			put(t, s, "node/n*")
			put(t, s, "node/n")
		}
		do(t, s.Recover("job"))
		release()
		r.wants(t, "sick job no disk", "put node/n@n1#6", "kinds job node", "recovered job", "list job", "put job/j@u1#5%1/0", "ended job 12",
			"list node", "put node/n@n1#12", "ended node 12")
	})
}

func TestWatchRewinds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStore(t, start, 0)
		r := record(t, s)
		before := s.Snapshot()
		r.wants(t, listed...)
		remove(t, s, "pod/ns/a")
		put(t, s, "pod/ns/a")
		r.wants(t, "gone pod/ns/a@a1", "put pod/ns/a@u1#4%1/0")
		do(t, s.Sicken("node", "no disk"))
		r.wants(t, "sick node no disk")
		do(t, s.Restore(before))
		r.wants(t, "rewound restored to version 2", "kinds node pod", "list pod", "put pod/ns/a@a1#7", "ended pod 7")
		put(t, s, "pod/ns/b")
		do(t, s.Fence(t.Context(), 1))
		r.wants(t, "put pod/ns/b@u2#8%1/0", "fence 1 pod", "fence 1 ")
		do(t, s.Recover("node"))
		r.wants(t, "recovered node", "list node", "put node/n@n1#6", "ended node 8", "fence 1 node")
		joins := record(t, s)
		// It is told, too: an engine that watches again may have missed the restore.
		joins.wants(t, "rewound restored to version 2", "kinds node pod", "list node", "put node/n@n1#6", "ended node 8", "list pod", "put pod/ns/a@a1#7",
			"put pod/ns/b@u2#8%1/0", "ended pod 8")
	})
}

// TestFenceIsNeverEarly: with writers and fences running against several
// watches, no fence is reported before what was committed when it began.
func TestFenceIsNeverEarly(t *testing.T) {
	const writers, rounds, last = 4, 40, 1 << 40
	s := newStore(t, "", 50)
	ctx := t.Context()
	var mu sync.Mutex
	committed := map[uint64][]graph.Object{} // by fence
	check := func(seen map[graph.UID]bool, e graph.Event) {
		mu.Lock()
		defer mu.Unlock()
		for _, o := range committed[e.Fence] {
			if !seen[o.UID] {
				t.Errorf("fence %d passed before %v", e.Fence, o)
			}
		}
	}
	var watches, writes sync.WaitGroup
	for range 2 {
		begun := make(chan struct{})
		watches.Go(func() { watchUntil(t, s, last, begun, check) })
		<-begun
	}
	for w := range writers {
		writes.Go(func() {
			for i := range rounds {
				o := graph.Object{Key: graph.Key{Kind: "pod", Scope: "ns", Name: fmt.Sprint(w, "-", i)}}
				if _, err := s.Create(ctx, o); err != nil {
					t.Error(err)
				}
				id := uint64(w*rounds + i)
				mu.Lock()
				committed[id] = s.Objects()
				mu.Unlock()
				if err := s.Fence(ctx, id); err != nil {
					t.Error(err)
				}
			}
		})
	}
	writes.Wait()
	do(t, s.Fence(ctx, last))
	watches.Wait()
}

// watchUntil watches until a fence has passed, and hands the others that pass
// for pods to check. It closes begun with the first event.
func watchUntil(t *testing.T, s *Store, last uint64, begun chan struct{}, check func(map[graph.UID]bool, graph.Event)) {
	seen, done := map[graph.UID]bool{}, errors.New("done")
	err := s.Watch(t.Context(), func(e graph.Event) error {
		if begun != nil {
			close(begun)
			begun = nil
		}
		switch {
		case e.Type == graph.Put:
			seen[e.Object.UID] = true
		case e.Type == graph.FencePassed && e.Kind == "pod":
			check(seen, e)
		case e.Type == graph.FencePassed && e.Fence == last:
			return done
		}
		return nil
	})
	if !errors.Is(err, done) {
		t.Errorf("Watch: %v, want it to pass the last fence", err)
	}
}
