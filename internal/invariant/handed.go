package invariant

import (
	"slices"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
)

// Handed takes a call as it is handed out, and returns what that breaks, nil if
// nothing; the error is a *Breach. Live is the object that a write is made for,
// if the store still holds the version that the write is conditioned on, nil
// otherwise: then a conflict turns it away.
func (w *Witness) Handed(c ownergraph.Call, live *graph.Object) error {
	w.now++
	w.begun[c.ID] = w.now
	var bad *Breach
	switch c.Type {
	case ownergraph.CallFence:
		w.forget()
		w.fences = append(w.fences, fence{id: c.Fence, began: w.now})
	case ownergraph.CallHandle:
		switch {
		case !c.Object.Deleting || !c.Object.HasFinalizer(c.Finalizer):
			bad = &Breach{Rule: "S21", Object: c.Key, text: "the handler %[3]q runs for %[1]s, which does not ask for it", detail: c.Finalizer}
		case w.rewound != 0 && w.facts[c.Key].put <= w.rewound:
			bad = &Breach{Rule: "S21", Object: c.Key, text: "the handler %[3]q runs for %[1]s, which nobody has seen since history went backwards", detail: c.Finalizer}
		}
	case ownergraph.CallPatch, ownergraph.CallDelete:
		bad = w.written(c, live)
	}
	if bad != nil {
		return bad
	}
	return nil
}

// forget makes room for a fence: the oldest goes, but for the newest one that
// every kind has passed.
func (w *Witness) forget() {
	if len(w.fences) < mostFences {
		return
	}
	oldest := 0
	passed := func(f fence) bool { return w.all(f.passed) }
	if passed(w.fences[0]) && !slices.ContainsFunc(w.fences[1:], passed) {
		oldest = 1
	}
	w.fences = slices.Delete(w.fences, oldest, oldest+1)
}

func (w *Witness) written(c ownergraph.Call, live *graph.Object) *Breach {
	if pre := precondition(c); pre.UID == "" || pre.Version == "" || pre.UID != c.Key.UID {
		return &Breach{Rule: "S5", Object: c.Key, text: "%[3]s %[1]s is asked for without UID or version", detail: c.Type.String()}
	}
	if w.level < ownergraph.Level1 {
		return &Breach{Rule: "S5", Object: c.Key, text: "%[1]s is written to in a store that promises too little"}
	}
	if name, ok := w.quarantine(c.Key.Kind); ok {
		return &Breach{Rule: "S10", Object: c.Key, text: "%[1]s is written to, and kind %[3]s has not been listed since history went backwards", detail: string(name)}
	}
	if w.lost != 0 && w.replied <= w.lost {
		return &Breach{Rule: "R5", Object: c.Key, text: "%[1]s is written to, and the store has answered nothing since a write was lost, or the watch broke"}
	}
	if live == nil {
		return nil
	}
	if bad := w.shared(c, live); bad != nil {
		return bad
	}
	switch {
	case c.Type == ownergraph.CallDelete && w.swept[c.ID]: // judged as it was decided
		return nil
	case c.Type == ownergraph.CallDelete:
		return w.certified(live)
	}
	if bad := w.dropped(c, live); bad != nil {
		return bad
	}
	return w.released(c)
}

// quarantine returns a kind that keeps an object of the given kind from being
// written to: one that has not been listed since a rewind.
func (w *Witness) quarantine(own graph.Kind) (graph.Kind, bool) {
	if w.rewound == 0 {
		return "", false
	}
	if w.kinds[own].listed <= w.rewound {
		return own, true
	}
	for name, k := range w.kinds {
		if k.served && k.joined <= w.rewound && k.listed <= w.rewound {
			return name, true
		}
	}
	return "", false
}

// shared: nothing may be done to an object, or because of an owner, whose UID
// two observed objects have.
func (w *Witness) shared(c ownergraph.Call, live *graph.Object) *Breach {
	at := w.decided[c.ID]
	twins := func(u graph.UID) bool {
		claim := w.shares[u]
		return claim.count > 1 && at >= claim.since
	}
	if twins(live.UID) {
		return &Breach{Rule: "S8", Object: live.Key, text: "%[1]s is written to, and another object has its UID"}
	}
	if c.Type != ownergraph.CallDelete || w.swept[c.ID] {
		return nil
	}
	for i := range live.Owners {
		if r := &live.Owners[i]; r.UID != live.UID && w.facts[r.Key].here && twins(r.UID) {
			return &Breach{Rule: "S8", Object: live.Key, Other: r.Key, text: "%[1]s is deleted, and the UID of its owner %[2]s is that of two objects"}
		}
	}
	return nil
}

// certified: of each owner of an object that is deleted the engine was told
// that it is gone, or waits.
func (w *Witness) certified(d *graph.Object) *Breach {
	for i := range d.Owners {
		r := &d.Owners[i]
		if self(d, r) {
			continue
		}
		if r.Unresolved {
			return &Breach{Rule: "S1a", Object: d.Key, Other: r.Key, text: "%[1]s is deleted, and nobody can tell who its owner %[2]s is"}
		}
		if !w.proven(d, r, false) {
			return &Breach{Rule: "S1a", Object: d.Key, Other: r.Key, text: "%[1]s is deleted, and nobody said that its owner %[2]s is gone or waits"}
		}
	}
	return nil
}

// dropped: of each owner whose reference is dropped the engine was told that it
// is gone, waits or orphans. An unresolved one is judged by the store's ledger
// alone.
func (w *Witness) dropped(c ownergraph.Call, d *graph.Object) *Breach {
	for i := range c.Change.DropOwners {
		if r := &c.Change.DropOwners[i]; !r.Unresolved && !w.proven(d, r, true) {
			return &Breach{Rule: "S4", Object: d.Key, Other: r.Key, text: "%[1]s loses its reference to %[2]s, of which nobody said that it is gone, waits or orphans"}
		}
	}
	return nil
}

func (w *Witness) proven(d *graph.Object, r *graph.Owner, orphaned bool) bool {
	f := w.facts[r.Key]
	return f.gone > w.rewound && w.confirmed(r.Kind, f) || f.missed > w.rewound && w.serves(d, r.Kind, f) || f.waited > w.rewound || orphaned && f.orphaned > w.rewound ||
		w.absent && r.Scope != d.Scope && r.Scope != ""
}

// serves reports whether the absence of an owner that a read or a write found is
// evidence for the dependent: where the watch never showed the owner, the read began
// after the judged version was known (R2, absence).
func (w *Witness) serves(d *graph.Object, owner graph.Kind, f fact) bool {
	return w.confirmed(owner, f) && (f.came != 0 || f.gone != 0 || f.asked > w.facts[d.Key].known || w.facts[d.Key].version != d.Version)
}

// confirmed reports whether what the watch said of a kind's objects counts after the
// last loss: something that began later has shown the kind, or a read the owner (R5).
func (w *Witness) confirmed(name graph.Kind, f fact) bool {
	if w.lost == 0 || w.Compares {
		return true
	}
	k := w.kinds[name]
	return !k.served && w.set > w.lost || k.listed > w.lost || k.fenced > w.lost || f.missed > w.rewound && f.asked > w.lost
}

// released: a finalizer goes after its handler has succeeded, and one that
// stands for a propagation, or for a sweep, after a fence that began when the mark
// was known; so does the block that holds a ring.
func (w *Witness) released(c ownergraph.Call) *Breach {
	name := c.Change.DropFinalizer
	if name == "" && len(c.Change.Unblock) == 0 {
		return nil
	}
	if name != "" && name != graph.FinalizerForeground && name != graph.FinalizerOrphan && !w.sweeps(name) {
		if w.handled[handling{c.Key, name}] <= w.rewound {
			return &Breach{Rule: "S21", Object: c.Key, text: "%[1]s loses the finalizer %[3]q, whose handler has not succeeded", detail: name}
		}
		return nil
	}
	if w.level < ownergraph.Level2 {
		return nil
	}
	f := w.facts[c.Key]
	since := f.marked
	if w.sweeps(name) {
		since = f.dying
		if kind, ok := w.unselected(name, since); ok {
			return &Breach{Rule: "S24", Object: c.Key, text: "%[1]s ends, and no selection among %[3]s that began after its mark was known has shown who belongs to it", detail: string(kind)}
		}
	}
	for i := range w.fences {
		if w.fences[i].began > since && w.all(w.fences[i].passed) {
			return nil
		}
	}
	return &Breach{Rule: "R3", Object: c.Key, text: "%[1]s ends, or unblocks, and no fence has passed that began after its mark was known"}
}

// all reports whether every kind that is served, and the set of kinds, are among
// those that have passed.
func (w *Witness) all(passed []graph.Kind) bool {
	for name, k := range w.kinds {
		if k.served && !slices.Contains(passed, name) {
			return false
		}
	}
	return slices.Contains(passed, "")
}
