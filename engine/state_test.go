package engine

import (
	"cmp"
	"context"
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/ownergraph/ownergraph/finalizer"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/guard"
	"github.com/ownergraph/ownergraph/internal/core/fanout"
	"github.com/ownergraph/ownergraph/internal/core/inflight"
	"github.com/ownergraph/ownergraph/internal/core/orphaned"
	"github.com/ownergraph/ownergraph/internal/core/reads"
	"github.com/ownergraph/ownergraph/internal/core/record"
	"github.com/ownergraph/ownergraph/internal/core/seq"
	"github.com/ownergraph/ownergraph/internal/inside"
	"github.com/ownergraph/ownergraph/policy"
	"github.com/ownergraph/ownergraph/queue"
)

// hashed returns an engine with an entry in each of its parts. Object a is marked and
// waits for b and c. These are marked too, and refer to the phantom d. The reports of the
// engine have no meaning.
func hashed(t *testing.T) *Engine {
	t.Helper()
	e, err := New(Level2, Config{
		Handlers:        map[string]finalizer.Handler{"x.io/y": func(context.Context, graph.Object) error { return nil }},
		CompareVersions: func(_ graph.Kind, a, b graph.Version) int { return strings.Compare(string(a), string(b)) },
		Acknowledge:     []graph.Kind{"a"}, FenceWait: time.Minute,
		Sweeps: []guard.Sweep{{Finalizer: "x.io/s", Holder: "b", Members: []guard.Members{{By: guard.ByOwner}, {By: guard.ByLabel, Label: "l"}}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	objects, err := graph.Parse("a#5~[foreground]; b#5~[foreground] -> a!, d; c#5~[x.io/y] -> a, d")
	if err != nil {
		t.Fatal(err)
	}
	events := []graph.Event{{Type: graph.KindsKnown, Kinds: []graph.KindInfo{{Kind: "a"}, {Kind: "b"}, {Kind: "c"}, {Kind: "s", Scoped: true}}}}
	for _, o := range objects {
		events = append(events, graph.Event{Type: graph.ListBegun, Kind: o.Kind}, graph.Event{Type: graph.Put, Object: o},
			graph.Event{Type: graph.ListEnded, Kind: o.Kind, Version: "5"})
	}
	for _, ev := range append(events, graph.Event{Type: graph.ListBegun, Kind: "c"}) {
		if err := e.Observe(time.Unix(1000, 0), ev); err != nil {
			t.Fatal(err)
		}
	}
	for range 9 { // the sweeps of a, b and c, and the fan-outs, stay half done
		e.step(LaneUnset, nil)
	}
	e.fill()
	return e
}

// fill makes an entry by hand in each part of the engine.
func (e *Engine) fill() {
	a, b, c, d := e.idOf("a"), e.idOf("b"), e.idOf("c"), e.idOf("d")
	e.kinds.Lose(e.now, &e.seq, true, e.graph)
	e.kinds.SetAnswered(e.seq.Stamp())
	soon, at := e.now.Add(time.Second), e.seq.Stamp()
	e.reads.SetResult(e.view(), d, reads.Result{State: policy.ReadSolid, Version: "7", Began: at, Done: at + 1})
	e.calls.SetRetry(e.view(), &e.seq, c, graph.Object{Key: e.graph.Node(c).Key(), Version: "8"})
	e.misplaced.Add("c", a, 1)
	for _, x := range []inflight.Call{
		{Purpose: inflight.Read, Node: d, Key: e.graph.Node(d).Key()},
		{Purpose: inflight.Patch, Node: b, Key: e.graph.Node(b).Key(), Version: "5"},
		{Purpose: inflight.Fence, Fence: 1},
		{Purpose: inflight.Handle, Node: c, Key: e.graph.Node(c).Key(), Handler: "x.io/y"},
	} {
		e.issue(new(Call), x)
	}
	e.absent.Add(graph.Key{Kind: "a", Name: "old", UID: "old"})
	e.orphaned.Add(graph.Key{Kind: "a", Name: "older", UID: "older"}, orphaned.End{Fenced: true, Shown: true})
	e.orphaned.Show("d", "older")
	for _, began := range []seq.Stamp{2, at} { // the first one passes
		e.fence.Want(began-1, e.now)
		id, _ := e.fence.Begin(e.now, &e.kinds, &e.effects)
		e.fence.SetBegan(began)
		for _, name := range e.kinds.OpenKinds() {
			if began == 2 {
				e.fence.Pass(name, id, &e.kinds, &e.effects)
			}
		}
	}
	e.fence.Await(a, e.edit(a))
	e.edit(a).Cycle, e.edit(b).Cycle = 1, 1
	e.fanout.Push(e.view(), a)
	e.fanout.Wake(b)
	e.calls.Prepare(4, &Call{Type: CallPatch, Key: e.graph.Node(c).Key(), Change: graph.Change{DropFinalizer: "x.io/y"}})
	e.work.AddAt(a, queue.Low, soon)
	e.reads.Want(e.view(), b, d)
}

func (e *Engine) idOf(name string) graph.NodeID {
	n, _ := e.graph.Lookup(graph.Key{Kind: graph.Kind(name), Name: name, UID: graph.UID(name)})
	return n.ID()
}

// fieldChange changes one field of an engine or of its machines.
type fieldChange struct {
	field  string // and, after a blank, the part of it
	change func(e *Engine)
}

// stateChange changes the state of a node.
func stateChange(field, name string, change func(m *record.State)) fieldChange {
	return fieldChange{"State." + field, func(e *Engine) { change(e.edit(e.idOf(name))) }}
}

func readChange(field string, change func(r *reads.Result)) fieldChange {
	return fieldChange{"Result." + field, func(e *Engine) {
		r, _ := e.reads.Result(e.idOf("d"))
		change(&r)
		e.reads.SetResult(e.view(), e.idOf("d"), r)
	}}
}

func flip(b *bool) { *b = !*b }

// fieldChanges has the fields that decide the engine's next steps.
func fieldChanges() []fieldChange {
	changes := []fieldChange{
		{"Engine.pauses", func(e *Engine) { e.pauses.AwaitRecord(e.now) }},
		{"Engine.broken", func(e *Engine) { e.broken = errors.New("x") }},
		{"Engine.graph version", func(e *Engine) { _, _ = e.graph.Apply(put("a#6~[foreground]")) }},
		{"Engine.graph finalizer", func(e *Engine) { _, _ = e.graph.Apply(put("a#5~[orphan]")) }},
		{"Engine.graph owner", func(e *Engine) { _, _ = e.graph.Apply(put("b#5~[foreground] -> a, d")) }},
		{"Engine.graph object", func(e *Engine) { _, _ = e.graph.Apply(put("a/e#1")) }},
		{"Engine.graph listing", func(e *Engine) { _, _ = e.graph.Apply(graph.Event{Type: graph.ListBegun, Kind: "a"}) }},
		{"Engine.graph cursor", func(e *Engine) { e.graph.Inside(inside.Key{}).FanNext(e.idOf("a")) }},
		{"Engine.work key", func(e *Engine) { e.work.Add(e.idOf("d"), queue.Normal) }},
		{"Engine.work priority", func(e *Engine) { e.work.AddAt(e.idOf("a"), queue.High, e.now.Add(time.Second)) }},
		{"Engine.work time", func(e *Engine) { e.work.AddAt(e.idOf("a"), queue.Low, e.now.Add(time.Millisecond)) }},
		{"Engine.work attempts", func(e *Engine) { e.work.Retry(e.idOf("a"), queue.Low, e.now.Add(time.Hour)) }},
		{"Engine.reads queue", func(e *Engine) { e.reads.Again(e.idOf("a")) }},
		{"Engine.reads results", func(e *Engine) { e.reads.DropResult(e.view(), e.idOf("d")) }},
		{"Engine.calls retries", func(e *Engine) { e.calls.DropRetry(e.idOf("c")) }},
		{"Engine.reads waiters", func(e *Engine) { e.reads.Want(e.view(), e.idOf("c"), e.idOf("d")) }},
		{"Engine.misplaced", func(e *Engine) { delete(e.misplaced, "c") }},
		{"Engine.calls", func(e *Engine) { e.calls.Drop(3) }},
		{"Engine.absent", func(e *Engine) { e.absent.Clear() }},
		{"Engine.orphaned", func(e *Engine) { e.orphaned.Clear() }},
		{"Engine.orphaned references", func(e *Engine) { e.orphaned.Update(e.graph.Node(e.idOf("d"))) }},
		{"Engine.fanout", func(e *Engine) { e.fanout = fanout.Machine{} }},
		{"Engine.calls prepared", func(e *Engine) { e.calls.DropPrepared() }},
		{"Engine.calls prepared change", func(e *Engine) { e.calls.Prepared()[0].Change = graph.Change{} }},
	}
	changes = append(changes, nodeChanges()...)
	changes = append(changes, recordChanges()...)
	return changes
}

func nodeChanges() []fieldChange {
	const late = 1 << 40
	return []fieldChange{
		stateChange("Known", "a", func(m *record.State) { m.Known = 1 }),
		stateChange("Changed", "a", func(m *record.State) { m.Changed = late }),
		stateChange("Role", "d", func(m *record.State) { m.Role = late }),
		stateChange("Mark", "a", func(m *record.State) { m.Mark = late }),
		stateChange("Absent", "d", func(m *record.State) { m.Absent = late }),
		stateChange("Marked", "a", func(m *record.State) { m.Marked = m.Marked.Add(time.Second) }),
		stateChange("Call", "c", func(m *record.State) { m.Call = 9 }),
		stateChange("Conflicts", "c", func(m *record.State) { m.Conflicts++ }),
		stateChange("Cycle", "a", func(m *record.State) { m.Cycle = 0 }),
		stateChange("GoneObserved", "d", func(m *record.State) { flip(&m.GoneObserved) }),
		stateChange("Reread", "a", func(m *record.State) { flip(&m.Reread) }),
		stateChange("Blocked", "a", func(m *record.State) { m.Blocked = graph.Unreadable }),
		stateChange("PendingReads", "a", func(m *record.State) { m.PendingReads++ }),
		stateChange("ReadFailing", "a", func(m *record.State) { flip(&m.ReadFailing) }),
		stateChange("OutcomeUnknown", "a", func(m *record.State) { flip(&m.OutcomeUnknown) }),
		stateChange("Probing", "a", func(m *record.State) { m.Reread = true; flip(&m.Probing) }),
		stateChange("Suspect", "a", func(m *record.State) { flip(&m.Suspect) }),
		stateChange("Overdue", "a", func(m *record.State) { flip(&m.Overdue) }),
		stateChange("Withheld", "a", func(m *record.State) { flip(&m.Withheld) }),
		stateChange("FanningOut", "b", func(m *record.State) { flip(&m.FanningOut) }),
		stateChange("AwaitsFence", "c", func(m *record.State) { flip(&m.AwaitsFence) }),
	}
}

func recordChanges() []fieldChange {
	const late = 1 << 40
	return []fieldChange{
		readChange("State", func(r *reads.Result) { r.State = policy.ReadWaiting }),
		readChange("Version", func(r *reads.Result) { r.Version = "8" }),
		readChange("Began", func(r *reads.Result) { r.Began = 1 }),
		{"Result.Done", func(e *Engine) { // it is compared where the owner is observed
			e.reads.SetResult(e.view(), e.idOf("a"), reads.Result{Done: late})
		}},
	}
}

// unhashed says why a field is no part of the fingerprint.
var unhashed = map[string]string{
	"Engine.times": "explanations alone have times of stamps", "Engine.copies": "plans alone read them",
	"Engine.cfg": "one Config", "Engine.level": "one Config", "Engine.set": "one Config",
	"Engine.now": "times enter as how far away they are", "Engine.seq": "only the order of stamps counts",
	"Engine.effects": "none is left between calls", "Engine.revision": "a number for the caller", "Engine.held": "a report", "Engine.counts": "a report", "Engine.history": "a report", "Engine.undone": "see package inflight", "Engine.expected": "see package inflight",
	"Engine.nodes": "see State", "Engine.scratch": "of the decision at hand",
	"Engine.fence": "see package fence", "Engine.kinds": "see package kinds", "Engine.cycles": "see package cycle", "Engine.handlers": "see package handlers",
	"Engine.audit": "see package audit", "Engine.brake": "see package brake", "Engine.follows": "for reports",
	"State.Freed": "compared with the beginning of reads: see began", "State.Reason": "a report", "State.Doubt": "a report", "State.IsolatedCycle": "a report", "State.Audited": "a report", "State.Root": "a report", "State.Ended": "a report", "State.HasResult": "follows from the read results",
	"Engine.sweeps": "see package sweep", "Engine.guards": "see package guard",
	"Engine.order": "see package order", "Engine.share": "see package own", "Result.Grace": "the version fixes it",
}

func put(s string) graph.Event {
	o, err := graph.ParseObject(s)
	if err != nil {
		panic(err)
	}
	return graph.Event{Type: graph.Put, Object: o}
}

// TestFingerprint: each field that decides the engine's next steps changes its fingerprint.
// The test knows every field.
func TestFingerprint(t *testing.T) {
	base := hashed(t)
	want := base.fingerprint(nil)
	if got := base.clone().fingerprint(nil); got != want {
		t.Errorf("a clone has fingerprint %x, want %x", got, want)
	}
	changed := map[string]bool{}
	for _, c := range fieldChanges() {
		field, _, _ := strings.Cut(c.field, " ")
		changed[field] = true
		e := base.clone()
		c.change(e)
		if e.fingerprint(nil) == want {
			t.Errorf("%s: the change leaves the fingerprint as it is", c.field)
		}
	}
	for _, kept := range []any{
		Engine{}, record.State{}, reads.Result{},
	} {
		for i, s := 0, reflect.TypeOf(kept); i < s.NumField(); i++ {
			if f := s.Name() + "." + s.Field(i).Name; s.Field(i).Name != "_" && changed[f] == (unhashed[f] != "") {
				t.Errorf("%s has to be either tried or left out with a reason", f)
			}
		}
	}
}

// TestFingerprintForgets: a change that no decision reads leaves the fingerprint as it is.
func TestFingerprintForgets(t *testing.T) {
	base := hashed(t)
	want := base.fingerprint(nil)
	for _, c := range []struct {
		reason string
		change func(e *Engine)
	}{
		{"counters", func(e *Engine) { e.counts.Calls.Add(CallRead, 1) }},
		{"reports", func(e *Engine) { e.edit(e.idOf("c")).Reason = policy.OwnerSolid }},
		{"the last id", func(e *Engine) { e.issue(new(Call), inflight.Call{}); e.calls.Drop(5) }},
		{"a stamp that nothing has", func(e *Engine) { e.seq.Stamp() }},
	} {
		e := base.clone()
		c.change(e)
		if e.fingerprint(nil) != want {
			t.Errorf("%s change the fingerprint", c.reason)
		}
	}
}

// TestFingerprintRename: rename stands for versions, and for nothing else.
func TestFingerprintRename(t *testing.T) {
	fingerprint := func(text string, rename func(graph.Key, graph.Version) uint64) uint64 {
		e, err := New(Level2, Config{})
		if err != nil {
			t.Fatal(err)
		}
		for _, ev := range []graph.Event{{Type: graph.KindsKnown, Kinds: []graph.KindInfo{{Kind: "a"}}}, put(text)} {
			if err := e.Observe(time.Unix(0, 0), ev); err != nil {
				t.Fatal(err)
			}
		}
		return e.fingerprint(rename)
	}
	last := func(_ graph.Key, v graph.Version) uint64 { return uint64(cmp.Compare(v, "5")) }
	if fingerprint("a#6", last) != fingerprint("a#7", last) {
		t.Error("versions with one name differ")
	}
	if fingerprint("a#4", last) == fingerprint("a#7", last) || fingerprint("a#6", nil) == fingerprint("a#7", nil) {
		t.Error("versions with different names do not differ")
	}
	if fingerprint("a#6 -> b", last) == fingerprint("a#7", last) {
		t.Error("objects with versions of one name do not differ")
	}
}
