package invariant

import (
	"github.com/ownergraph/ownergraph/engine"
	"github.com/ownergraph/ownergraph/graph"
)

// withholds reports whether the object has a withheld mark, which counts for no dependent.
func (l *Ledger) withholds(o *graph.Object) bool {
	return o.Deleting && (o.MarkWithheld() || l.protects(o))
}

func (l *Ledger) waits(o *graph.Object) bool { return o.Waiting() && !l.withholds(o) }

func (l *Ledger) orphans(o *graph.Object) bool { return o.Orphaning() && !l.withholds(o) }

// protects reports whether the object is protected, also by a rule that every engine has.
func (l *Ledger) protects(o *graph.Object) bool {
	return o.HasFinalizer(graph.FinalizerProtect) || l.Protects != nil && l.Protects(*o)
}

// JudgeHandler returns a *Breach for a handler that runs although a guard holds the object.
func (l *Ledger) JudgeHandler(c engine.Call) error {
	if o := c.Object; l.withholds(&o) {
		return &Breach{Rule: "G3", Object: c.Key, text: "the handler %[3]q runs for %[1]s, whose mark is withheld", detail: c.Finalizer}
	}
	return nil
}

// withheld returns the breach of G3 by a write of d that rests on the mark of o, or bad if that
// mark is not withheld.
func (l *Ledger) withheld(bad *Breach, o *graph.Object) *Breach {
	if bad != nil && l.withholds(o) && (o.Waiting() || o.Orphaning()) {
		return &Breach{Rule: "G3", Object: bad.Object, Other: o.Key, text: "a write of %[1]s rests on the mark of %[2]s, which is withheld"}
	}
	return bad
}

// judgeGuard finds a patch that breaks a law of guards.
func (l *Ledger) judgeGuard(o *graph.Object, c graph.Change) *Breach {
	hold, isNew := o.HasFinalizer(graph.FinalizerHold), o.HasFinalizer(graph.FinalizerNew)
	breach := func(rule, text, detail string) *Breach {
		return &Breach{Rule: rule, Object: o.Key, text: text, detail: detail}
	}
	switch drop, add := c.DropFinalizer, c.AddFinalizer; {
	case drop == graph.FinalizerProtect || add == graph.FinalizerProtect:
		return breach("G1", "the engine changes the protection of %[1]s", "")
	case (drop == graph.FinalizerHold || drop == graph.FinalizerNew) && !o.Deleting:
		return breach("G2", "the engine takes %[3]s off %[1]s, which is not marked", drop)
	case drop == graph.FinalizerHold && hold && !isNew:
		return breach("G4", "the engine takes %[3]s off %[1]s, whose deletion was refused", drop)
	case add == graph.FinalizerNew && !hold:
		return breach("G2", "the engine puts %[3]s on %[1]s before hold", add)
	case (drop == graph.FinalizerForeground || drop == graph.FinalizerOrphan) && l.withholds(o):
		return breach("G3", "the engine takes %[3]s off %[1]s, whose mark is withheld", drop)
	}
	return nil
}

// verdict finds a verdict without a fence that began when the mark was known. A finalizer of a
// guard without hold is no verdict.
func (w *Witness) verdict(live *graph.Object) *Breach {
	if !live.MarkWithheld() {
		return nil
	}
	since := w.facts[live.Key].dying
	for i := range w.fences {
		if w.fences[i].began > since && since > w.rewound && w.all(w.fences[i].passed) {
			return nil
		}
	}
	return &Breach{Rule: "G2", Object: live.Key, text: "the deletion of %[1]s is judged before a fence has passed that began after its mark was known"}
}
