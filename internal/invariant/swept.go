package invariant

import (
	"maps"
	"slices"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/finalizer"
	"github.com/ownergraph/ownergraph/graph"
)

// parting is a holder as it was told last, and when it was told to be gone.
type parting struct {
	holder graph.Object
	at     uint64
}

// answer is what a read showed of an object, and when that was told.
type answer struct {
	object graph.Object
	at     uint64
}

// dispute is an object and a holder, which is deleted, of those who have a claim on it.
type dispute struct{ holder, object graph.Key }

// disputes notes which objects of holders that are deleted somebody else has a claim
// on who lives, as far as was told, until what is told now.
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
			if o.Deleting || !slices.ContainsFunc(w.plans, func(p *finalizer.Plan) bool { return w.member(p, h, o) }) {
				continue
			}
			for x := range w.rivals(h, o, all) {
				if w.labelsTold(x, w.selects.since[x.Key]) && w.labelsTold(h, w.selects.since[h.Key]) { // else nobody knows whether one holds the other
					w.disputed[dispute{h.Key, o.Key}] = w.now
				}
			}
		}
	}
}

// going returns the holders that are deleted, or are gone.
func (w *Witness) going() (out []graph.Object) {
	for _, h := range w.objects {
		if h.Deleting && slices.ContainsFunc(w.plans, func(p *finalizer.Plan) bool { return p.IsHolder(h) }) {
			out = append(out, h)
		}
	}
	for k, p := range w.parted {
		if _, back := w.objects[k]; !back {
			out = append(out, p.holder)
		}
	}
	return out
}

// Follow has the witness judge what its engine does for sweeps, too.
func (w *Witness) Follow(plans []*finalizer.Plan) {
	w.claims = claims{plans, w.toldLabels}
	w.selects = newSelects()
	w.objects, w.parted = map[graph.Key]graph.Object{}, map[graph.Key]parting{}
	w.answers, w.disputed = map[graph.Key]answer{}, map[dispute]uint64{}
	w.swept = map[ownergraph.CallID]bool{}
}

// note keeps what an engine with sweeps was told of an object.
func (w *Witness) note(o *graph.Object) {
	if w.plans != nil {
		w.selects.note(w.objects[o.Key], o, w.now)
		w.objects[o.Key] = *o
	}
}

// part notes that an object is gone, as a listing says or not, which may have been
// a holder.
func (w *Witness) part(k graph.Key, listing bool) {
	o, ok := w.objects[k]
	if !ok {
		return
	}
	delete(w.objects, k)
	delete(w.answers, k)
	// The engine comes bit by bit to what a listing did not bring; and whether such a
	// holder was guarded since it was told last, nobody knows.
	if slices.ContainsFunc(w.plans, func(p *finalizer.Plan) bool {
		return p.IsHolder(o) && (listing && o.Deleting || !listing && p.Sweep().Unguarded)
	}) {
		o.Deleting = true // whatever it was guarded by somebody took off
		w.parted[k] = parting{o, w.now}
	}
}

// Swept takes the decision to delete an object for a holder, as it is made, and
// returns what that breaks, nil if nothing; the error is a *Breach.
func (w *Witness) Swept(d ownergraph.Decided) error {
	w.swept[d.Call] = true
	bad := func(text string) error { return &Breach{Rule: "S23", Object: d.Key, Other: d.Holder, text: text} }
	h, here := w.objects[d.Holder]
	since, confirmed := w.facts[d.Holder].dying, false
	if was, gone := w.parted[d.Holder]; !here && gone { // what was proven before it went still is
		if h, confirmed = was.holder, true; since == 0 {
			since = was.at
		}
	}
	o, ok := w.objects[d.Key]
	if f := w.facts[d.Key]; !ok && f.put > 0 { // a listing did not bring it: nobody is there to be deleted
		return nil
	}
	known := w.selects.since[d.Key]
	if x, read := w.answers[d.Key]; ok && read && o.Version != d.Version && x.object.Key == d.Key && x.object.Version == d.Version {
		o, known = x.object, x.at // a conflict's read is judged in the graph's place (R1)
	}
	if !ok || !h.Deleting || w.facts[d.Holder].put <= w.rewound {
		return bad("%[1]s is swept, and nobody said that %[2]s is marked")
	}
	i := slices.IndexFunc(w.plans, func(p *finalizer.Plan) bool {
		return w.member(p, h, o) && p.Fit(h) == nil && (confirmed || !unconfirmed(p, h))
	})
	if i < 0 {
		return bad("%[1]s is swept, and as far as was said it does not belong to %[2]s, or that is not confirmed")
	}
	all := slices.Collect(maps.Values(w.objects))
	p, came := w.plans[i], w.facts[d.Key].came
	if !w.fixed(p, h, o) { // it may have become a member with this version
		came = known
	}
	switch {
	case !w.labelsTold(o, known):
		return bad("%[1]s is swept, and nobody said what its labels are at its version")
	case w.contested(h, o, all):
		return bad("%[1]s is swept for %[2]s, and somebody else was said to have a claim on it")
	case !w.attested(max(since, came)):
		return bad("%[1]s is swept, and no fence has passed that began when it and the mark of %[2]s were known")
	case !w.attested(w.disputed[dispute{d.Holder, d.Key}]):
		return bad("%[1]s is swept for %[2]s, and no fence has passed that began when nobody else was said to have a claim on it any more")
	case p.PhaseOf(o) >= p.Open(w.leftOf(p, h, all)):
		return &Breach{Rule: "S25", Object: d.Key, Other: d.Holder, text: "%[1]s is swept before the phases that it waits for are over for %[2]s"}
	}
	return nil
}

// leftOf counts by phase what belongs to a holder.
func (w *Witness) leftOf(p *finalizer.Plan, h graph.Object, all []graph.Object) []int {
	left := make([]int, p.Phases())
	for _, o := range all {
		if w.member(p, h, o) {
			left[p.PhaseOf(o)]++
		}
	}
	return left
}

// attested reports whether every kind of holders has passed a fence that began
// after the moment. Where there are none, nobody asks.
func (w *Witness) attested(after uint64) bool {
	return w.level < ownergraph.Level2 || !slices.ContainsFunc(w.plans, func(p *finalizer.Plan) bool {
		k := w.kinds[p.Sweep().Holder]
		return k.served && k.fenced <= after
	})
}

// sweeps reports whether the finalizer stands for a sweep.
func (w *Witness) sweeps(name string) bool {
	return name != "" && slices.ContainsFunc(w.plans, func(p *finalizer.Plan) bool {
		return name == p.Sweep().Finalizer || name == p.Sweep().Confirm
	})
}
