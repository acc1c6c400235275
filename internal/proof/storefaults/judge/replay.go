package judge

import (
	"cmp"
	"slices"

	"github.com/ownergraph/ownergraph/engine"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/proof/invariant"
)

// replay judges each change by the states before it. A change that no user made has to be
// one that a collector may make.
func (j *judging) replay() {
	ledger := invariant.NewLedger(nil)
	states := map[graph.UID]graph.Object{}
	ended := map[graph.UID]bool{}
	for _, c := range j.content.Changes {
		old, was := states[c.Object.UID]
		switch {
		case ended[c.Object.UID]:
			j.add("tables", "a change of %s follows its end", c.Object.Key)
			continue
		case !was && c.Gone:
			j.add("tables", "%s ends, and its begin is missing", c.Object.Key)
			continue
		case !was:
			j.created(c.Object)
		case c.Gone:
			j.removed(ledger, old)
		default:
			j.changed(ledger, old, c.Object)
		}
		if c.Gone {
			ledger.Commit(graph.Event{Type: graph.Gone, Key: old.Key})
			delete(states, old.UID)
			ended[old.UID] = true
			continue
		}
		ledger.Commit(graph.Event{Type: graph.Put, Object: c.Object})
		states[c.Object.UID] = c.Object
	}
	j.compare(states)
	j.level3()
}

// compare compares the last states of the history with the objects.
func (j *judging) compare(states map[graph.UID]graph.Object) {
	for _, o := range j.content.Objects {
		last, ok := states[o.UID]
		switch {
		case !ok:
			j.add("tables", "%s is there, and the history says that it is not", o)
		case !last.Equal(o):
			j.add("tables", "%s is there, and the last state of the history is %s", o, last)
		}
		delete(states, o.UID)
	}
	for _, uid := range j.order {
		if o, ok := states[uid]; ok {
			j.add("tables", "%s is not there, and the history has no end of it", o)
		}
	}
}

func (j *judging) created(o graph.Object) {
	birth := j.births[o.UID]
	switch {
	case birth == nil:
		j.add("deleted", "%s was created, and no user did so", o)
	case o.Deleting:
		j.add("deleted", "%s was created with a mark", o)
	}
}

// level3 judges the new references of every object, and the marks of restricted ones. From its mark on, the set of dependents
// of an owner that is being deleted in the foreground or orphans only shrinks. The writer of the
// reference locks the owner, so the numbers that both drew have the order of the commits. The
// log has another order on Postgres, if both ran at the same time.
func (j *judging) level3() {
	if !j.content.Strict {
		return
	}
	changes := slices.Clone(j.content.Changes)
	slices.SortStableFunc(changes, func(a, b Change) int { return cmp.Compare(a.Drawn, b.Drawn) })
	states := map[graph.UID]graph.Object{}
	for _, c := range changes {
		j.restricted(states, c)
		if c.Gone {
			delete(states, c.Object.UID)
			continue
		}
		j.newReferences(states, states[c.Object.UID], c.Object)
		states[c.Object.UID] = c.Object
	}
}

func (j *judging) newReferences(states map[graph.UID]graph.Object, old, next graph.Object) {
	for _, r := range next.Owners {
		owner, lives := states[r.UID]
		ends := owner.Waiting() || owner.Orphaning() || r.OnDelete == graph.OnDeleteRestrict && owner.Deleting
		if slices.ContainsFunc(old.Owners, r.Same) || lives && !ends {
			continue
		}
		j.add("strict", "%s has the new reference %s, and its owner is gone or ends: %s", next, r, owner)
	}
}

// removed judges the end of an object.
func (j *judging) removed(ledger *invariant.Ledger, old graph.Object) {
	switch {
	case !old.Deleting && len(old.Finalizers) == 0:
		if !j.userDeletes(old.UID, graph.Background) {
			j.judge(ledger, old, deletion(old, graph.Background))
		}
	case old.Deleting && old.GraceSeconds > 0 && len(old.Finalizers) == 0: // only an agent ends a period
	case old.Deleting && len(old.Finalizers) == 1:
		j.dropped(ledger, old, old.Finalizers[0])
	default:
		j.add("deleted", "%s was removed with its finalizers", old)
	}
}

// changed judges a new state of an object.
func (j *judging) changed(ledger *invariant.Ledger, old, next graph.Object) {
	var change graph.Change
	for _, r := range next.Owners {
		switch i := slices.IndexFunc(old.Owners, r.Same); {
		case i < 0:
			j.adopted(next, r)
		case old.Owners[i].Block && !r.Block:
			change.Unblock = append(change.Unblock, old.Owners[i])
		}
	}
	for _, r := range old.Owners {
		if !slices.ContainsFunc(next.Owners, r.Same) {
			change.DropOwners = append(change.DropOwners, r)
		}
	}
	if len(change.DropOwners)+len(change.Unblock) > 0 {
		j.judge(ledger, old, patch(old, change))
	}
	marks := next.Deleting && (!old.Deleting || propagation(old) != propagation(next))
	if marks && !endsPropagation(old, next) {
		if !j.userDeletes(old.UID, propagation(next)) {
			j.judge(ledger, old, deletion(old, propagation(next)))
		}
		return
	}
	for _, f := range old.Finalizers {
		if !next.HasFinalizer(f) {
			j.dropped(ledger, old, f)
		}
	}
}

// propagation is the propagation of a marked object.
func propagation(o graph.Object) graph.Propagation {
	if p := o.Propagation(); p != graph.Unset {
		return p
	}
	return graph.Background
}

// endsPropagation reports whether the propagation of a mark ends, and other finalizers are
// left.
func endsPropagation(old, next graph.Object) bool {
	return old.Deleting && old.Propagation() != graph.Unset && next.Propagation() == graph.Unset
}

func (j *judging) adopted(o graph.Object, r graph.Owner) {
	mine := func(c *Call) bool { return c.MayBeDone() && c.Owner.UID == r.UID }
	if !slices.ContainsFunc(j.adopts[o.UID], mine) {
		j.add("deleted", "%s has the new reference %s, and no user added it", o, r)
	}
}

// dropped judges the end of a finalizer.
func (j *judging) dropped(ledger *invariant.Ledger, old graph.Object, finalizer string) {
	switch finalizer {
	case FinalizerHold:
		if !j.released[old.UID] {
			j.add("deleted", "%s has lost its finalizer %s, and no user removed it", old, finalizer)
		}
	case FinalizerWork:
		if !j.content.Worked[old.UID] || !old.Deleting {
			j.add("handler", "%s has lost its finalizer %s, and its work is not done", old, finalizer)
		}
	default:
		if !j.userDeletes(old.UID, graph.Background) { // such a deletion takes a propagation off
			j.judge(ledger, old, patch(old, graph.Change{DropFinalizer: finalizer}))
		}
	}
}

func (j *judging) userDeletes(uid graph.UID, p graph.Propagation) bool {
	return slices.ContainsFunc(j.deletes[uid], func(c *Call) bool { return c.MayBeDone() && c.Propagation == p })
}

func (j *judging) judge(ledger *invariant.Ledger, old graph.Object, c engine.Call) {
	if err := ledger.Judge(c); err != nil {
		j.add("deleted", "%s: %v", old, err)
	}
}

func deletion(o graph.Object, p graph.Propagation) engine.Call {
	return engine.Call{Type: engine.CallDelete, Key: o.Key,
		Options: graph.DeleteOptions{Precondition: graph.Precondition{UID: o.UID, Version: o.Version}, Propagation: p}}
}

func patch(o graph.Object, change graph.Change) engine.Call {
	return engine.Call{Type: engine.CallPatch, Key: o.Key,
		Precondition: graph.Precondition{UID: o.UID, Version: o.Version}, Change: change}
}
