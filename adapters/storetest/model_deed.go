package storetest

import (
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/ownergraph/ownergraph"
)

// deed is one step of a history, as data: it can be done again on another store,
// and without the deeds before it. The store makes the UIDs, so a deed names an
// incarnation by the number of the deed that created it. A deed that has nothing
// to act on is left out when the history is run.
type deed struct {
	do         string // one of the deeds' names below
	at         ownergraph.Key
	number     int // of the incarnation that a create makes
	refs       []claimed
	finalizers []string
	demands    demand
	change     string // of a patch
	spread     ownergraph.Propagation
	grace      int64 // noGrace: none is given
	stale      bool  // an update names the version of before
	cancel     int   // when the call's context ends: 0 never, 1 before the call, then later and later
}

// claimed is a reference to an incarnation.
type claimed struct {
	to    int
	block bool
}

// demand is what a write demands of the object.
type demand struct {
	uid, version, before, former bool
}

const noGrace = -1

// The deeds. Others are named by the hook that they call.
const (
	doCreate       = "create"
	doUpdate       = "update"
	doPatch        = "patch"
	doGet          = "get"
	doDelete       = "delete"
	doClientDelete = "client: delete"
	doGetUnserved  = "get unserved"
	doSync         = "sync"
	doReconnect    = "watch anew"
	doFence        = "fence"
	doList         = "list"
	doCompact      = "compact"
	doBreak        = "break"
	doRestart      = "restart"
	doHistory      = "history"
	doSicken       = "sicken"
	doVanish       = "vanish"
)

// The changes of a patch.
const (
	changeAddFinalizer  = "add finalizer"
	changeDropFinalizer = "drop finalizer"
	changeAddOwner      = "add owner"
	changeDropOwner     = "drop owner"
	changeUnblock       = "unblock"
)

// someChances is how often a history is played whose end hangs on the moment.
const someChances = 3

// chances returns how often a history is played before it is taken for one that
// passes.
func chances(list []deed) int {
	if slices.ContainsFunc(list, func(d deed) bool { return d.cancel > 1 }) {
		return someChances
	}
	return 1
}

// deedsText tells histories apart.
func deedsText(list []deed) string {
	var b strings.Builder
	for _, d := range list {
		fmt.Fprintf(&b, "%+v\n", d)
	}
	return b.String()
}

// smallerDeeds yields shorter histories, and then simpler ones.
func smallerDeeds(list []deed) iter.Seq[[]deed] {
	return func(yield func([]deed) bool) {
		for _, forms := range []iter.Seq[[]deed]{without(list), withOther(list, deed.simpler)} {
			for c := range forms {
				if !yield(c) {
					return
				}
			}
		}
	}
}

// waits reports whether the deed may matter for nothing but the time that it
// takes, in which the watch gets on.
func (d deed) waits() bool {
	return d.cancel > 0 || slices.Contains([]string{
		doGet, doGetUnserved, doReconnect, doList, doFence, doCompact, doBreak, doRestart, doSicken, doVanish,
	}, d.do)
}

// simpler returns the deed with one thing less, for each thing that it has.
func (d deed) simpler() (list []deed) {
	add := func(has bool, less func(*deed)) {
		if has {
			x := d
			less(&x)
			list = append(list, x)
		}
	}
	add(d.cancel != 0, func(x *deed) { x.cancel = 0 })
	add(d.cancel > 1, func(x *deed) { x.cancel = 1 })
	add(d.waits(), func(x *deed) { *x = deed{do: doSync, grace: noGrace} })
	add(d.stale, func(x *deed) { x.stale = false })
	add(d.cancel == 0 && d.demands != demand{}, func(x *deed) { x.demands = demand{} })
	add(d.cancel == 0 && d.demands.uid && d.demands.version, func(x *deed) { x.demands.uid = false })
	add(d.grace != noGrace, func(x *deed) { x.grace = noGrace })
	add(d.spread != ownergraph.Unset && d.spread != ownergraph.Background, func(x *deed) { x.spread = ownergraph.Background })
	if d.do != doPatch { // a patch has its change in them
		for i := range d.finalizers {
			add(true, func(x *deed) { x.finalizers = slices.Delete(slices.Clone(d.finalizers), i, i+1) })
		}
		for i := range d.refs {
			add(true, func(x *deed) { x.refs = slices.Delete(slices.Clone(d.refs), i, i+1) })
		}
	}
	for i, r := range d.refs {
		add(r.block, func(x *deed) { x.refs = slices.Clone(d.refs); x.refs[i].block = false })
	}
	return list
}
