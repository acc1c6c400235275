package ownergraph_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/adapters/memory"
	"github.com/ownergraph/ownergraph/engine"
	"github.com/ownergraph/ownergraph/graph"
)

func TestCollectorCascades(t *testing.T) {
	const tree = "rs/a; pod/b -> rs/a!; pod/c -> rs/a!; vol/d -> pod/b!; vol/e -> pod/b!; vol/f -> pod/c, rs/x; rs/x; rs/y"
	for _, c := range []struct {
		name   string
		p      graph.Propagation
		want   string
		reason string
	}{
		{"background", ownergraph.Background, "rs/x; rs/y; vol/f -> rs/x", "all that a alone owned is gone; f keeps its other owner"},
		{"foreground", ownergraph.Foreground, "rs/x; rs/y; vol/f -> rs/x", "the same end, from the leaves on"},
		{"orphan", ownergraph.Orphan, "pod/b; pod/c; rs/x; rs/y; vol/d -> pod/b!; vol/e -> pod/b!; vol/f -> pod/c, rs/x", "the dependents stay, without the reference"},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newTap(t, tree)
				r := collect(t, s, ownergraph.Config{})
				if held := r.idle(); len(held) > 0 {
					t.Errorf("held at start: %s", lines(held))
				}
				before := s.shape()
				if n := s.count("patch") + s.count("delete"); n > 0 {
					t.Errorf("%d writes before there was anything to do: %s", n, before)
				}
				s.delete(t, "rs/a", c.p)
				if held := r.idle(); len(held) > 0 {
					t.Errorf("held: %s: %s", lines(held), c.reason)
				}
				s.contains(t, c.want)
				if err := r.stop(); err != nil {
					t.Errorf("Run: %v", err)
				}
			})
		})
	}
}

// TestCollectorStartsInTheMiddle begins with deletions that are under way and
// owners that have long been gone.
func TestCollectorStartsInTheMiddle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newTap(t, "a~[foreground]; b -> a!; c -> gone; d -> c; e~[orphan]; f -> e; g -> gone, h; h")
		r := collect(t, s, ownergraph.Config{})
		if held := lines(r.idle()); held != `c: owner's kind not served (gone)` {
			t.Errorf("held: %s", held)
		}
		s.contains(t, "c -> gone; d -> c; f; g -> gone, h; h")
	})
}

func TestCollectorRunsOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := collect(t, newTap(t, "a"), ownergraph.Config{})
		r.idle()
		if err := r.Run(t.Context()); err != ownergraph.ErrRunning {
			t.Errorf("second Run: %v, want ErrRunning", err)
		}
		if err := r.stop(); err != nil {
			t.Errorf("Run: %v", err)
		}
		if err := r.Run(t.Context()); err != ownergraph.ErrClosed {
			t.Errorf("Run after the end: %v, want ErrClosed", err)
		}
		if _, err := r.WaitIdle(t.Context()); err != ownergraph.ErrClosed {
			t.Errorf("WaitIdle after the end: %v, want ErrClosed", err)
		}
		if r.Stats().Objects != 1 || len(r.Kinds()) != 1 || len(r.Held(-1)) != 0 || len(r.Running()) != 0 {
			t.Error("figures are gone after the end")
		}
	})
}

// TestCollectorIdleIsQuiet lets a day pass over an idle collector.
func TestCollectorIdleIsQuiet(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newTap(t, "a; b -> a; c~*; d -> c")
		r := collect(t, s, ownergraph.Config{AuditEvery: time.Hour})
		r.idle()
		before, stats := s.count(""), r.Stats()
		pass(24*time.Hour + time.Minute)
		after := r.Stats()
		if n := s.count(""); n != before {
			t.Errorf("an idle collector made %d requests in a day", n-before)
		}
		if n := after.Audits - stats.Audits; n != 24 || after.AuditRepairs != 0 {
			t.Errorf("%d audits and %d repairs in a day, want 24 and 0", n, after.AuditRepairs)
		}
	})
}

func TestCollectorSlowStore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newTap(t, manyLeaves(40)+"; b; c -> b!")
		under := 0
		s.call = func(_ context.Context, verb string, key ownergraph.Key, do func() error) error {
			if verb == "delete" {
				s.mu.Lock()
				under++
				s.mu.Unlock()
				pass(10 * time.Second)
				s.mu.Lock()
				under--
				s.mu.Unlock()
			}
			return do()
		}
		r := collect(t, s, ownergraph.Config{Workers: 10})
		r.idle()
		s.delete(t, "a", ownergraph.Background)
		began := time.Now()
		for _, c := range []struct {
			after time.Duration
			want  int
		}{{1500 * time.Millisecond, 8}, {2 * time.Second, 10}} { // without a result the limit of four doubles
			pass(c.after)
			synctest.Wait()
			s.mu.Lock()
			if under != c.want {
				t.Errorf("%d deletes are under way, want %d", under, c.want)
			}
			s.mu.Unlock()
		}
		r.idle()
		if d := time.Since(began).Round(time.Second); d != 43*time.Second {
			t.Errorf("40 deletes of 10 s, 10 at once after three seconds, took %v", d)
		}
		s.contains(t, "b; c -> b!")
	})
}

// TestCollectorHangingStore has writes whose answers never come: some are
// carried out, some are not.
func TestCollectorHangingStore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newTap(t, "a; b -> a; c -> a; d -> b; e -> c")
		hangs := map[ownergraph.Kind]int{"b": 1, "c": 2, "d": 1, "e": 1}
		s.call = func(ctx context.Context, verb string, key ownergraph.Key, do func() error) error {
			s.mu.Lock()
			hang := verb == "delete" && hangs[key.Kind] > 0
			hangs[key.Kind]--
			s.mu.Unlock()
			if hang && (key.Kind == "b" || key.Kind == "e") {
				_ = do()
			}
			if hang {
				<-ctx.Done()
				return ctx.Err()
			}
			return do()
		}
		r := collect(t, s, ownergraph.Config{CallTimeout: 5 * time.Second})
		r.idle()
		s.delete(t, "a", ownergraph.Background)
		if held := r.idle(); len(held) > 0 {
			t.Errorf("held: %s", lines(held))
		}
		s.contains(t, "")
		if st := r.Stats(); st.Writes.Unknown == 0 {
			t.Errorf("no unknown outcome: %+v", st)
		}
	})
}

// manyLeaves returns an owner a and n dependents of kind leaf.
func manyLeaves(n int) string {
	var b strings.Builder
	b.WriteString("a")
	for i := range n {
		fmt.Fprintf(&b, "; leaf/%d -> a", i)
	}
	return b.String()
}

// TestCollectorBreaks breaks the engine, through the hooks that run in it.
func TestCollectorBreaks(t *testing.T) {
	for _, c := range []struct {
		name   string
		cfg    ownergraph.Config
		bend   func(*tap)
		want   string
		reason string
	}{
		{"decision", ownergraph.Config{OnDecision: func(d engine.DecisionEvent) {
			if d.Action.Writes() {
				panic("out of range")
			}
		}}, nil, "run collector: engine broken: panic: out of range", "a hook that panics in Next"},
		{"versions", ownergraph.Config{CompareVersions: func(ownergraph.Kind, ownergraph.Version, ownergraph.Version) int {
			panic("not a number")
		}}, nil, "run collector: engine broken: panic: not a number", "a hook that panics in Observe"},
		{"watch", ownergraph.Config{}, func(s *tap) {
			s.watch = func(context.Context, sinkFunc, watchFunc) error { runtime.Goexit(); return nil }
		}, "run collector: engine broken: watch: ended without an answer", "the engine would observe nothing from then on"},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newTap(t, "a; b -> a@gone; c -> a")
				if c.bend != nil {
					c.bend(s)
				}
				collector, err := ownergraph.New(s, c.cfg)
				if err != nil {
					t.Fatal(err)
				}
				result := make(chan error)
				go func() { result <- collector.Run(t.Context()) }()
				if _, err := collector.WaitIdle(t.Context()); err != ownergraph.ErrClosed {
					t.Errorf("WaitIdle: %v, want ErrClosed", err)
				}
				if err := <-result; !errors.Is(err, ownergraph.ErrBroken) || err.Error() != c.want {
					t.Errorf("Run: %v, want %s: %s", err, c.want, c.reason)
				}
				writes := s.count("delete") + s.count("patch")
				if writes > 0 {
					t.Errorf("%d writes by a broken engine", writes)
				}
				s.watch = nil
				if c.name == "watch" {
					return
				}
				second := collect(t, s, ownergraph.Config{})
				second.idle()
				s.contains(t, "a; c -> a")
			})
		})
	}
}

// judged makes a store carry out one call at a time, and returns a function that lists
// the wrong deletions so far. The deletion of an object without an owner is wrong. It is
// also wrong if an owner was there and did not wait for its dependents.
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

// TestCollectorsTogether: three collectors work on one store, while users delete in all three ways
// and add dependents.
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
			for i, p := range []graph.Propagation{ownergraph.Background, ownergraph.Foreground, ownergraph.Orphan} {
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
			for _, r := range rigs { // the second look is for the work of the others after the first
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

type deletion struct {
	key ownergraph.Key
	how graph.Propagation
}

// drawForest draws a graph without rings of up to 14 objects, and some of them
// to delete.
func drawForest(t *rapid.T) ([]ownergraph.Object, []deletion) {
	var objects []ownergraph.Object
	for i := range rapid.IntRange(2, 14).Draw(t, "objects") {
		name := fmt.Sprintf("o%02d", i)
		kind := ownergraph.Kind(rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t, "kind"))
		o := ownergraph.Object{Key: ownergraph.Key{Kind: kind, Name: name, UID: graph.UID(name)}}
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
			rapid.SampledFrom([]graph.Propagation{ownergraph.Background, ownergraph.Foreground, ownergraph.Orphan}).Draw(t, "how"),
		})
	}
	return objects, deletions
}

// play deletes one object after another, each when the last has had its effect,
// and returns the objects that are left.
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
