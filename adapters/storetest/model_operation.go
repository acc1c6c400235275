package storetest

import (
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
)

// operation is one step of a history, as data. It can run again on another store,
// and without the operations before it. The store makes the UIDs, so an operation
// names an incarnation by the number of its create operation. An operation without
// a target is skipped when the history runs.
type operation struct {
	verb        string // one of the verbs below
	at          ownergraph.Key
	number      int // of the incarnation that a create makes
	refs        []claim
	finalizers  []string
	conditions  conditions
	change      string // of a patch
	propagation graph.Propagation
	grace       int64       // noGrace: none is given
	atMost      bool        // the object's own grace period may be shorter
	stale       bool        // an update names the former version
	batch       []operation // patches and deletions of different places, by key
	cancel      int         // the moment when the call's context ends: 0 never, 1 before the call, and then later moments
}

// claim is an owner reference by number. In a history, the number is that of the
// owner's create operation. In a scenario, it is the owner's index.
type claim struct {
	to    int
	block bool
}

// conditions are the preconditions of a write.
type conditions struct {
	uid, version, before, former bool
}

const noGrace = -1

// The verbs of operations. The last ones have the names of the hooks that they
// call.
const (
	opCreate       = "create"
	opUpdate       = "update"
	opPatch        = "patch"
	opGet          = "get"
	opDelete       = "delete"
	opClientDelete = "client: delete"
	opBatch        = "batch"
	opGetUnserved  = "get unserved"
	opSync         = "sync"
	opReconnect    = "watch again"
	opFence        = "fence"
	opList         = "list"
	opCompact      = "compact"
	opBreak        = "break"
	opRestart      = "restart"
	opHistory      = "history"
	opSicken       = "sicken"
	opVanish       = "vanish"
)

// The changes of a patch.
const (
	changeAddFinalizer  = "add finalizer"
	changeDropFinalizer = "drop finalizer"
	changeAddOwner      = "add owner"
	changeDropOwner     = "drop owner"
	changeUnblock       = "unblock"
)

// cancelRepeats is the number of runs of a history with a cancellation, whose
// result depends on timing.
const cancelRepeats = 3

// repeatsOf returns the number of runs of a history before it counts as passed.
func repeatsOf(list []operation) int {
	if slices.ContainsFunc(list, func(d operation) bool { return d.cancel > 1 }) {
		return cancelRepeats
	}
	return 1
}

// operationsText identifies a history.
func operationsText(list []operation) string {
	var b strings.Builder
	for _, d := range list {
		fmt.Fprintf(&b, "%+v\n", d)
	}
	return b.String()
}

// smallerHistories yields shorter histories, and then simpler ones.
func smallerHistories(list []operation) iter.Seq[[]operation] {
	return func(yield func([]operation) bool) {
		for _, forms := range []iter.Seq[[]operation]{without(list), withOther(list, operation.simpler)} {
			for c := range forms {
				if !yield(c) {
					return
				}
			}
		}
	}
}

// waits reports whether the operation may matter only by its duration, during which
// the watch reads on.
func (o operation) waits() bool {
	return o.cancel > 0 || slices.Contains([]string{
		opGet, opGetUnserved, opReconnect, opList, opFence, opCompact, opBreak, opRestart, opSicken, opVanish,
	}, o.verb)
}

// simpler returns the operation with one part less, for each of its parts.
func (o operation) simpler() (list []operation) {
	if o.verb == opBatch {
		return o.simplerBatch()
	}
	add := func(has bool, less func(*operation)) {
		if has {
			x := o
			less(&x)
			list = append(list, x)
		}
	}
	add(o.cancel != 0, func(x *operation) { x.cancel = 0 })
	add(o.cancel > 1, func(x *operation) { x.cancel = 1 })
	add(o.waits(), func(x *operation) { *x = operation{verb: opSync, grace: noGrace} })
	add(o.stale, func(x *operation) { x.stale = false })
	add(o.cancel == 0 && o.conditions != conditions{}, func(x *operation) { x.conditions = conditions{} })
	add(o.cancel == 0 && o.conditions.uid && o.conditions.version, func(x *operation) { x.conditions.uid = false })
	add(o.grace != noGrace, func(x *operation) { x.grace = noGrace })
	add(o.atMost, func(x *operation) { x.atMost = false })
	add(o.propagation != graph.Unset && o.propagation != ownergraph.Background, func(x *operation) { x.propagation = ownergraph.Background })
	// The change of a patch is in its finalizers and references.
	if o.verb != opPatch {
		for i := range o.finalizers {
			add(true, func(x *operation) { x.finalizers = slices.Delete(slices.Clone(o.finalizers), i, i+1) })
		}
		for i := range o.refs {
			add(true, func(x *operation) { x.refs = slices.Delete(slices.Clone(o.refs), i, i+1) })
		}
	}
	for i, r := range o.refs {
		add(r.block, func(x *operation) { x.refs = slices.Clone(o.refs); x.refs[i].block = false })
	}
	return list
}
