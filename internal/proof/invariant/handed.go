package invariant

import (
	"cmp"
	"slices"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/engine"
	"github.com/ownergraph/ownergraph/graph"
)

// Handed takes a call as the engine hands it out. It returns a *Breach, or nil for
// a call that breaks no invariant. For a write, live is the object at the version
// that the write is conditioned on. It is nil if the store no longer has that
// version, because a conflict then refuses the write.
func (w *Witness) Handed(c engine.Call, live *graph.Object) error {
	w.now++
	w.begun[c.ID] = w.now
	var bad *Breach
	switch c.Type {
	case engine.CallFence:
		w.forget()
		w.fences = append(w.fences, fence{call: c.ID, began: w.now})
	case engine.CallHandle:
		switch {
		case c.Object.MarkWithheld():
			bad = &Breach{Rule: "G3", Object: c.Key, text: "the handler %[3]q runs for %[1]s, whose mark is withheld", detail: c.Finalizer}
		case !c.Object.Deleting || !c.Object.HasFinalizer(c.Finalizer):
			bad = &Breach{Rule: "S21", Object: c.Key, text: "the handler %[3]q runs for %[1]s, which is not marked or lacks the finalizer", detail: c.Finalizer}
		case w.rewound != 0 && w.facts[c.Key].put <= w.rewound:
			bad = &Breach{Rule: "S21", Object: c.Key, text: "the handler %[3]q runs for %[1]s, which the watch has not shown since the rewind", detail: c.Finalizer}
		}
	case engine.CallPatch, engine.CallDelete:
		bad = w.written(c, live)
	}
	if bad != nil {
		return bad
	}
	return nil
}

// forget makes space for a fence. It removes the oldest one, and keeps the newest
// fence that every kind has passed.
func (w *Witness) forget() {
	if len(w.fences) < maxFences {
		return
	}
	oldest := 0
	passed := func(f fence) bool { return w.all(f.passed) }
	if passed(w.fences[0]) && !slices.ContainsFunc(w.fences[1:], passed) {
		oldest = 1
	}
	w.fences = slices.Delete(w.fences, oldest, oldest+1)
}

func (w *Witness) written(c engine.Call, live *graph.Object) *Breach {
	if pre := precondition(c); pre.UID == "" || pre.Version == "" || pre.UID != c.Key.UID {
		return &Breach{Rule: "S5", Object: c.Key, text: "the engine requests %[3]s %[1]s without UID or version", detail: c.Type.String()}
	}
	if w.level < ownergraph.Level1 {
		return &Breach{Rule: "S5", Object: c.Key, text: "the engine writes to %[1]s in a store below level 1"}
	}
	if name, ok := w.quarantine(c.Key.Kind); ok {
		return &Breach{Rule: "S10", Object: c.Key, text: "the engine writes to %[1]s before a listing of kind %[3]s since the rewind", detail: string(name)}
	}
	if w.lost != 0 && w.replied <= w.lost {
		return &Breach{Rule: "R5", Object: c.Key, text: "the engine writes to %[1]s before an answer of the store since the lost write or broken watch"}
	}
	if live == nil {
		return nil
	}
	if bad := w.shared(c, live); bad != nil {
		return bad
	}
	switch {
	case c.Type == engine.CallDelete && w.sweepCalls[c.ID]: // SweepDecided has judged the rest
		return w.unrestricted(c)
	case c.Type == engine.CallDelete && live.MarkWithheld(): // it is repeated for an order (G7)
		return w.verdict(live)
	case c.Type == engine.CallDelete:
		if bad := w.unrestricted(c); bad != nil {
			return bad
		}
		return w.certified(c, live)
	case graph.IsGuardFinalizer(c.Change.DropFinalizer):
		return w.verdict(live)
	}
	if bad := w.dropped(c, live); bad != nil {
		return bad
	}
	return w.released(c)
}

// quarantine returns a kind without a listing since the rewind, if that keeps the
// engine from writing to objects of the given kind.
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

// duplicate reports whether two observed objects had the UID when the engine decided on the call.
func (w *Witness) duplicate(c engine.Call, u graph.UID) bool {
	claim := w.shares[u]
	return claim.count > 1 && w.decided[c.ID] >= claim.since
}

// shared finds a write to an object whose UID another observed object has.
func (w *Witness) shared(c engine.Call, live *graph.Object) *Breach {
	if w.duplicate(c, live.UID) {
		return &Breach{Rule: "S8", Object: live.Key, text: "the engine writes to %[1]s, and another object has the same UID"}
	}
	return nil
}

// certified finds a deletion without a report, for each unset owner or for one cascade owner, that the
// owner is gone or waits.
func (w *Witness) certified(c engine.Call, d *graph.Object) *Breach {
	if bad := w.flawed(d); bad != nil {
		return bad
	}
	unset := false
	var bad, solid *Breach
	for i := range d.Owners {
		r := &d.Owners[i]
		if !ends(r) || r.UID == d.UID { // the object lives, and the Ledger judges one that shares the UID
			continue
		}
		breach := w.certifiedOwner(c, d, r)
		switch {
		case r.OnDelete == graph.OnDeleteUnset:
			unset, bad = true, cmp.Or(bad, breach)
		case breach == nil:
			return nil
		default:
			solid = breach
		}
	}
	if unset {
		return bad
	}
	return solid
}

// certifiedOwner also finds a deletion because of an owner whose UID two objects have.
func (w *Witness) certifiedOwner(c engine.Call, d *graph.Object, r *graph.Owner) *Breach {
	switch {
	case w.facts[r.Key].here && w.duplicate(c, r.UID):
		return &Breach{Rule: "S8", Object: d.Key, Other: r.Key, text: "the engine deletes %[1]s, and two objects have the UID of its owner %[2]s"}
	case r.Unresolved:
		return &Breach{Rule: "S1a", Object: d.Key, Other: r.Key, text: "the engine deletes %[1]s, and the scope of its owner %[2]s is unresolved"}
	case !w.proven(d, r, false):
		return &Breach{Rule: "S1a", Object: d.Key, Other: r.Key, text: "the engine deletes %[1]s without a report that its owner %[2]s is gone or waits"}
	}
	return nil
}

// dropped finds a dropped reference without a report that its owner is gone, waits
// or orphans. The Ledger alone judges unresolved references.
func (w *Witness) dropped(c engine.Call, d *graph.Object) *Breach {
	if bad := w.flawed(d); bad != nil && !w.frees(c.Change.DropOwners) {
		return bad
	}
	for i := range c.Change.DropOwners {
		if r := &c.Change.DropOwners[i]; !r.Unresolved && !w.proven(d, r, true) && !w.orphans(r.UID) {
			return &Breach{Rule: "S4", Object: d.Key, Other: r.Key, text: "the engine drops the reference of %[1]s to %[2]s without a report that the owner is gone, waits or orphans"}
		}
	}
	return nil
}

// orphans reports whether the object with the UID was reported to orphan, at any coordinates.
func (w *Witness) orphans(u graph.UID) bool {
	for k, f := range w.facts {
		if k.UID == u && f.orphaned > w.rewound {
			return true
		}
	}
	return false
}

func (w *Witness) proven(d *graph.Object, r *graph.Owner, orphaned bool) bool {
	f := w.facts[r.Key]
	return f.gone > w.rewound && w.confirmed(r.Kind, f) || f.missed > w.rewound && w.serves(d, r.Kind, f) || f.waited > w.rewound || orphaned && f.orphaned > w.rewound ||
		w.absent && r.Scope != d.Scope && r.Scope != ""
}

// serves reports whether the absence of an owner is evidence for the dependent. A
// read or a write found that absence. If the watch never showed the owner, the
// read has to begin after the judged version was known (R2, absence).
func (w *Witness) serves(d *graph.Object, owner graph.Kind, f fact) bool {
	return w.confirmed(owner, f) && (f.came != 0 || f.gone != 0 || f.asked > w.facts[d.Key].known || w.facts[d.Key].version != d.Version)
}

// confirmed reports whether events of a kind count after the last loss. A listing or
// fence that began later has to show the kind, or a read the owner (R5).
func (w *Witness) confirmed(name graph.Kind, f fact) bool {
	if w.lost == 0 || w.Compares {
		return true
	}
	k := w.kinds[name]
	return !k.served && w.set > w.lost || k.listed > w.lost || k.fenced > w.lost || f.missed > w.rewound && f.asked > w.lost
}

// released finds a finalizer that goes before its handler has succeeded. The
// finalizer of a propagation or of a sweep goes after a fence that began when the
// mark was known. So does a block inside a ring.
func (w *Witness) released(c engine.Call) *Breach {
	name := c.Change.DropFinalizer
	if name == "" && len(c.Change.Unblock) == 0 {
		return nil
	}
	if name != "" && name != graph.FinalizerForeground && name != graph.FinalizerOrphan && !w.sweeps(name) {
		if w.handled[handling{c.Key, name}] <= w.rewound {
			return &Breach{Rule: "S21", Object: c.Key, text: "the engine releases the finalizer %[3]q of %[1]s before its handler has succeeded", detail: name}
		}
		return nil
	}
	if name == graph.FinalizerForeground || name == graph.FinalizerOrphan {
		if bad := w.unrestricted(c); bad != nil {
			return bad
		}
	}
	if w.level < ownergraph.Level2 {
		return nil
	}
	f := w.facts[c.Key]
	since := f.marked
	if w.sweeps(name) {
		since = f.dying
		if kind, ok := w.unselected(name, since); ok {
			return &Breach{Rule: "S24", Object: c.Key, text: "%[1]s ends without a complete selection of kind %[3]s that began after its mark was known", detail: string(kind)}
		}
	}
	for i := range w.fences {
		if w.fences[i].began > since && w.all(w.fences[i].passed) {
			return nil
		}
	}
	return &Breach{Rule: "R3", Object: c.Key, text: "%[1]s ends, or unblocks, before a fence has passed that began after its mark was known"}
}

// all reports whether the list has every served kind, and the set of kinds.
func (w *Witness) all(passed []graph.Kind) bool {
	for name, k := range w.kinds {
		if k.served && !slices.Contains(passed, name) {
			return false
		}
	}
	return slices.Contains(passed, "")
}
