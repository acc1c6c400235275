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

// TestFence: a watch reports a fence after all changes that precede it.
func TestFence(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStore(t, start, 0)
		fenced(t, s) // no watch is running
		r := record(t, s)
		r.wants(t, listed...)
		fenced(t, s)
		r.wants(t, "fence 2 node", "fence 2 pod", "fence 2 ")

		release := r.block()
		put(t, s, "pod/ns/a*")
		synctest.Wait() // the sink blocks at this batch
		put(t, s, "pod/ns/b")
		fenced(t, s)
		put(t, s, "pod/ns/c")
		release()
		r.wants(t, "put pod/ns/a@a1#3*", "put pod/ns/b@u1#4%1/0", "put pod/ns/c@u2#5%1/0", "fence 3 node", "fence 3 pod", "fence 3 ")
	})
}

// TestFenceDuringListing: a fence that begins during a listing waits for the changes
// since the listing began.
func TestFenceDuringListing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStore(t, start, 0)
		r := &recorder{done: make(chan error, 1)}
		release := r.block()
		go func() { r.done <- s.Watch(t.Context(), r.sink) }()
		synctest.Wait()
		put(t, s, "pod/ns/a*")
		fenced(t, s)
		release()
		r.wants(t, slices.Concat(listed, []string{"put pod/ns/a@a1#3*", "fence 1 node", "fence 1 pod", "fence 1 "})...)
	})
}

// TestFenceBeyondRound: a fence waits for the last change before it, although the watch
// reads the log in rounds.
func TestFenceBeyondRound(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStore(t, start, 0)
		r := record(t, s)
		synctest.Wait()
		release := r.block()
		put(t, s, "pod/ns/a*")
		synctest.Wait() // the sink blocks at this batch
		for range maxChanges {
			put(t, s, "pod/ns/a")
			put(t, s, "pod/ns/a*")
		}
		put(t, s, "pod/ns/last")
		fenced(t, s)
		release()
		synctest.Wait()
		r.events = r.events[len(r.events)-4:]
		r.wants(t, "put pod/ns/last@u1#516%1/0", "fence 1 node", "fence 1 pod", "fence 1 ")
	})
}

// TestFenceOfSickKind: a watch reports the fence of a sick kind after its recovery and
// listing. The other kinds do not wait.
func TestFenceOfSickKind(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStore(t, start, 0)
		ctx := t.Context()
		r := record(t, s)
		r.wants(t, listed...)
		do(t, insider{s}.Sicken("pod", "no disk"))
		fenced(t, s)
		r.wants(t, "sick pod no disk", "fence 1 node", "fence 1 ")
		put(t, s, "pod/ns/b")
		fenced(t, s)
		do(t, s.List(ctx, "pod"))
		r.wants(t, "fence 2 node", "fence 2 ")
		do(t, insider{s}.Sicken("pod", "still no disk"))
		r.wants(t, "sick pod still no disk")

		joins := record(t, s)
		joins.wants(t, "kinds node pod", "list node", "put node/n@n1#1", "ended node 3", "sick pod still no disk")
		do(t, insider{s}.Recover("pod"))
		listing := []string{"recovered pod", "list pod", "put pod/ns/a@a1#2", "put pod/ns/b@u1#3%1/0", "ended pod 3"}
		joins.wants(t, listing...)
		r.wants(t, append(listing, "fence 1 pod", "fence 2 pod")...)
		do(t, insider{s}.Recover("pod"))
		fenced(t, s)
		r.wants(t, "fence 3 node", "fence 3 pod", "fence 3 ")
	})
}

// TestFencesAreBounded: a watch that is slower than its fences keeps the newest.
func TestFencesAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStore(t, start, 0)
		r := record(t, s)
		do(t, insider{s}.Sicken("pod", "no disk"), insider{s}.RemoveKind("node"))
		synctest.Wait()
		r.events = nil
		release := r.block()
		fenced(t, s)
		synctest.Wait() // the sink blocks at this batch
		for range maxFences + 3 {
			fenced(t, s)
		}
		release()
		synctest.Wait()
		last := fenced(t, s)
		synctest.Wait()
		do(t, insider{s}.Recover("pod"))
		synctest.Wait()
		var all, pods []uint64
		for _, e := range r.fences {
			if e.Kind == "" {
				all = append(all, e.Fence)
			} else {
				pods = append(pods, e.Fence)
			}
		}
		if want := maxFences + 2; len(all) != want || all[0] != 1 || all[1] != 5 || all[want-1] != last {
			t.Errorf("passed for the set of kinds: %d", all)
		}
		if want := maxFences; len(pods) != want || pods[0] != 6 || pods[want-1] != last {
			t.Errorf("passed for pods: %d", pods)
		}
	})
}

// TestFenceIsNeverEarly: writers and fences run beside several watches. Each watch
// reports a fence after the changes that precede it.
func TestFenceIsNeverEarly(t *testing.T) {
	const writers, rounds = 4, 40
	const last = writers*rounds + 1
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
				mu.Lock() // check waits for the token
				then := s.Objects()
				committed[fenced(t, s)] = then
				mu.Unlock()
			}
		})
	}
	writes.Wait()
	fenced(t, s)
	watches.Wait()
}

// watchUntil watches until a fence has passed. It hands each fence of pods to check,
// and closes begun with the first event.
func watchUntil(t *testing.T, s *Store, last uint64, begun chan struct{}, check func(map[graph.UID]bool, graph.Event)) {
	seen, done := map[graph.UID]bool{}, errors.New("done")
	err := s.Watch(t.Context(), oneByOne(func(e graph.Event) error {
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
	}))
	if !errors.Is(err, done) {
		t.Errorf("Watch: %v, want it to pass the last fence", err)
	}
}

// TestTokens: no two stores return one token, and no restore takes the tokens back.
func TestTokens(t *testing.T) {
	seen := map[uint64]bool{0: true}
	for range 4 {
		s, err := New(Config{})
		if err != nil {
			t.Fatal(err)
		}
		before := insider{s}.Snapshot()
		for i := range 8 {
			if token := fenced(t, s); seen[token] {
				t.Errorf("fence %d has the token %d, which is 0 or came before", i, token)
			} else {
				seen[token] = true
			}
			do(t, insider{s}.Restore(before))
		}
	}
}
