package invariant

import (
	"slices"

	"github.com/ownergraph/ownergraph/graph"
)

// Ledger is what has happened. It is not safe for concurrent use; its clones
// are independent.
type Ledger struct {
	objects []graph.Object // that live, in no order
	pasts   []past         // by dependent and owner, in order of first need
	free    []graph.UID    // objects for which at some instant no owner was solid
}

// past is what a dependent's owner was since the dependent's version was
// committed, and how the owner's mark protects the reference.
type past struct {
	dep, owner graph.UID
	waited     bool // it waited for its dependents
	orphaned   bool // it was orphaning
	beside     bool // it waited while another owner was solid
	ringed     bool // both were in one ring of waiting objects
	kept       bool // the reference was there when the owner was marked to orphan
	blocked    bool // it blocked when the owner was marked foreground
}

// NewLedger begins with a store that holds the objects.
func NewLedger(objects []graph.Object) *Ledger {
	l := &Ledger{objects: slices.Clone(objects)}
	l.instant()
	return l
}

// Clone returns an independent copy.
func (l *Ledger) Clone() *Ledger {
	return &Ledger{slices.Clone(l.objects), slices.Clone(l.pasts), slices.Clone(l.free)}
}

func (l *Ledger) live(u graph.UID) (graph.Object, bool) {
	i := slices.IndexFunc(l.objects, func(o graph.Object) bool { return o.UID == u })
	if i < 0 {
		return graph.Object{}, false
	}
	return l.objects[i], true
}

// owner returns the living owner that a reference leads to.
func (l *Ledger) owner(dep graph.Object, r graph.Owner) (graph.Object, bool) {
	o, ok := l.live(r.UID)
	return o, ok && o.UID != dep.UID && (r.Unresolved || o.Key == r.Key)
}

// self reports whether a reference leads back to its own object.
func self(dep graph.Object, r graph.Owner) bool {
	return r.UID == dep.UID && (r.Unresolved || r.Key == dep.Key)
}

func (l *Ledger) past(dep, owner graph.UID) *past {
	i := slices.IndexFunc(l.pasts, func(p past) bool { return p.dep == dep && p.owner == owner })
	if i < 0 {
		i = len(l.pasts)
		l.pasts = append(l.pasts, past{dep: dep, owner: owner})
	}
	return &l.pasts[i]
}

// Commit takes one change of the store, in order.
func (l *Ledger) Commit(e graph.Event) {
	switch e.Type {
	case graph.Put:
		l.put(e.Object)
	case graph.Gone:
		l.remove(e.Key.UID)
		l.pasts = slices.DeleteFunc(l.pasts, func(p past) bool { return p.dep == e.Key.UID || p.owner == e.Key.UID })
	default:
		return
	}
	l.instant()
}

func (l *Ledger) remove(u graph.UID) {
	l.objects = slices.DeleteFunc(l.objects, func(o graph.Object) bool { return o.UID == u })
	l.free = slices.DeleteFunc(l.free, func(f graph.UID) bool { return f == u })
}

func (l *Ledger) put(o graph.Object) {
	old, was := l.live(o.UID)
	l.remove(o.UID)
	l.objects = append(l.objects, o)
	for i := range l.pasts {
		p := &l.pasts[i]
		if p.dep == o.UID { // a new version: what the owners were before counts no more
			r, ok := l.reference(o, p.owner)
			p.waited, p.orphaned, p.beside, p.ringed = false, false, false, false
			p.kept = p.kept && ok
			p.blocked = p.blocked && ok && r.Block
		}
	}
	if !was || old.Deleting != o.Deleting || old.Propagation() != o.Propagation() {
		l.protect(o)
	}
}

// protect notes what a new mark protects, and that the former one does no more.
func (l *Ledger) protect(o graph.Object) {
	for i := range l.pasts {
		if p := &l.pasts[i]; p.owner == o.UID {
			p.kept, p.blocked = false, false
		}
	}
	for _, d := range l.objects {
		for _, r := range d.Owners {
			if live, ok := l.owner(d, r); !ok || live.UID != o.UID {
				continue
			}
			p := l.past(d.UID, o.UID)
			p.kept = p.kept || o.Orphaning()
			p.blocked = p.blocked || o.Waiting() && r.Block
		}
	}
}

// instant notes what every owner is now.
func (l *Ledger) instant() {
	for _, d := range l.objects {
		refs, solid := 0, 0
		for _, r := range d.Owners {
			if self(d, r) {
				continue
			}
			refs++
			if o, ok := l.owner(d, r); ok && !o.Waiting() {
				solid++
			}
		}
		for _, r := range d.Owners {
			o, ok := l.owner(d, r)
			if !ok || !o.Waiting() && !o.Orphaning() {
				continue
			}
			p := l.past(d.UID, o.UID)
			p.waited = p.waited || o.Waiting()
			p.orphaned = p.orphaned || o.Orphaning()
			p.beside = p.beside || o.Waiting() && solid > 0
			p.ringed = p.ringed || r.Block && l.ring(d, o)
		}
		if refs > 0 && solid == 0 && !slices.Contains(l.free, d.UID) {
			l.free = append(l.free, d.UID)
		}
	}
}

// ring reports whether the waiting owner o of the waiting d leads back to d by
// blocking references among waiting objects.
func (l *Ledger) ring(d, o graph.Object) bool {
	if !d.Waiting() || !o.Waiting() {
		return false
	}
	reached := []graph.Object{o}
	for i := 0; i < len(reached); i++ {
		for _, r := range reached[i].Owners {
			next, ok := l.owner(reached[i], r)
			if !ok || !r.Block || !next.Waiting() {
				continue
			}
			if next.UID == d.UID {
				return true
			}
			if !slices.ContainsFunc(reached, func(x graph.Object) bool { return x.UID == next.UID }) {
				reached = append(reached, next)
			}
		}
	}
	return false
}

// reference returns the reference of o that leads to the owner, one that blocks
// if there are several.
func (l *Ledger) reference(o graph.Object, owner graph.UID) (graph.Owner, bool) {
	var found graph.Owner
	ok := false
	for _, r := range o.Owners {
		if live, leads := l.owner(o, r); leads && live.UID == owner && (!ok || r.Block) {
			found, ok = r, true
		}
	}
	return found, ok
}
