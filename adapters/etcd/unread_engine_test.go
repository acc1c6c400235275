package etcdstore

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/guard"
)

// rests waits until the collector has deleted two pieces of garbage, one after the other. It has
// then seen the objects from before, and decided them.
func (r *rig) rests(t *testing.T, w *watcher) {
	t.Helper()
	for range 2 {
		lone := r.create(t, "pod/rest/p"+strings.ToLower(rand.Text())+" -> app/rest/none@x")
		r.fenced(t, w)
		w.until(t, "garbage goes", func(m *mirror) bool { _, there := m.objects[lone.Key]; return !there })
	}
	r.fenced(t, w)
}

func (r *rig) collectWith(t *testing.T, conf ownergraph.Config) *ownergraph.Collector {
	t.Helper()
	c, err := ownergraph.New(r.Store, conf)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		if err := c.Run(ctx); err != nil && !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	}()
	t.Cleanup(func() {
		cancel()
		<-ended
	})
	return c
}

// TestUnreadableHolder: a holder of a sweep of which nothing is known comes back under its own
// UID. That is no end of the holder, and its members stay.
func TestUnreadableHolder(t *testing.T) {
	for _, relist := range []bool{false, true} {
		r := newRig(t, Config{})
		holder := r.create(t, "node/n")
		member := r.create(t, "pod/ns/n-data")
		at, good := r.at(t, holder.Key), r.value(t, holder)
		r.mustPut(t, at, []byte("no value"))
		r.mustPut(t, at, []byte("nor this"))
		if err := r.compact(t.Context()); err != nil {
			t.Fatal(err)
		}
		r.collectWith(t, ownergraph.Config{Sweeps: []guard.Sweep{{
			Finalizer: "example.org/tenant", Holder: "node", Unguarded: true,
			Members: []guard.Members{{By: guard.ByName, Delimiter: "-"}},
		}}})
		w := watchOf(t, r.Store)
		w.until(t, "it is listed", listed(1))
		r.rests(t, w)
		direct := newRig(t, Config{Prefix: r.conf.Prefix})
		if relist {
			r.proxy.close()
		}
		direct.mustPut(t, at, good)
		if relist {
			direct.create(t, "node/m")
			if err := direct.compact(t.Context()); err != nil {
				t.Fatal(err)
			}
			if err := r.poll(t.Context(), r.proxy.listen); err != nil {
				t.Fatal(err)
			}
		}
		w.until(t, "the holder has its finalizer", func(m *mirror) bool { return m.objects[holder.Key].HasFinalizer("example.org/tenant") })
		r.rests(t, w)
		if !w.sees(func(m *mirror) bool { _, there := m.objects[member.Key]; return there }) {
			t.Errorf("relist %t: the member is gone", relist)
		}
	}
}

// TestUnreadableMember: a member that cannot be read holds the holder, and comes to no end.
func TestUnreadableMember(t *testing.T) {
	r := newRig(t, Config{})
	holder := r.create(t, "node/n")
	member := r.create(t, "pod/ns/n-data")
	at := r.at(t, member.Key)
	r.mustPut(t, at, []byte("no value"))
	r.mustPut(t, at, []byte("nor this"))
	if err := r.compact(t.Context()); err != nil {
		t.Fatal(err)
	}
	r.collectWith(t, ownergraph.Config{Sweeps: []guard.Sweep{{
		Finalizer: "example.org/tenant", Holder: "node",
		Members: []guard.Members{{By: guard.ByName, Delimiter: "-"}},
	}}})
	w := watchOf(t, r.Store)
	w.until(t, "the holder has its finalizer", func(m *mirror) bool { return m.objects[holder.Key].HasFinalizer("example.org/tenant") })
	if err := r.Delete(t.Context(), holder.Key, graph.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	r.rests(t, w)
	if !w.sees(func(m *mirror) bool { _, a := m.objects[holder.Key]; _, b := objectAt(m, member.Key); return a && b }) {
		t.Error("the holder or its member is gone")
	}
	r.mustPut(t, at, nil)
	w.until(t, "the holder ends", func(m *mirror) bool { return len(m.objects) == 0 })
}

// TestUIDReplacedBetweenWatches: two watches list at the two sides of a change of the UID. None
// reports the end of the object that it has shown.
func TestUIDReplacedBetweenWatches(t *testing.T) {
	r := newRig(t, Config{})
	o := r.create(t, "app/ns/a")
	forged := bytes.ReplaceAll(r.value(t, o), []byte(o.UID), []byte("another"))
	reached, free, passed := make(chan struct{}), make(chan struct{}), make(chan struct{}, 1)
	calls, gone := 0, false
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	// The first watch waits in its first batch, so it does not keep its reports yet.
	var more []graph.Object
	for i := range maxEvents + 200 {
		more = append(more, graph.Object{Key: graph.Key{Kind: "app", Scope: "ns", Name: fmt.Sprint("x", i), UID: graph.UID(fmt.Sprint("u", i))}})
	}
	r.putMany(t, more, func(o graph.Object) []byte {
		v, err := JSON{}.Encode(Record{Object: o})
		if err != nil {
			t.Fatal(err)
		}
		return v
	})
	y := newMirror()
	ended := make(chan struct{})
	w := r.enter(outbox{ctx: ctx, sink: func(batch []graph.Event) error {
		if calls++; calls == 1 {
			close(reached)
			<-free
		}
		for i := range batch {
			y.apply(&batch[i])
			gone = gone || batch[i].Type == graph.Gone && batch[i].Key.UID == o.UID
			if batch[i].Type == graph.FencePassed {
				select {
				case passed <- struct{}{}:
				default:
				}
			}
		}
		return nil
	}})
	go func() {
		defer close(ended)
		defer r.leave(w)
		if err := r.checkAll(ctx); err != nil {
			return
		}
		_ = w.session(ctx)
	}()
	within, stop := context.WithTimeout(ctx, patience)
	defer stop()
	select {
	case <-reached:
	case <-within.Done():
		t.Fatal("the first watch reports nothing")
	}
	r.mustPut(t, r.at(t, o.Key), forged)
	second := watchOf(t, r.Store)
	second.until(t, "it is listed", listed(1))
	close(free)
	r.fenced(t, second)
	select {
	case <-passed:
	case <-within.Done():
		t.Fatal("no fence passes in the first watch")
	}
	cancel()
	<-ended
	if gone {
		t.Error("a watch has reported the end of the object")
	}
}

// TestRestoredWhileUnreadable: nothing ends wrongly over a restore with unreadable objects.
func TestRestoredWhileUnreadable(t *testing.T) {
	r := newRig(t, Config{})
	owner := r.create(t, "app/ns/o")
	blindOwner := r.create(t, "app/ns2/b")
	kept := r.create(t, "pod/ns2/kept -> app/ns2/b@"+string(blindOwner.UID))
	child := r.create(t, "pod/ns/child -> app/ns/o@"+string(owner.UID))
	good := r.value(t, child)
	r.collect(t)
	w := watchOf(t, r.Store)
	w.until(t, "it is listed", listed(1))
	for range 2 {
		r.mustPut(t, r.at(t, child.Key), []byte("no value"))
		r.mustPut(t, r.at(t, blindOwner.Key), []byte("no value"))
	}
	w.until(t, "held", heldAt(child.Key))
	r.orphan(t, owner)
	r.fenced(t, w)
	for i := range 3 {
		if i > 0 {
			if err := r.compact(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		if err := r.Restored(t.Context()); err != nil {
			t.Fatal(err)
		}
		r.rests(t, w)
		if !w.sees(func(m *mirror) bool {
			_, a := m.objects[owner.Key]
			_, b := m.objects[kept.Key]
			_, c := objectAt(m, child.Key)
			return a && b && c
		}) {
			t.Fatalf("round %d: an object is gone: %+v", i, w.mirror.objects)
		}
	}
	r.mustPut(t, r.at(t, child.Key), good)
	w.until(t, "the owner ends", func(m *mirror) bool { _, a := m.objects[owner.Key]; return !a })
	r.rests(t, w)
	if !w.sees(func(m *mirror) bool {
		o, c := objectAt(m, child.Key)
		return c && len(o.Owners) == 0 && graph.Flaw(o, graph.Limits{}) == nil
	}) {
		t.Error("the child is gone")
	}
}
