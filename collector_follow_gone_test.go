package ownergraph_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
)

// slowly makes the deletes of an object take ten seconds.
func (s *tap) slowly(name string) {
	s.call = func(_ context.Context, verb string, key ownergraph.Key, do func() error) error {
		if verb == "delete" && key.Name == name {
			pass(10 * time.Second)
		}
		return do()
	}
}

// TestFollowUnderWay: a deletion is under way as the call begins, and objects between the
// root and those that are left are gone. The call goes on until the last one is gone.
func TestFollowUnderWay(t *testing.T) {
	for _, c := range []struct {
		objects, root string
		history       int
		last, left    string
		reason        string
	}{
		{"a; b -> a; c -> b", "a", 0, "2 known, 2 gone, 0 left, 0 held, done true", "", "a level between is gone"},
		{"a; b -> a; d -> b; e -> d; c -> e; x", "a", 0, "2 known, 2 gone, 0 left, 0 held, done true", "x", "three levels are gone"},
		{"a; b -> a; c -> b", "a", -1, "2 known, 2 gone, 0 left, 0 held, done true", "", "the engine keeps no history"},
		{"a; b -> a; d -> b; c -> d; e -> a; f[x] -> e", "b", 0, "2 known, 2 gone, 0 left, 0 held, done true", "f~[x] -> e", "the root went with another, of which a branch is held"},
		{"a; b -> a; d -> b; c -> d; y; z[x] -> y", "a", 0, "2 known, 2 gone, 0 left, 0 held, done true", "z~[x] -> y", "another deletion is held"},
	} {
		synctest.Test(t, func(t *testing.T) {
			s := newTap(t, c.objects)
			s.slowly("c")
			r := collect(t, s, ownergraph.Config{History: c.history})
			r.idle()
			for _, root := range []string{"a", "y"} {
				if strings.Contains(c.objects, root+";") {
					s.delete(t, root, ownergraph.Background)
				}
			}
			pass(time.Second)
			done := make(chan error, 1)
			go func() { done <- r.Await(t.Context(), keyOf(t, c.root)) }()
			f := r.follow(keyOf(t, c.root))
			f.want(t, c.last, c.reason)
			if first := f.all[0]; first.Left != 1 {
				t.Errorf("begins with %+v, want c left: %s", first, c.reason)
			}
			if err := <-done; err != nil {
				t.Errorf("%v: %s", err, c.reason)
			}
			s.contains(t, c.left)
		})
	}
}

// TestFollowAnyTree: a wait that begins at any moment of the deletion of any tree, for any of
// its objects, ends after the last object below, and before the deletion of another tree.
func TestFollowAnyTree(t *testing.T) {
	for seed := range uint64(60) {
		synctest.Test(t, func(t *testing.T) {
			random := rand.New(rand.NewPCG(seed, 1))
			objects, above := "k/n0; k/other; k/held[x] -> k/other", []int{-1}
			for i := 1; i < 12; i++ {
				above = append(above, i-1-random.IntN(min(i, 3)))
				objects += fmt.Sprintf("; k/n%d -> k/n%d%s", i, above[i], [...]string{"", "!"}[random.IntN(2)])
			}
			s := newTap(t, objects)
			s.call = func(_ context.Context, verb string, key ownergraph.Key, do func() error) error {
				if verb == "delete" {
					pass(time.Duration(1+len(key.Name)+int(key.Name[len(key.Name)-1])%7) * time.Second)
				}
				return do()
			}
			r := collect(t, s, ownergraph.Config{History: [...]int{0, -1, 3}[seed%3]})
			r.idle()
			if seed%3 == 0 {
				s.delete(t, "k/other", ownergraph.Background)
			}
			s.delete(t, "k/n0", [...]graph.Propagation{ownergraph.Background, ownergraph.Foreground}[random.IntN(2)])
			var waits sync.WaitGroup
			for range 8 {
				after, root := time.Duration(random.IntN(60))*time.Second, random.IntN(3)*random.IntN(3)
				waits.Go(func() {
					pass(after)
					if err := r.Await(t.Context(), keyOf(t, fmt.Sprintf("k/n%d", root))); err != nil {
						t.Errorf("seed %d: %v", seed, err)
					}
					for _, o := range s.Objects() {
						i := number(o.Name)
						for i > root {
							i = above[i]
						}
						if i == root {
							t.Errorf("seed %d: the wait for n%d after %v is over, and %s exists", seed, root, after, o.Name)
						}
					}
				})
			}
			waits.Wait()
		})
	}
}

// number returns the number of an object n7, and -1 for another name.
func number(name string) int {
	n, err := strconv.Atoi(strings.TrimPrefix(name, "n"))
	if err != nil {
		return -1
	}
	return n
}

// TestFollowComesLate: an object that is created below one that is gone, and that went with
// the root, is a member. The graph may have forgotten the one between.
func TestFollowComesLate(t *testing.T) {
	for _, before := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			s := newTap(t, "k/a*; k/b -> k/a!; k/x")
			r := collect(t, s, ownergraph.Config{})
			r.idle()
			s.delete(t, "k/a", ownergraph.Foreground)
			r.idle()
			if before {
				s.create(t, "k/c[x] -> k/b")
				pass(time.Second)
			}
			outcome := r.follows(keyOf(t, "k/a"))
			if !before {
				s.create(t, "k/c[x] -> k/b")
			}
			s.finish(t, "k/a", "foreign")
			pass(time.Second)
			for _, o := range s.Objects() {
				if o.Name == "c" {
					if err := s.Store.Patch(t.Context(), o.Key, ownergraph.Precondition{}, ownergraph.Change{DropFinalizer: "x"}); err != nil {
						t.Fatal(err)
					}
				}
			}
			outcome().want(t, "2 known, 2 gone, 0 left, 0 held, done true", fmt.Sprintf("c comes before the call: %v", before))
			s.contains(t, "k/x")
		})
	}
}

// TestFollowUnderWayRestart: a new collector does not know which objects went with a root
// that only references name. It waits for all objects below such objects.
func TestFollowUnderWayRestart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newTap(t, "k/c -> k/b; k/d* -> k/a")
		s.slowly("c")
		r := collect(t, s, ownergraph.Config{})
		pass(time.Millisecond)
		done := make(chan error, 1)
		go func() { done <- r.Await(t.Context(), keyOf(t, "k/a")) }()
		synctest.Wait()
		s.finish(t, "k/d", "foreign")
		if err := <-done; err != nil {
			t.Error(err)
		}
		s.contains(t, "")
	})
}

// TestFollowUnderWaySweep: a sweep goes on without its holder, which went before the call as
// the root or with it. The members of the sweep count.
func TestFollowUnderWaySweep(t *testing.T) {
	for _, c := range []struct {
		objects string
		deletes []string
		reason  string
	}{
		{"tenant/1; volume/1-a; volume/2-c", []string{"tenant/1"}, "the holder is the root"},
		{"k/a; tenant/1 -> k/a; volume/1-a; volume/2-c", []string{"k/a", "tenant/1"}, "the holder went with the root"},
	} {
		synctest.Test(t, func(t *testing.T) {
			s := newTap(t, c.objects)
			s.call = func(_ context.Context, verb string, key ownergraph.Key, do func() error) error {
				if verb == "patch" || key.Kind == "volume" && verb == "delete" { // the finalizer comes too late
					pass(10 * time.Second)
				}
				return do()
			}
			tenants := tenancy()
			tenants.Unguarded = true
			r := collect(t, s, sweeping(tenants))
			pass(time.Millisecond)
			for _, k := range c.deletes {
				s.delete(t, k, graph.Unset)
				synctest.Wait()
			}
			pass(time.Second)
			f := r.follow(keyOf(t, c.deletes[0]))
			f.want(t, "2 known, 2 gone, 0 left, 0 held, done true", c.reason)
			s.contains(t, "volume/2-c")
		})
	}
}

// TestFollowOthersReferences: references of other clients do not hide an object that exists,
// do not make its name ambiguous, and do not put an older object in its place.
func TestFollowOthersReferences(t *testing.T) {
	for _, c := range []struct {
		before, after int
		reason        string
	}{
		{64, 0, "as many as the search keeps, before the object"}, {100, 100, "on both sides"}, {2, 0, "two of them"},
	} {
		synctest.Test(t, func(t *testing.T) {
			s := newTap(t, "k/root; a/x")
			r := collect(t, s, ownergraph.Config{})
			r.idle()
			s.delete(t, "k/root", ownergraph.Background) // an older object of that name
			r.idle()
			refer := func(from, n int) {
				for i := from; i < from+n; i++ {
					s.create(t, fmt.Sprintf("a/d%d[x.io/y] -> k/root@fake%d", i, i))
				}
			}
			refer(0, c.before)
			live := s.create(t, "k/root")
			refer(c.before, c.after)
			r.idle()
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			defer cancel()
			name := ownergraph.Key{Kind: "k", Name: "root"}
			if err := r.Await(ctx, name); !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "k/root (not deleted yet)") {
				t.Errorf("%v, want a wait for the object that exists: %s", err, c.reason)
			}
			for p, err := range r.Follow(t.Context(), name) {
				if err != nil || p.Root != live.Key || p.Begun || p.Left != 1 {
					t.Errorf("%+v, %v: %s", p, err, c.reason)
				}
				break
			}
		})
	}
}

// TestFollowReusedName: with no object at a name, the name stands for the one whose end is
// the newest in the history.
func TestFollowReusedName(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newTap(t, "k/x")
		r := collect(t, s, ownergraph.Config{})
		r.idle()
		name := ownergraph.Key{Kind: "k", Name: "a"}
		for range 3 {
			o := s.create(t, "k/a")
			r.idle()
			s.delete(t, "k/a@"+string(o.UID), ownergraph.Background)
			r.idle()
			if err := r.Await(t.Context(), name); err != nil {
				t.Error(err)
			}
			f := r.follow(name)
			if f.want(t, "1 known, 1 gone, 0 left, 0 held, done true", "it is gone"); f.all[0].Root != o.Key {
				t.Errorf("the root is %s, want %s", f.all[0].Root, o.Key)
			}
		}
	})
}

// TestFollowNoContext: a call without a context is an error.
func TestFollowNoContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := collect(t, newTap(t, "a"), ownergraph.Config{})
		r.idle()
		var none context.Context
		if err := r.Await(none, keyOf(t, "a")); !errors.Is(err, graph.ErrInvalid) || !strings.Contains(err.Error(), "context: nil") {
			t.Error(err)
		}
		for _, err := range r.Follow(none, keyOf(t, "a")) {
			if !errors.Is(err, graph.ErrInvalid) {
				t.Error(err)
			}
		}
	})
}
