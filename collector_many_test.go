package ownergraph_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"pgregory.net/rapid"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/adapters/memory"
)

// judged returns a store that carries out one call at a time, and the wrong
// deletions that it has seen: of objects with an owner that was there and did
// not wait for its dependents, or without any owner.
func judged(s *tap) func() []string {
	var mu sync.Mutex
	var wrong []string
	s.call = func(ctx context.Context, verb string, key ownergraph.Key, do func() error) error {
		if verb == "watch" {
			return do()
		}
		mu.Lock()
		defer mu.Unlock()
		before, err := s.Store.Get(ctx, key)
		var solid bool
		for _, r := range before.Owners {
			o, err := s.Store.Get(ctx, r.Key)
			solid = solid || err == nil && o.UID == r.UID && !o.Waiting()
		}
		failed := do()
		if verb == "delete" && err == nil && failed == nil && (solid || len(before.Owners) == 0) {
			wrong = append(wrong, before.String())
		}
		return failed
	}
	return func() []string {
		mu.Lock()
		defer mu.Unlock()
		return slices.Clone(wrong)
	}
}

// forest returns n trees of a root and eight inner nodes with eight leaves each.
// Every reference blocks. Each tree has a leaf that a keeper owns too.
func forest(n int) string {
	var b strings.Builder
	b.WriteString("keeper")
	for r := range n {
		fmt.Fprintf(&b, "; root/%d", r)
		for i := range 8 {
			fmt.Fprintf(&b, "; inner/%d.%d -> root/%d!", r, i, r)
			for l := range 8 {
				fmt.Fprintf(&b, "; leaf/%d.%d.%d -> inner/%d.%d!", r, i, l, r, i)
			}
		}
		fmt.Fprintf(&b, "; leaf/%d.kept -> inner/%d.0!, keeper", r, r)
	}
	return b.String()
}

// TestCollectorsTogether has three collectors work on one store, while users
// delete in all three ways and add dependents.
func TestCollectorsTogether(t *testing.T) {
	requests := map[int]int{}
	for _, n := range []int{1, 3} {
		synctest.Test(t, func(t *testing.T) {
			s := newTap(t, forest(6))
			wrong := judged(s)
			var rigs []*rig
			for range n {
				rigs = append(rigs, collect(t, s, ownergraph.Config{}))
			}
			var users sync.WaitGroup
			for i, p := range []ownergraph.Propagation{ownergraph.Background, ownergraph.Foreground, ownergraph.Orphan} {
				users.Go(func() {
					s.delete(t, fmt.Sprintf("root/%d", i), p)
					s.create(t, fmt.Sprintf("leaf/late%d -> inner/%d.7", i, i))
				})
			}
			users.Wait()
			for _, r := range rigs {
				if held := lines(r.idle()); held != "" {
					t.Errorf("held: %s", held)
				}
			}
			for _, r := range rigs { // the second look: what the others did after the first
				r.idle()
				if err := r.stop(); err != nil {
					t.Errorf("Run: %v", err)
				}
			}
			if w := wrong(); len(w) > 0 {
				t.Errorf("%d collectors deleted wrongly: %s", n, w)
			}
			checkForest(t, s)
			requests[n] = s.count("get") + s.count("patch") + s.count("delete")
		})
	}
	t.Logf("reads and writes: %d by one, %d by three collectors", requests[1], requests[3])
	if requests[3] > 5*requests[1] { // each write tried by all three, and two conflicts read
		t.Errorf("three collectors made %d requests where one makes %d", requests[3], requests[1])
	}
}

func checkForest(t *testing.T, s *tap) {
	t.Helper()
	want := map[string]int{"keeper": 1, "root": 3, "inner": 3*8 + 8, "leaf": 3*65 + 2 + 65 + 1}
	got := map[string]int{}
	for _, o := range s.Objects() {
		got[string(o.Kind)]++
		for _, r := range o.Owners {
			if _, err := s.Store.Get(t.Context(), r.Key); err != nil {
				t.Errorf("%s dangles", o)
			}
		}
		if o.Deleting {
			t.Errorf("%s is still marked", o)
		}
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%v are left, want %v", got, want)
	}
}

// TestCollectorWorkers has the same deletions end the same with one worker, with
// twenty, and without a memory of owners that are gone.
func TestCollectorWorkers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		objects, deletions := drawForest(t)
		want := ""
		for i, cfg := range []ownergraph.Config{
			{Workers: 1}, {Workers: 20}, {Workers: 3, AbsentOwners: -1, OrphanedOwners: -1},
		} {
			end, err := play(objects, deletions, cfg)
			if err != nil {
				t.Fatal(err)
			}
			if i > 0 && end != want {
				t.Fatalf("%d workers, memory %d: %q; with one worker: %q", cfg.Workers, cfg.AbsentOwners, end, want)
			}
			want = end
		}
	})
}

type deletion struct {
	key ownergraph.Key
	how ownergraph.Propagation
}

// drawForest draws a graph without rings of up to 14 objects, and some of them
// to delete.
func drawForest(t *rapid.T) ([]ownergraph.Object, []deletion) {
	var objects []ownergraph.Object
	for i := range rapid.IntRange(2, 14).Draw(t, "objects") {
		name := fmt.Sprintf("o%02d", i)
		kind := ownergraph.Kind(rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t, "kind"))
		o := ownergraph.Object{Key: ownergraph.Key{Kind: kind, Name: name, UID: ownergraph.UID(name)}}
		for j := range objects {
			if rapid.IntRange(0, 3).Draw(t, "owner") == 0 {
				o.Owners = append(o.Owners, ownergraph.Owner{Key: objects[j].Key, Block: rapid.Bool().Draw(t, "block")})
			}
		}
		objects = append(objects, o)
	}
	var deletions []deletion
	for range rapid.IntRange(1, 4).Draw(t, "deletions") {
		deletions = append(deletions, deletion{
			rapid.SampledFrom(objects).Draw(t, "object").Key,
			rapid.SampledFrom([]ownergraph.Propagation{ownergraph.Background, ownergraph.Foreground, ownergraph.Orphan}).Draw(t, "how"),
		})
	}
	return objects, deletions
}

// play deletes one object after another, each when the last has had its effect,
// and returns what is left.
func play(objects []ownergraph.Object, deletions []deletion, cfg ownergraph.Config) (string, error) {
	m, err := memory.New(memory.Config{Objects: objects})
	if err != nil {
		return "", err
	}
	s := &tap{Store: m}
	wrong := judged(s)
	c, err := ownergraph.New(s, cfg)
	if err != nil {
		return "", err
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	result := make(chan error, 1)
	go func() { result <- c.Run(ctx) }()
	for _, d := range deletions {
		_ = m.Delete(ctx, d.key, ownergraph.DeleteOptions{Propagation: d.how}) // it may be gone
		if held, err := c.WaitIdle(ctx); err != nil || len(held) > 0 {
			return "", fmt.Errorf("after %s %s: held %s, %v", d.how, d.key, lines(held), err)
		}
	}
	cancel()
	if err := <-result; err != nil {
		return "", err
	}
	if w := wrong(); len(w) > 0 {
		return "", fmt.Errorf("wrong deletions: %s", w)
	}
	return s.shape(), nil
}
