package selections

import (
	"errors"
	"testing"
	"time"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/guard"
	"github.com/ownergraph/ownergraph/internal/core/effect"
	"github.com/ownergraph/ownergraph/internal/core/fence"
	"github.com/ownergraph/ownergraph/internal/core/guards"
	"github.com/ownergraph/ownergraph/internal/core/held"
	"github.com/ownergraph/ownergraph/internal/core/kinds"
	"github.com/ownergraph/ownergraph/internal/core/record"
	"github.com/ownergraph/ownergraph/internal/core/seq"
	"github.com/ownergraph/ownergraph/internal/core/sweep"
	"github.com/ownergraph/ownergraph/policy"
)

// rig has three machines, each with a rule by labels about the kind volume alone.
type rig struct {
	*testing.T
	Machines
	names map[Requester]string
	calls uint64
}

// newRig returns a rig whose machines want a selection each.
func newRig(t *testing.T) *rig {
	t.Helper()
	sw, err := sweep.New(sweep.Settings{Page: 10, Sweeps: []guard.Sweep{{
		Finalizer: "x.io/tenant", Holder: "tenant", Members: []guard.Members{{By: guard.ByLabel, Label: "of", Kinds: []graph.Kind{"volume"}}},
	}}})
	if err != nil {
		t.Fatal(err)
	}
	g, err := guards.New(guards.Settings{
		Protect: []guard.Protection{{Kinds: []graph.Kind{"volume"}, Selector: "keep"}},
		Guards:  []guard.Guard{{Kinds: []graph.Kind{"tenant"}, Always: true}}, Members: sw.LabelRules(), Page: 10,
	})
	if err != nil {
		t.Fatal(err)
	}
	table, fences, stamps, marks := kinds.New(nil), fence.New(true, 0), seq.Counter{}, held.New()
	r := &rig{T: t, Machines: Machines{Sweeps: &sw, Guards: &g, View: sweep.View{
		Nodes: record.Nodes{Graph: graph.New(graph.Config{}), Table: &record.Table{}},
		Kinds: &table, Fence: &fences, Held: &marks, Stamps: &stamps, Out: &effect.List{}, Now: time.Unix(1000, 0),
	}}}
	r.names = map[Requester]string{&g.Labels: "protections", &g.Members: "members", &sw: "sweeps"}
	r.serve("tenant", "volume")
	r.want()
	return r
}

// serve makes the store report the set of kinds.
func (r *rig) serve(names ...graph.Kind) {
	r.Helper()
	ev := graph.Event{Type: graph.KindsKnown}
	for _, name := range names {
		ev.Kinds = append(ev.Kinds, graph.KindInfo{Kind: name})
	}
	r.apply(ev)
	r.Kinds.SetKinds(ev.Kinds, r.Graph, r.Stamps)
	r.Kinds.EndSet(r.Graph, r.Sweeps.Holders())
}

func (r *rig) apply(ev graph.Event) {
	r.Helper()
	if _, err := r.Graph.Apply(ev); err != nil {
		r.Fatal(err)
	}
	r.Kinds.Apply(&ev, r.Stamps, nil)
}

// want makes each machine want a selection: a holder is marked, and a wait asks for the rest.
func (r *rig) want() {
	r.Helper()
	o, err := graph.ParseObject("tenant/1#1~[x.io/tenant]")
	if err != nil {
		r.Fatal(err)
	}
	r.apply(graph.Event{Type: graph.Put, Object: o})
	n, _ := r.Graph.Lookup(o.Key)
	r.Edit(n.ID()).Known = r.Stamps.Stamp()
	r.Sweeps.Observe(r.View, n.ID(), n)
	var j sweep.Judgement
	r.Sweeps.Judge(r.View, n.ID(), policy.Decision{Action: policy.Wait, Reason: policy.NeedFinalizers}, false, false, &j)
	r.Sweeps.Commit(r.View, n.ID(), &j)
	r.Guards.TrySelect(r.guardView(), 0)
}

// next requests the next page, and returns the machine that wants it, "" for none.
func (r *rig) next() string {
	r.Helper()
	req, from, ok := r.Next()
	if !ok {
		return ""
	}
	if req.Kind != "volume" {
		r.Errorf("a page of the kind %s", req.Kind)
	}
	r.calls++
	from.SetSelectCall(r.calls, r.Stamps.Stamp())
	return r.names[from]
}

// nextAll checks the machines that want a page, in order.
func (r *rig) nextAll(reason string, want ...string) {
	r.Helper()
	for _, name := range append(want, "") {
		if got := r.next(); got != name {
			r.Errorf("the next page is for %q, want %q: %s", got, name, reason)
		}
	}
}

// TestRoutes: each page goes to the machine that wants it, and to no other one. A page that no worker
// has requested is requested again.
func TestRoutes(t *testing.T) {
	for i, name := range []string{"protections", "members", "sweeps"} {
		r := newRig(t)
		r.nextAll("each has a page of its own", "protections", "members", "sweeps")
		call := uint64(i + 1)
		r.Return(call)
		if at, ok := r.At(); !ok || !at.Equal(r.Now) {
			t.Errorf("%s: the returned page is due at %v, %t", name, at, ok)
		}
		r.nextAll("the others await their pages", name)
		r.Return(call)
		r.nextAll("the call has been given back before")
		r.Done(call, graph.SelectPage{}, nil, 0)
		r.nextAll("the page was given back, and its answer counts for nothing")
		r.Done(4, graph.SelectPage{More: "next"}, nil, 0)
		r.nextAll("the selection has another page", name)
		r.Done(5, graph.SelectPage{}, nil, 0)
		r.nextAll("the selection is complete")
		if got := r.Guards.Labels.SelectedAt(r.guardView()) > 0; got != (name == "protections") {
			t.Errorf("%s: the protections are selected: %t", name, got)
		}
		if got := r.Guards.Members.SelectedAt(r.guardView()) > 0; got != (name == "members") {
			t.Errorf("%s: the members are selected: %t", name, got)
		}
		if got := !r.Sweeps.Selecting(r.View); got != (name == "sweeps") {
			t.Errorf("%s: the sweeps are selected: %t", name, got)
		}
	}
}

// TestResume: the failed selections of a kind that has recovered are due at once, for each machine.
func TestResume(t *testing.T) {
	r := newRig(t)
	r.nextAll("each has a page of its own", "protections", "members", "sweeps")
	for call := range uint64(3) {
		r.Done(call+1, graph.SelectPage{}, errors.New("down"), time.Minute)
	}
	r.nextAll("each waits after its failure")
	if at, ok := r.At(); !ok || at.Sub(r.Now) != time.Minute {
		t.Errorf("due after %v, %t, want the store's own delay", at.Sub(r.Now), ok)
	}
	r.Resume("tenant")
	r.nextAll("another kind has recovered")
	r.Resume("volume")
	r.nextAll("the kind has recovered", "protections", "members", "sweeps")
}

// TestDrop: a kind that is no longer served has no selection, and the page under way is for no
// machine.
func TestDrop(t *testing.T) {
	r := newRig(t)
	if got := r.next(); got != "protections" {
		t.Errorf("the first page is for %q", got)
	}
	r.serve("tenant")
	r.Drop()
	r.nextAll("no kind with a selection is served")
	if at, ok := r.At(); ok {
		t.Errorf("a page is due at %v", at)
	}
	r.Done(1, graph.SelectPage{}, nil, 0)
	r.serve("tenant", "volume")
	if at := r.Guards.Labels.SelectedAt(r.guardView()); at != 0 {
		t.Errorf("the protections are selected as of %d, want never", at)
	}
}
