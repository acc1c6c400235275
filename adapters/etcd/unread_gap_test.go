package etcdstore

import (
	"bytes"
	"context"
	"crypto/rand"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/ownergraph/ownergraph/graph"
	clientv3 "go.etcd.io/etcd/client/v3"
)

// eye follows the events of one engine over several watches, as an engine does. It notes an
// event after which no object refers to the owner, and a version that falls.
type eye struct {
	mu     sync.Mutex
	mirror *mirror
	owner  graph.UID // "" for none
	faults []string
}

func (y *eye) take(batch []graph.Event) {
	y.mu.Lock()
	defer y.mu.Unlock()
	for i := range batch {
		e := &batch[i]
		if e.Type == graph.Put {
			was, ok := y.mirror.objects[e.Object.Key]
			if ok && (*Store)(nil).CompareVersions("", e.Object.Version, was.Version) < 0 {
				y.faults = append(y.faults, fmt.Sprintf("%s went from version %s to %s", was.Key, was.Version, e.Object.Version))
			}
		}
		y.mirror.apply(e)
		if y.owner != "" && !y.refers() {
			y.faults = append(y.faults, fmt.Sprintf("no reference to the owner after event %s %s", e.Type, e.Of()))
		}
	}
}

func (y *eye) refers() bool {
	for _, o := range y.mirror.objects {
		if slices.ContainsFunc(o.Owners, func(r graph.Owner) bool { return r.UID == y.owner }) {
			return true
		}
	}
	return false
}

// arm begins to demand a reference to the owner.
func (y *eye) arm(t *testing.T, o graph.Object) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for !y.armed(o.UID) {
		select {
		case <-ctx.Done():
			t.Fatal("no reference to the owner in time")
		case <-tick.C:
		}
	}
}

func (y *eye) armed(owner graph.UID) bool {
	y.mu.Lock()
	defer y.mu.Unlock()
	if y.owner = owner; !y.refers() {
		y.owner = ""
	}
	return y.owner != ""
}

func (y *eye) check(t *testing.T, when string) {
	t.Helper()
	y.mu.Lock()
	defer y.mu.Unlock()
	for _, f := range y.faults {
		t.Errorf("%s: %s", when, f)
	}
	y.faults = nil
}

func (r *rig) orphan(t *testing.T, o graph.Object) {
	t.Helper()
	if err := r.Delete(t.Context(), o.Key, graph.DeleteOptions{Propagation: graph.Orphan}); err != nil {
		t.Fatal(err)
	}
}

func (r *rig) fenced(t *testing.T, w *watcher) {
	t.Helper()
	token, err := r.Fence(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	w.until(t, "the fence passes", func(m *mirror) bool { return m.passed[token] == len(testKinds())+1 })
}

// TestBlindGuardOverWatches: an owner that waits for a blind object has its reference over a new
// watch too, although the owner is listed after the object.
func TestBlindGuardOverWatches(t *testing.T) {
	r := newRig(t, Config{})
	r.mustPut(t, r.at(t, parse(t, "app/ns/blind@u").Key), []byte("no value"))
	owner := r.create(t, "pod/ns/o")
	y := &eye{mirror: newMirror()}
	first := watchListed(t, r.Store, y.take)
	r.orphan(t, owner)
	r.fenced(t, first)
	y.arm(t, owner)
	first.cancel()
	<-first.ended
	second := watchListed(t, r.Store, y.take)
	r.fenced(t, second)
	y.check(t, "a new watch")
}

// TestBlindGuardMended: the object with the references is mended in a gap of the watch. Another
// one takes them over first.
func TestBlindGuardMended(t *testing.T) {
	r := newRig(t, Config{})
	a, owner := r.create(t, "pod/ns/a"), r.create(t, "app/ns/o")
	at, good := r.at(t, a.Key), r.value(t, a)
	y := &eye{mirror: newMirror()}
	w := watchGated(t, r.Store, y.take)
	direct := newRig(t, Config{Prefix: r.conf.Prefix})
	gap := func(puts ...func()) { // the watch sees no event of the puts
		t.Helper()
		r.proxy.close()
		for _, put := range puts {
			put()
		}
		direct.create(t, "node/"+rand.Text())
		if err := direct.compact(t.Context()); err != nil {
			t.Fatal(err)
		}
		if err := r.poll(t.Context(), r.proxy.listen); err != nil {
			t.Fatal(err)
		}
	}
	w.until(t, "it is listed", listed(1))
	bad := func() { direct.mustPut(t, at, []byte("no value")) }
	gap(bad, bad, func() { direct.mustPut(t, r.at(t, parse(t, "pod/ns/b@u").Key), []byte("no value")) })
	w.until(t, "it is listed again", listed(2))
	r.orphan(t, owner)
	r.fenced(t, w)
	y.arm(t, owner)
	gap(func() { direct.mustPut(t, at, good) })
	w.until(t, "it is listed again", listed(3))
	r.fenced(t, w)
	y.check(t, "a listing after compaction")
}

// TestBlindKeepsOwner: a dependent becomes unreadable, and etcd has forgotten its readable value.
func TestBlindKeepsOwner(t *testing.T) {
	r := newRig(t, Config{})
	owner := r.create(t, "app/ns/o")
	part := r.create(t, "pod/ns/a -> app/ns/o@"+string(owner.UID))
	y := &eye{mirror: newMirror()}
	reached, free := make(chan struct{}), make(chan struct{})
	var stop sync.Once
	cut := false
	var mu sync.Mutex
	w := watchGated(t, r.Store, func(batch []graph.Event) {
		mu.Lock()
		now := cut
		mu.Unlock()
		if now {
			stop.Do(func() { close(reached); <-free })
		}
		y.take(batch)
	})
	w.until(t, "it is listed", listed(1))
	r.orphan(t, owner)
	r.fenced(t, w)
	y.arm(t, owner)
	mu.Lock()
	cut = true
	mu.Unlock()
	r.create(t, "node/n")
	<-reached
	r.mustPut(t, r.at(t, part.Key), []byte("no value"))
	r.mustPut(t, r.at(t, part.Key), []byte("nor this"))
	if err := r.compact(t.Context()); err != nil {
		t.Fatal(err)
	}
	close(free)
	w.until(t, "the object is held", heldAt(part.Key, "value"))
	r.fenced(t, w)
	y.check(t, "blind")
}

// TestUnreadVersions: the versions of an object that cannot be read never fall, so no engine takes
// that for a restore.
func TestUnreadVersions(t *testing.T) {
	r := newRig(t, Config{})
	o := r.create(t, "pod/ns/a")
	y := &eye{mirror: newMirror()}
	first := watchListed(t, r.Store, y.take)
	r.mustPut(t, r.at(t, o.Key), []byte("no value"))
	first.until(t, "it is held", heldAt(o.Key))
	r.create(t, "node/n")
	r.fenced(t, first)
	if err := r.List(t.Context(), "pod"); err != nil {
		t.Fatal(err)
	}
	first.until(t, "it is listed again", func(m *mirror) bool { return m.listings["pod"] == 2 })
	first.cancel()
	<-first.ended
	watchListed(t, r.Store, y.take)
	y.check(t, "a new watch")
}

// TestUIDReplacedInGap: another UID that came while no watch ran is a fault too.
func TestUIDReplacedInGap(t *testing.T) {
	r := newRig(t, Config{})
	o := r.create(t, "app/ns/a")
	y := &eye{mirror: newMirror()}
	first := watchListed(t, r.Store, y.take)
	first.cancel()
	<-first.ended
	r.mustPut(t, r.at(t, o.Key), bytes.ReplaceAll(r.value(t, o), []byte(o.UID), []byte("another")))
	second := watchListed(t, r.Store, y.take)
	if !second.sees(func(m *mirror) bool { _, ok := m.objects[o.Key]; return ok && heldAt(o.Key)(m) }) {
		t.Errorf("%+v, want the object held", second.mirror.objects)
	}
}

// TestUnreadableOwnerForgotten: nothing is known of an owner that cannot be read. Its dependents
// stay, in a collector that starts then.
func TestUnreadableOwnerForgotten(t *testing.T) {
	r := newRig(t, Config{})
	owner := r.create(t, "app/ns/o")
	kept := r.create(t, "pod/ns/kept -> app/ns/o@"+string(owner.UID))
	lone := r.create(t, "pod/ns/lone -> app/ns/none@x")
	r.mustPut(t, r.at(t, owner.Key), []byte("no value"))
	r.mustPut(t, r.at(t, owner.Key), []byte("nor this"))
	if err := r.compact(t.Context()); err != nil {
		t.Fatal(err)
	}
	w := watchOf(t, r.Store)
	r.collect(t)
	w.until(t, "garbage goes", func(m *mirror) bool {
		_, there := m.objects[lone.Key]
		return m.listings["pod"] > 0 && !there
	})
	r.rests(t, w)
	if !w.sees(func(m *mirror) bool { _, a := m.objects[kept.Key]; return a }) {
		t.Error("the dependent is gone")
	}
}

// TestManyUnreadable: many objects that cannot be read cost in proportion to their number.
func TestManyUnreadable(t *testing.T) {
	const n = 8000
	r := newRig(t, Config{})
	var all []graph.Object
	for i := range n {
		all = append(all, graph.Object{Key: graph.Key{Kind: "pod", Scope: "ns", Name: fmt.Sprint("p", i), UID: graph.UID(fmt.Sprint("u", i))}})
	}
	write := func(value func(o graph.Object) []byte) {
		r.putMany(t, all, value)
	}
	w := watchOf(t, r.Store)
	w.until(t, "it is listed", listed(1))
	write(func(graph.Object) []byte { return []byte("no value") })
	r.fenced(t, w)
	write(func(o graph.Object) []byte {
		v, err := JSON{}.Encode(Record{Object: o})
		if err != nil {
			t.Fatal(err)
		}
		return v
	})
	r.fenced(t, w)
}

// TestBlindChildrenHoldOwner: many children of an owner that ends become unreadable at once. The
// owner waits for them in a collector.
func TestBlindChildrenHoldOwner(t *testing.T) {
	const n = 64
	r := newRig(t, Config{})
	owner := r.create(t, "app/ns/o")
	var all []graph.Object
	for i := range n {
		o := parse(t, fmt.Sprintf("pod/ns/c%d[x.io/y] -> app/ns/o@%s!", i, owner.UID))
		o.UID = graph.UID(fmt.Sprint("u", i))
		all = append(all, o)
	}
	good := func(o graph.Object) []byte {
		o.Version = ""
		v, err := JSON{}.Encode(Record{Object: o})
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	r.putMany(t, all, good)
	r.collect(t)
	w := watchOf(t, r.Store)
	w.until(t, "it is listed", listed(1))
	if err := r.Delete(t.Context(), owner.Key, graph.DeleteOptions{Propagation: graph.Foreground}); err != nil {
		t.Fatal(err)
	}
	w.until(t, "the children are marked", func(m *mirror) bool {
		for _, o := range m.objects {
			if o.Kind == "pod" && !o.Deleting {
				return false
			}
		}
		return true
	})
	direct := newRig(t, Config{Prefix: r.conf.Prefix})
	r.proxy.close()
	var more []graph.Object // the watch reads no former value after these
	for i := range maxRecalls + 64 {
		more = append(more, graph.Object{Key: graph.Key{Kind: "pod", Scope: "other", Name: fmt.Sprint("x", i)}})
	}
	direct.putMany(t, more, func(graph.Object) []byte { return []byte("no value") })
	direct.putMany(t, all, func(graph.Object) []byte { return []byte("no value") })
	if err := r.poll(t.Context(), r.proxy.listen); err != nil {
		t.Fatal(err)
	}
	w.until(t, "they are held", func(m *mirror) bool {
		for _, o := range m.objects {
			if o.Kind == "pod" && graph.Flaw(o, graph.Limits{}) == nil {
				return false
			}
		}
		return len(m.objects) > len(more)
	})
	r.rests(t, w)
	if !w.sees(func(m *mirror) bool { _, there := m.objects[owner.Key]; return there }) {
		t.Error("the owner has ended, and its children are there")
	}
}

// putMany writes the values of objects past the store, 100 in one transaction.
func (r *rig) putMany(t *testing.T, all []graph.Object, value func(graph.Object) []byte) {
	t.Helper()
	for len(all) > 0 {
		n := min(100, len(all))
		var ops []clientv3.Op
		for _, o := range all[:n] {
			ops = append(ops, clientv3.OpPut(r.at(t, o.Key), string(value(o))))
		}
		if _, err := r.client.Txn(t.Context()).Then(ops...).Commit(); err != nil {
			t.Fatal(err)
		}
		all = all[n:]
	}
}
