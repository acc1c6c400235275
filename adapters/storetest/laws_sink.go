package storetest

import (
	"errors"
	"fmt"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
)

const (
	slowDelaysNone = "watch/slow-holds-nobody"
	oneCall        = "watch/one-call"
	batchKept      = "watch/batch-kept"
	slowLosesNone  = "watch/slow-loses-nothing"
)

// lawsOfSink are about a watch and its sink.
func lawsOfSink() []law {
	return []law{
		{
			name: slowDelaysNone, rests: []string{watchEveryChange},
			why: "the engine's sink may be slow: if users and other engines wait for it, one slow engine stops a whole cluster",
			run: slowDelaysNoCaller,
		},
		{
			name: slowLosesNone, rests: []string{watchGone, slowDelaysNone},
			why: "a bounded buffer that overflows without a new listing loses the end of an owner for ever",
			run: slowLosesNothing,
		},
		{
			name: "watch/sink-error", rests: []string{watchListing},
			why: "an engine that stops waits for its watch to end: a watch that goes on beside the next one reports old states",
			run: sinkErrorEnds,
		},
		{
			name: oneCall, rests: []string{watchSeveral, slowLosesNone},
			why: "two calls of the sink at once have no order, and the sink has no lock",
			run: sinkIsCalledOnce,
		},
		{
			name: batchKept, rests: []string{watchSeveral, slowLosesNone},
			why: "the sink reads a batch until it returns: if the store fills the array again meanwhile, events are lost and others come twice",
			run: batchIsKept,
		},
	}
}

func slowDelaysNoCaller(t *trial) {
	other := t.watch().ready()
	w := t.watchStepped()
	w.pauseAt("the watch begins", func(ownergraph.Event) bool { return true })
	var want []ownergraph.Object
	for i := range 40 {
		o := t.writeBeside("Client.Create", func() (ownergraph.Object, error) { return t.tryCreate(t.object(fmt.Sprintf("a%d", i))) })
		want = append(want, o)
	}
	t.writeBeside("Get", func() (ownergraph.Object, error) { return t.get(want[0].Key) })
	other.mustSee("another watch reports all that is written while one is paused", func(r *replica) bool { return r.agrees(t.main.Kind, want) })
	w.free()
}

// writeBeside makes a call that has to succeed although a watch is paused.
func (t *trial) writeBeside(what string, call func() (ownergraph.Object, error)) ownergraph.Object {
	t.Helper()
	o, err := call()
	if err != nil {
		t.broken(what+" goes through while the sink of a watch waits", err.Error())
	}
	return o
}

func slowLosesNothing(t *trial) {
	first, gone := t.made("first"), t.made("gone")
	w := t.watchStepped()
	w.pauseAt("the watch lists "+string(t.main.Kind), isMain(t, graph.ListEnded))
	t.remove(gone)
	want := []ownergraph.Object{first}
	for i := range 40 {
		o := t.made(fmt.Sprintf("a%d", i))
		if i%5 == 0 {
			t.remove(o)
			continue
		}
		want = append(want, o)
	}
	for range 60 {
		want[0] = t.touch(want[0])
	}
	w.free()
	w.mustSee(fmt.Sprintf("a slow watch gets to know all %d objects as they are", len(want)), func(r *replica) bool { return r.agrees(t.main.Kind, want) })
}

func sinkErrorEnds(t *trial) {
	t.sinkFailsAt("kinds-known", func(e ownergraph.Event) bool { return e.Type == graph.KindsKnown })
	t.sinkFailsAt("the end of a listing", func(e ownergraph.Event) bool { return e.Type == graph.ListEnded })
	t.sinkFailsAt("a change", func(e ownergraph.Event) bool { return e.Type == graph.Put && e.Object.Name == "change" })
}

func (t *trial) sinkFailsAt(what string, at func(ownergraph.Event) bool) {
	t.Helper()
	w := t.watchWith(func(e ownergraph.Event) error {
		if at(e) {
			return errSink
		}
		return nil
	})
	if what == "a change" {
		w.ready()
		t.made("change")
	}
	err, ended := w.waitEnd()
	if !ended {
		t.broken(fmt.Sprintf("a watch whose sink fails at %s ends", what), "it has not ended")
	}
	if !errors.Is(err, errSink) {
		t.broken("the watch returns the sink's error, wrapped", fmt.Sprint(err))
	}
	t.made(fmt.Sprintf("after%d", len(what)))
	if events, _ := w.reported(); !at(events[len(events)-1]) {
		t.broken(fmt.Sprintf("the sink is not called again after it has failed at %s", what), "it was called with "+formatEvents(events))
	}
}

// sinkIsCalledOnce makes changes of every kind while a call of the sink is paused.
// When the other watch has reported all of them, the store had its chance to call
// the sink again.
func sinkIsCalledOnce(t *trial) {
	w := t.watchStepped()
	w.pauseAt("the watch begins a listing", func(e ownergraph.Event) bool { return e.Type == graph.ListBegun })
	other := t.watch().ready()
	var last ownergraph.Object
	for i := range 20 {
		for _, info := range t.few {
			last = t.create(ownergraph.Object{Key: keyOf(info, fmt.Sprintf("a%d", i))})
		}
	}
	other.mustSee("the watch reports "+last.String(), func(r *replica) bool { return r.knows(last) })
	w.free()
	w.mustSee("the watch reports "+last.String(), func(r *replica) bool { return r.listed() && r.knows(last) })
	w.mu.Lock()
	overlap := w.overlap
	w.mu.Unlock()
	if overlap {
		t.broken("a watch calls its sink once at a time", "it called it while another call was under way")
	}
}

// batchIsKept pauses a watch in a listing and in its next changes, while users write.
func batchIsKept(t *trial) {
	for i := range 5 {
		t.made(fmt.Sprintf("a%d", i))
	}
	other, w := t.watch().ready(), t.watchStepped()
	w.pauseAt("the watch lists an object", isMain(t, graph.Put))
	for i := range 20 {
		t.made(fmt.Sprintf("b%d", i))
	}
	w.pass()
	w.pauseAt("the watch reports a change", func(e ownergraph.Event) bool { return e.Type == graph.Put && e.Object.Name[0] == 'b' })
	var last ownergraph.Object
	for i := range 20 {
		last = t.made(fmt.Sprintf("c%d", i))
	}
	other.mustSee("the watch reports "+last.String(), func(r *replica) bool { return r.knows(last) })
	w.free()
	w.mustSee("the watch reports "+last.String(), func(r *replica) bool { return r.listed() && r.knows(last) })
	w.mu.Lock()
	altered := w.altered
	w.mu.Unlock()
	if altered != "" {
		t.broken("a batch stays as it is until the sink returns", altered)
	}
}
