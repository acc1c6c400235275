package engine

import (
	"fmt"

	"github.com/ownergraph/ownergraph/explain"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/history"
	"github.com/ownergraph/ownergraph/internal/core/inflight"
	"github.com/ownergraph/ownergraph/internal/core/seed"
)

// gone explains an object that has left the graph. Until its kind is listed after a
// rewind it may be back in the store.
func (x *explainer) gone(key graph.Key) (explain.Explanation, error) {
	e, out := x.e, explain.Explanation{Key: key, State: explain.Gone}
	x.deletion(&out)
	if out.Deletion == nil && !e.absent.Has(key) {
		return explain.Explanation{}, fmt.Errorf("explain %s: %w%s", seed.PlaceText(key), graph.ErrNotFound, e.kinds.WhyUnobserved(key.Kind))
	}
	if e.kinds.Stale(key.Kind) {
		return explain.Explanation{}, fmt.Errorf("explain %s: %w: its kind is not listed since a rewind", seed.PlaceText(key), graph.ErrNotFound)
	}
	return out, nil
}

// deletion adds the end of an object that is gone, as far as the history keeps it.
func (x *explainer) deletion(out *explain.Explanation) {
	d, ok := x.e.history.Find(out.Key)
	if !ok {
		return
	}
	out.Changed = d.Ended
	out.Deletion = &explain.Deletion{
		Object: d.Object, Cut: d.Cut, Unseen: d.Unseen, Garbage: garbageIn(d.Garbage), Root: explain.Root(d.Root),
	}
	if d.Own {
		out.Deletion.Proof = proofIn(&d.Proof)
	}
}

// proofIn returns the proof of a delete in the words of an explanation.
func proofIn(p *history.Proof) *explain.Proof {
	out := &explain.Proof{
		Certain: p.Outcome == inflight.Succeeded, Version: p.Version, OwnersCut: p.OwnersCut, Holder: p.Holder,
		Decision: explain.Decision{Action: p.Action, Reason: p.Reason, Propagation: p.Propagation},
	}
	for _, o := range p.Owners {
		w := explain.Owner{Owner: o.Owner, Self: o.Self, Class: classIn(o.Class), Evidence: evidenceIn(o.Source), At: o.Since}
		out.Owners = append(out.Owners, w)
	}
	return out
}

// evidenceIn returns the source of the evidence at a decision in the words of an explanation.
func evidenceIn(s history.Source) explain.Evidence {
	return [...]explain.Evidence{history.WatchGone: explain.WatchSawGo, history.ReadAbsent: explain.ReadFoundNothing,
		history.ReadWaiting: explain.ReadFound, history.FencePassed: explain.FencePassed}[s]
}

func garbageIn(g history.Garbage) explain.Garbage {
	return [...]explain.Garbage{history.NoGarbage: explain.NoGarbage, history.WasGarbage: explain.WasGarbage, history.GarbageUnknown: explain.GarbageUnknown}[g]
}
