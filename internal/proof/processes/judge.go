package processes

import (
	"fmt"
	"slices"

	"github.com/ownergraph/ownergraph/engine"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/proof/invariant"
)

// Judge compares the end of a proof with the required one, judges the history, and returns the
// writes. The processes have ended.
func (p *Proof) Judge() *Report {
	p.t.Helper()
	p.ends()
	before, changes, err := p.site.Past(p.ctx)
	if err != nil {
		p.t.Fatal(err)
	}
	r := p.report()
	const most = 10
	wrong := append(judge(before, changes, p.owner), r.faults()...)
	for _, text := range wrong[:min(len(wrong), most)] {
		p.t.Error(text)
	}
	if more := len(wrong) - most; more > 0 {
		p.t.Errorf("%d more faults", more)
	}
	p.t.Log(p.costs())
	return r
}

// ends demands that the objects are exactly the required ones.
func (p *Proof) ends() {
	p.t.Helper()
	live, err := p.live(p.ctx)
	if err != nil {
		p.t.Fatal(err)
	}
	want := map[graph.UID]bool{p.keeper.UID: true}
	for i, c := range p.cascades {
		over := i < p.deleted
		if fault := c.fault(p.keeper.UID, live); over && fault != "" {
			p.t.Error(fault)
		}
		want[c.kept.UID] = true
		want[c.owner.UID] = !over
		for _, d := range c.dependents {
			want[d.UID] = !over || c.how == graph.Orphan
		}
	}
	for uid, stays := range want {
		if o, is := live[uid]; is != stays || o.Deleting {
			p.t.Errorf("the object with the UID %s is there: %v, deleting: %v, want it there: %v", uid, is, o.Deleting, stays)
		}
	}
	for uid, o := range live {
		if !want[uid] {
			p.t.Errorf("%s is left", o)
		}
	}
}

// judge judges each change that no user of a proof makes. Users create objects and delete owners.
func judge(before []graph.Object, changes []graph.Event, owner graph.Kind) (wrong []string) {
	before = slices.Clone(before)
	last := map[graph.UID]graph.Object{}
	for i := range before {
		before[i].Version = "before"
		last[before[i].UID] = before[i]
	}
	ledger := invariant.NewLedger(before)
	for i, e := range changes {
		if e.Type == graph.Put {
			e.Object.Version = graph.Version(fmt.Sprint(i))
		}
		key := keyOf(e)
		old, is := last[key.UID]
		if c, text := callOf(old, e, owner); is && text != "" {
			wrong = append(wrong, fmt.Sprintf("change %d: %s: %s", i, key, text))
		} else if is && c.Type != engine.CallUnset {
			if err := ledger.Judge(c); err != nil {
				wrong = append(wrong, fmt.Sprintf("change %d: %v", i, err))
			}
		}
		ledger.Commit(e)
		delete(last, key.UID)
		if e.Type == graph.Put {
			last[key.UID] = e.Object
		}
	}
	return wrong
}

func keyOf(e graph.Event) graph.Key {
	if e.Type == graph.Put {
		return e.Object.Key
	}
	return e.Key
}

// callOf returns the call of a collector that makes a change, or the fault of a change that none
// makes. A user's change is no call.
func callOf(old graph.Object, e graph.Event, owner graph.Kind) (c engine.Call, fault string) {
	pre := graph.Precondition{UID: old.UID, Version: old.Version}
	c.Key = old.Key
	gone := e.Type == graph.Gone
	switch {
	case old.Kind != owner && gone && len(old.Finalizers) == 0:
		c.Type, c.Options = engine.CallDelete, graph.DeleteOptions{Precondition: pre, Propagation: graph.Background}
	case old.Kind != owner && !gone:
		c.Type, c.Precondition = engine.CallPatch, pre
		c.Change.DropOwners = dropped(old, e.Object)
		if same := c.Change.Apply(old); !same.EqualContent(e.Object) {
			return c, fmt.Sprintf("it was %s, and is %s", old, e.Object)
		}
	case gone && old.Deleting && len(old.Finalizers) == 1:
		c.Type, c.Precondition, c.Change.DropFinalizer = engine.CallPatch, pre, old.Finalizers[0]
	case gone && len(old.Finalizers) > 0, !gone && old.Deleting:
		return c, fmt.Sprintf("a change of %s", old)
	}
	return c, ""
}

// dropped returns the references that an object has lost.
func dropped(old, now graph.Object) (out []graph.Owner) {
	for _, r := range old.Owners {
		if !slices.ContainsFunc(now.Owners, r.Same) {
			out = append(out, r)
		}
	}
	return out
}
