package invariant

import (
	"maps"
	"slices"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/engine"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/sweep/plan"
)

// goneHolder is a holder at its last event, and the time of the report of its end.
type goneHolder struct {
	holder graph.Object
	at     uint64
}

// answer is the object of a read, and the time of the answer.
type answer struct {
	object graph.Object
	at     uint64
}

// dispute is a deleted holder and an object that another living holder claims too.
type dispute struct{ holder, object graph.Key }

// disputes records the members of deleted holders that another living holder claims.
// It uses the events and results before the present one.
func (w *Witness) disputes() {
	if len(w.plans) == 0 {
		return
	}
	going := w.going()
	if len(going) == 0 {
		return
	}
	all := slices.Collect(maps.Values(w.objects))
	for _, h := range going {
		for _, o := range all {
			if o.Deleting || !slices.ContainsFunc(w.plans, func(p *plan.Plan) bool { return w.member(p, h, o) }) {
				continue
			}
			for x := range w.rivals(h, o, all) {
				if w.labelsKnown(x, w.selects.since[x.Key]) && w.labelsKnown(h, w.selects.since[h.Key]) { // else one may be a member of the other
					w.disputed[dispute{h.Key, o.Key}] = w.now
				}
			}
		}
	}
}

// going returns the holders that are being deleted, or are gone.
func (w *Witness) going() (out []graph.Object) {
	for _, h := range w.objects {
		if h.Deleting && slices.ContainsFunc(w.plans, func(p *plan.Plan) bool { return p.IsHolder(h) }) {
			out = append(out, h)
		}
	}
	for k, p := range w.goneHolders {
		if _, back := w.objects[k]; !back {
			out = append(out, p.holder)
		}
	}
	return out
}

// Follow makes the witness judge the work of its engine for sweeps, too.
func (w *Witness) Follow(plans []*plan.Plan) {
	w.claims = claims{plans, w.shownLabels}
	w.selects = newSelects()
	w.objects, w.goneHolders = map[graph.Key]graph.Object{}, map[graph.Key]goneHolder{}
	w.answers, w.disputed = map[graph.Key]answer{}, map[dispute]uint64{}
	w.sweepCalls = map[engine.CallID]bool{}
}

// note keeps the object of an event, for an engine with sweeps.
func (w *Witness) note(o *graph.Object) {
	if w.plans != nil {
		w.selects.note(w.objects[o.Key], o, w.now)
		w.objects[o.Key] = *o
	}
}

// holderGone records the end of an object that may have been a holder. The report
// comes from a listing or from an event.
func (w *Witness) holderGone(k graph.Key, listing bool) {
	o, ok := w.objects[k]
	if !ok {
		return
	}
	delete(w.objects, k)
	delete(w.answers, k)
	// The engine prunes the objects that a listing did not bring step by step. Such a
	// holder may have lost its guard since its last event.
	if slices.ContainsFunc(w.plans, func(p *plan.Plan) bool {
		return p.IsHolder(o) && (listing && o.Deleting || !listing && p.Sweep().Unguarded)
	}) {
		o.Deleting = true // another client removed its guard
		w.goneHolders[k] = goneHolder{o, w.now}
	}
}

// SweepDecided takes the engine's decision to delete an object for a holder. It
// returns a *Breach, or nil for a decision that breaks no invariant.
func (w *Witness) SweepDecided(d engine.DecisionEvent) error {
	w.sweepCalls[d.Call] = true
	bad := func(text string) error { return &Breach{Rule: "S23", Object: d.Key, Other: d.Holder, text: text} }
	h, here := w.objects[d.Holder]
	since := w.facts[d.Holder].dying
	if was, gone := w.goneHolders[d.Holder]; !here && gone { // its end keeps the earlier proofs
		if h = was.holder; since == 0 {
			since = was.at
		}
	}
	o, ok := w.objects[d.Key]
	if f := w.facts[d.Key]; !ok && f.put > 0 { // a listing did not bring it: the object is gone
		return nil
	}
	known := w.selects.since[d.Key]
	if x, read := w.answers[d.Key]; ok && read && o.Version != d.Version && x.object.Key == d.Key && x.object.Version == d.Version {
		o, known = x.object, x.at // a conflict's read stands in for the graph (R1)
	}
	if !ok || !h.Deleting || w.facts[d.Holder].put <= w.rewound {
		return bad("the engine sweeps %[1]s without a report that %[2]s is marked")
	}
	i := slices.IndexFunc(w.plans, func(p *plan.Plan) bool {
		return w.member(p, h, o) && p.Fit(h) == nil
	})
	if i < 0 {
		return bad("the engine sweeps %[1]s, which by the reports is no member of %[2]s")
	}
	all := slices.Collect(maps.Values(w.objects))
	p, came := w.plans[i], w.facts[d.Key].came
	if !w.fixed(p, h, o) { // this version may have made it a member
		came = known
	}
	switch {
	case !w.labelsKnown(o, known):
		return bad("the engine sweeps %[1]s without a report of its labels at its version")
	case w.contested(h, o, all):
		return bad("the engine sweeps %[1]s for %[2]s, and by the reports another holder has a claim on it")
	case !w.attested(max(since, came)):
		return bad("the engine sweeps %[1]s before a fence has passed that began when it and the mark of %[2]s were known")
	case !w.attested(w.disputed[dispute{d.Holder, d.Key}]):
		return bad("the engine sweeps %[1]s for %[2]s before a fence has passed that began after the last report of another holder's claim on it")
	case p.PhaseOf(o) >= p.Open(w.leftOf(p, h, all)):
		return &Breach{Rule: "S25", Object: d.Key, Other: d.Holder, text: "the engine sweeps %[1]s before the end of the earlier phases of %[2]s"}
	}
	return nil
}

// leftOf counts the members of a holder by phase.
func (w *Witness) leftOf(p *plan.Plan, h graph.Object, all []graph.Object) []int {
	left := make([]int, p.Phases())
	for _, o := range all {
		if w.member(p, h, o) {
			left[p.PhaseOf(o)]++
		}
	}
	return left
}

// attested reports whether every kind of holders has passed a fence that began
// after the given time. Below level 2 there are no fences, and it is true.
func (w *Witness) attested(after uint64) bool {
	return w.level < ownergraph.Level2 || !slices.ContainsFunc(w.plans, func(p *plan.Plan) bool {
		k := w.kinds[p.Sweep().Holder]
		return k.served && k.fenced <= after
	})
}

// sweeps reports whether the finalizer stands for a sweep.
func (w *Witness) sweeps(name string) bool {
	return name != "" && slices.ContainsFunc(w.plans, func(p *plan.Plan) bool {
		return name == p.Sweep().Finalizer
	})
}
