package etcdstore

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"log/slog"
	"math/rand/v2"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/engine"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/policy"
)

const badUID = `{"object":{"kind":"pod","scope":"ns","name":"a","uid":7}}` + "\n"

// heldAt reports whether the mirror has an object of the place that cannot be read, with a
// cause that names all the words.
func heldAt(place graph.Key, words ...string) func(m *mirror) bool {
	return func(m *mirror) bool {
		o, ok := objectAt(m, place)
		if !ok || o.Deleting || len(m.sick) > 0 {
			return false
		}
		err := graph.Flaw(o, graph.Limits{})
		return err != nil && !slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(err.Error(), w) })
	}
}

// objectAt returns the one object of a place.
func objectAt(m *mirror, place graph.Key) (found graph.Object, ok bool) {
	for _, o := range m.objects {
		if o.Place() == place.Place() {
			if ok {
				return graph.Object{}, false
			}
			found, ok = o, true
		}
	}
	return found, ok
}

// value returns the present value of an object's key.
func (r *rig) value(t *testing.T, o graph.Object) []byte {
	t.Helper()
	saved, err := r.contents(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return []byte(saved[r.at(t, o.Key)])
}

// TestUnreadableAlone: a value that cannot be read holds its object alone, in a running watch
// and in a new one. The object keeps its UID and its references, and no kind is sick. All
// kinds pass fences, and other scopes go on. The object returns with its value, and ends with
// its key.
func TestUnreadableAlone(t *testing.T) {
	for _, onKine := range []bool{false, true} {
		var lines bytes.Buffer
		r := newRig(t, Config{Kine: onKine, Logger: slog.New(slog.NewTextHandler(&lines, nil))})
		owner := r.create(t, "app/ns/b")
		o := r.create(t, "pod/ns/a[x.io/y] -> app/ns/b@"+string(owner.UID))
		running := watchOf(t, r.Store)
		running.until(t, "it is listed", listed(1))
		at, good := r.at(t, o.Key), r.value(t, o)
		r.mustPut(t, at, []byte(badUID))
		late := watchOf(t, r.Store)
		for _, w := range []*watcher{running, late} {
			w.until(t, "the object is held, with key and field", heldAt(o.Key, at, "uid: found"))
			if !w.sees(func(m *mirror) bool {
				seen := m.objects[o.Key]
				return slices.Equal(seen.Owners, o.Owners) && seen.HasFinalizer("x.io/y") && m.objects[owner.Key].Equal(owner)
			}) {
				t.Errorf("kine %t: %+v, want the last known references of %v", onKine, w.mirror.objects, o)
			}
		}
		r.refuseDamaged(t, o)
		other := r.create(t, "pod/other/c")
		token, err := r.Fence(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, w := range []*watcher{running, late} {
			w.until(t, "all pass the fence", func(m *mirror) bool {
				return m.passed[token] == len(testKinds())+1 && m.objects[other.Key].Equal(other)
			})
		}
		r.mustPut(t, at, good)
		for _, w := range []*watcher{running, late} {
			w.until(t, "the object is back", func(m *mirror) bool { return len(m.objects) == 3 && m.objects[o.Key].EqualContent(o) })
		}
		r.mustPut(t, at, []byte("no value"))
		running.until(t, "it is held again", heldAt(o.Key))
		r.mustPut(t, at, nil)
		for _, w := range []*watcher{running, late} {
			w.until(t, "the object is gone", func(m *mirror) bool { return m.is(owner, other) })
		}
		running.cancel()
		late.cancel()
		<-running.ended
		<-late.ended
		if n := strings.Count(lines.String(), "level=WARN"); n != 2 || !strings.Contains(lines.String(), at) {
			t.Errorf("kine %t: %d lines about it, want one for each of two causes:\n%s", onKine, n, lines.String())
		}
	}
}

// TestUnreadableInGap: no watch runs, and etcd has forgotten the readable value. The next watch
// reports the object under its UID, so the listing does not end it. A key that was made anew is
// another object.
func TestUnreadableInGap(t *testing.T) {
	r := newRig(t, Config{})
	o := r.create(t, "pod/ns/a")
	first := watchOf(t, r.Store)
	first.until(t, "it is listed", listed(1))
	first.cancel()
	<-first.ended
	at := r.at(t, o.Key)
	r.mustPut(t, at, []byte("no value"))
	r.mustPut(t, at, []byte("nor this"))
	if err := r.compact(t.Context()); err != nil {
		t.Fatal(err)
	}
	second := watchOf(t, r.Store)
	second.until(t, "it is listed", listed(1))
	if !second.sees(func(m *mirror) bool { _, ok := m.objects[o.Key]; return ok && heldAt(o.Key)(m) }) {
		t.Errorf("%+v, want the object under its UID", second.mirror.objects)
	}
	r.mustPut(t, at, nil)
	r.mustPut(t, at, []byte("no value"))
	second.until(t, "another object is there", func(m *mirror) bool {
		seen, ok := objectAt(m, o.Key)
		return ok && seen.UID != o.UID && heldAt(o.Key)(m)
	})
	second.cancel()
	<-second.ended
	third := watchOf(t, r.Store)
	third.until(t, "it is listed", listed(1))
	if third.sees(func(m *mirror) bool { _, ok := m.objects[o.Key]; return ok || !heldAt(o.Key)(m) }) {
		t.Errorf("%+v, want another object", third.mirror.objects)
	}
}

// TestMalformedKey: a key that is no place's is reported as an object of its own, and holds
// nothing else.
func TestMalformedKey(t *testing.T) {
	for _, tc := range []struct{ key, reason string }{
		{"objects/pod/%%", "no text of a place"},
		{"objects/pod/a", "a scoped kind without a scope"},
		{"objects/node/ns/a", "a global kind with a scope"},
		{`objects/pod/ns/"a"`, "another spelling of a place"},
		{"objects/pod/ns/\xff\x01", "bytes that are no text"},
	} {
		r := newRig(t, Config{})
		o := r.create(t, "app/ns/o")
		if err := r.Delete(t.Context(), o.Key, graph.DeleteOptions{Propagation: graph.Orphan}); err != nil {
			t.Fatal(err)
		}
		r.mustPut(t, r.conf.Prefix+tc.key, []byte("no value"))
		w := watchOf(t, r.Store)
		w.until(t, "it is listed", listed(1))
		token, err := r.Fence(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		w.until(t, "the fence passes", func(m *mirror) bool { return m.passed[token] == len(testKinds())+1 })
		w.sees(func(m *mirror) bool {
			if len(m.objects) != 2 {
				t.Errorf("%q: %+v, want two objects: %s", tc.key, m.objects, tc.reason)
			}
			for k, seen := range m.objects {
				if k != o.Key && (graph.Flaw(seen, graph.Limits{}) == nil || seen.Owners[0].Key != k || len(seen.Owners) > 1 || !strings.HasPrefix(k.Name, "key ")) {
					t.Errorf("%q: %+v, want an object that names the key: %s", tc.key, seen, tc.reason)
				}
			}
			return true
		})
		r.mustPut(t, r.conf.Prefix+tc.key, nil)
		w.until(t, "the key is gone", func(m *mirror) bool { return len(m.objects) == 1 })
	}
}

// TestUIDReplaced: another UID in the value of the same key is no end of the object. A call and
// the watch know that. After the removal of the key another UID is another object.
func TestUIDReplaced(t *testing.T) {
	r := newRig(t, Config{})
	o := r.create(t, "pod/ns/a")
	w := watchOf(t, r.Store)
	w.until(t, "it is listed", listed(1))
	at, good := r.at(t, o.Key), r.value(t, o)
	forged := bytes.ReplaceAll(good, []byte(o.UID), []byte("another"))
	r.mustPut(t, at, forged)
	w.until(t, "the object is held", heldAt(o.Key, "object.uid", "another"))
	if _, err := r.Get(t.Context(), o.Key); err == nil || !strings.Contains(err.Error(), string(o.UID)) {
		t.Errorf("Get of another UID: %v", err)
	}
	if err := r.List(t.Context(), "pod"); err != nil {
		t.Fatal(err)
	}
	w.until(t, "a listing has it too", func(m *mirror) bool {
		_, ok := m.objects[o.Key]
		return m.listings["pod"] == 2 && ok && heldAt(o.Key)(m)
	})
	r.mustPut(t, at, nil)
	r.mustPut(t, at, forged)
	w.until(t, "it is another object", func(m *mirror) bool {
		seen, ok := objectAt(m, o.Key)
		return ok && seen.UID == "another" && graph.Flaw(seen, graph.Limits{}) == nil
	})
}

// TestBlindHoldsOwners: an object of which no readable value is known may depend on each owner
// of its scope, and on each global one. An orphan deletion of these waits, visibly, and a
// deletion in another scope goes on. The object comes back with its reference, which is dropped
// before the owner ends.
func TestBlindHoldsOwners(t *testing.T) {
	r := newRig(t, Config{})
	poisoned, sound, global := r.create(t, "app/ns/o"), r.create(t, "app/other/o"), r.create(t, "node/n")
	child := r.create(t, "pod/ns/child -> app/ns/o@"+string(poisoned.UID))
	good, at := r.value(t, child), r.at(t, child.Key)
	r.mustPut(t, at, nil) // made anew with a bad value, so nothing is known
	r.mustPut(t, at, []byte("no value"))
	r.mustPut(t, r.at(t, parse(t, "pod/ns/z@u").Key), []byte("nor this"))
	c := r.collect(t)
	w := watchOf(t, r.Store)
	w.until(t, "it is listed", listed(1))
	for _, o := range []graph.Object{poisoned, sound, global} {
		if err := r.Delete(t.Context(), o.Key, graph.DeleteOptions{Propagation: graph.Orphan}); err != nil {
			t.Fatal(err)
		}
	}
	w.until(t, "the deletion in the other scope ends", func(m *mirror) bool { _, there := m.objects[sound.Key]; return !there })
	waits := func(m *mirror) bool {
		_, one := m.objects[poisoned.Key]
		_, two := m.objects[global.Key]
		return one && two
	}
	reasons := map[string]string{}
	defer func() { t.Log(reasons) }()
	r.eventually(t, "both owners are held, and the object with its key", func() bool {
		clear(reasons)
		for _, h := range c.Held(100) {
			reasons[h.Key.PlaceString()] = h.Reason.Code() + " " + strings.Join(h.Detail, " ")
		}
		need := policy.NeedDependents.Code()
		return strings.HasPrefix(reasons["app/ns/o"], need) && strings.HasPrefix(reasons["node/n"], need) && strings.Contains(reasons["pod/ns/z"], "objects/pod/ns/z")
	})
	r.mustPut(t, r.at(t, parse(t, "pod/ns/z@u").Key), nil) // the other one takes the references over
	late := watchOf(t, r.Store)
	late.until(t, "the other one refers to both", func(m *mirror) bool {
		seen, ok := objectAt(m, child.Key)
		return ok && len(seen.Owners) == 2
	})
	if !w.sees(waits) {
		t.Fatal("an owner has ended, and an object that may depend on it cannot be read")
	}
	r.mustPut(t, at, good)
	w.until(t, "the owners end, and the object stays without its reference", func(m *mirror) bool {
		seen, ok := objectAt(m, child.Key)
		return ok && len(m.objects) == 1 && len(seen.Owners) == 0 && graph.Flaw(seen, graph.Limits{}) == nil
	})
}

// TestUnreadableOwner: an owner that cannot be read keeps its dependents, in a fresh engine too.
// A foreground deletion waits for a dependent that cannot be read.
func TestUnreadableOwner(t *testing.T) {
	r := newRig(t, Config{})
	owner, root := r.create(t, "app/ns/o"), r.create(t, "app/ns/root")
	kept := r.create(t, "pod/ns/kept -> app/ns/o@"+string(owner.UID))
	part := r.create(t, "pod/ns/part -> app/ns/root@"+string(root.UID)+"!")
	lone := r.create(t, "pod/free/lone -> app/free/none@x")
	at, good := r.at(t, part.Key), r.value(t, part)
	r.mustPut(t, r.at(t, owner.Key), []byte("no value"))
	r.mustPut(t, at, []byte("no value"))
	w := watchOf(t, r.Store)
	c := r.collect(t)
	if err := r.Delete(t.Context(), root.Key, graph.DeleteOptions{Propagation: graph.Foreground}); err != nil {
		t.Fatal(err)
	}
	w.until(t, "garbage of another scope goes", func(m *mirror) bool {
		_, there := m.objects[lone.Key]
		return m.listings["pod"] > 0 && !there
	})
	r.eventually(t, "the root waits", func() bool {
		return slices.ContainsFunc(c.Held(100), func(h engine.Held) bool { return h.Key == root.Key && h.Reason == policy.NeedDependents })
	})
	if !w.sees(func(m *mirror) bool { _, a := m.objects[kept.Key]; _, b := m.objects[root.Key]; return a && b }) {
		t.Error("the dependent of an owner that cannot be read is gone, or the root")
	}
	r.mustPut(t, at, good)
	w.until(t, "the cascade ends", func(m *mirror) bool {
		_, a := m.objects[part.Key]
		_, b := m.objects[root.Key]
		_, stays := m.objects[kept.Key]
		return !a && !b && stays
	})
}

// collect runs a collector until the test ends.
func (r *rig) collect(t *testing.T) *ownergraph.Collector {
	t.Helper()
	return r.collectWith(t, ownergraph.Config{})
}

func (r *rig) eventually(t *testing.T, what string, is func() bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	if err := r.poll(ctx, func() error {
		if is() {
			return nil
		}
		return errors.New("not yet")
	}); err != nil {
		t.Fatalf("%s: %v", what, err)
	}
}

var valuesSeed = flag.Uint64("values.seed", 0, "the seed of TestRandomValues, 0 for a random one")

// TestRandomValues: random bytes in a value never make the watch report the end of its object, or
// a sick kind. The fence after them passes. Listings agree.
func TestRandomValues(t *testing.T) {
	random := randomOf(t, "values.seed", *valuesSeed)
	r := newRig(t, Config{})
	owner := r.create(t, "app/ns/b")
	o := r.create(t, "pod/ns/a[x.io/y] -> app/ns/b@"+string(owner.UID))
	at, good := r.at(t, o.Key), r.value(t, o)
	var wrong atomic.Int64
	w := watchGated(t, r.Store, func(batch []graph.Event) {
		for _, e := range batch {
			if e.Type == graph.Gone || e.Type == graph.KindSick || e.Type == graph.Put && e.Object.Kind == "pod" && e.Object.UID != o.UID {
				wrong.Add(1)
			}
		}
	})
	w.until(t, "it is listed", listed(1))
	for range 200 {
		value := randomValue(random, good)
		r.mustPut(t, at, value)
		if _, err := r.Get(t.Context(), o.Key); errors.Is(err, graph.ErrNotFound) {
			t.Fatalf("%q: the object counts as absent", value)
		}
		if random.IntN(20) == 0 {
			if err := r.List(t.Context(), "pod"); err != nil {
				t.Fatal(err)
			}
		}
	}
	token, err := r.Fence(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	w.until(t, "the fence passes", func(m *mirror) bool { return m.passed[token] == len(testKinds())+1 })
	r.mustPut(t, at, good)
	w.until(t, "the object is back", func(m *mirror) bool { return len(m.objects) == 2 && m.objects[o.Key].EqualContent(o) })
	if n := wrong.Load(); n > 0 {
		t.Errorf("%d wrong events", n)
	}
}

// randomValue returns a value that differs from a good one in some bytes, or in all.
func randomValue(random *rand.Rand, good []byte) []byte {
	value := bytes.Clone(good)
	switch random.IntN(4) {
	case 0:
		return value[:random.IntN(len(value))]
	case 1:
		for i := range value {
			value[i] = byte(random.Uint32())
		}
	default:
		for range 1 + random.IntN(3) {
			value[random.IntN(len(value))] = byte(random.Uint32())
		}
	}
	return value
}
