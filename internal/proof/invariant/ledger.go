package invariant

import (
	"errors"
	"slices"

	"github.com/ownergraph/ownergraph/graph"
)

// Ledger is the history of a store. It is not safe for concurrent use. Its clones
// are independent.
type Ledger struct {
	// Override says that the engines may replace a propagation finalizer that
	// an object carries (ownergraph.Config.Override).
	Override bool
	// Strict says that the store has level 3. Then S2 and S3 cover every resolved
	// reference, also one that was committed after the mark of its owner.
	Strict bool
	// Scope and OwnerName are the settings of all engines.
	Scope     graph.ScopeRule
	OwnerName graph.NameRule
	// Protects, if set, is a rule of protection that all engines have.
	Protects func(o graph.Object) bool

	objects  []graph.Object // the living ones, in no order
	pasts    []past         // by dependent and owner, in order of first need
	free     []graph.Key    // objects for which at some instant no unset owner was solid
	shared   []graph.UID    // UIDs that two living objects had at one time, against the contract of the store
	spared   []graph.UID    // UIDs that orphaned at one time
	policies bool           // an object had a policy at one time
}

// past is the history of one owner since the commit of the dependent's version. It
// also says how the owner's mark protects the reference.
type past struct {
	dep, owner graph.Key
	waited     bool // the owner waited for its dependents
	orphaned   bool // the owner was orphaning
	beside     bool // the owner waited while another unset owner was solid
	ringed     bool // both objects were in one ring of waiting objects
	unborn     bool // the reference came before the owner and foresaw its UID (R2, absence)
	kept       bool // the reference existed when the owner was marked to orphan
	elsewhere  bool // so did one with its UID and other coordinates
	blocked    bool // the reference blocked when the owner was marked foreground
	below      bool // the reference blocked when an owner of the owner was marked foreground
	restricts  bool // the reference restricted the owner when the owner was marked
}

// NewLedger returns the ledger of a store that has the objects.
func NewLedger(objects []graph.Object) *Ledger {
	l := &Ledger{objects: slices.Clone(objects), policies: slices.ContainsFunc(objects, hasPolicy)}
	for i := range l.objects {
		l.spare(&l.objects[i])
	}
	l.recordAll()
	return l
}

// Clone returns an independent copy.
func (l *Ledger) Clone() *Ledger {
	return &Ledger{l.Override, l.Strict, l.Scope, l.OwnerName, l.Protects, slices.Clone(l.objects), slices.Clone(l.pasts), slices.Clone(l.free), slices.Clone(l.shared), slices.Clone(l.spared), l.policies}
}

// live returns the living object with the key. The ledger owns it: the caller may
// read it until the next commit.
func (l *Ledger) live(k graph.Key) (*graph.Object, bool) {
	for i := range l.objects {
		if o := &l.objects[i]; o.UID == k.UID && o.Key == k {
			return o, true
		}
	}
	return nil, false
}

// at returns the living object at the key's place, with any UID.
func (l *Ledger) at(k graph.Key) (*graph.Object, bool) {
	for i := range l.objects {
		if o := &l.objects[i]; o.Name == k.Name && o.Place() == k.Place() {
			return o, true
		}
	}
	return nil, false
}

// owner returns the living owner of a reference. A store that breaks its contract
// may have several, and then it is the owner with the least key.
func (l *Ledger) owner(dep *graph.Object, r *graph.Owner) (*graph.Object, bool) {
	var found *graph.Object
	for i := range l.objects {
		o := &l.objects[i]
		if o.UID != r.UID || !r.Unresolved && o.Key != r.Key {
			continue
		}
		if found == nil || o.Key.Compare(found.Key) < 0 {
			found = o
		}
	}
	return found, found != nil && found.Key != dep.Key
}

// self reports whether a reference names its own object.
func self(dep *graph.Object, r *graph.Owner) bool {
	return r.UID == dep.UID && (r.Unresolved || r.Key == dep.Key)
}

// counts reports whether a reference may count as an owner. One to the own UID does only where
// another object with it lives.
func (l *Ledger) counts(dep *graph.Object, r *graph.Owner) bool {
	_, other := l.owner(dep, r)
	return other || r.UID != dep.UID
}

func (l *Ledger) past(dep, owner graph.Key) *past {
	for i := range l.pasts {
		if p := &l.pasts[i]; p.dep.UID == dep.UID && p.owner.UID == owner.UID && p.dep == dep && p.owner == owner {
			return p
		}
	}
	l.pasts = append(l.pasts, past{dep: dep, owner: owner})
	return &l.pasts[len(l.pasts)-1]
}

// Commit takes the next change of the store.
func (l *Ledger) Commit(e graph.Event) {
	switch e.Type {
	case graph.Put:
		bound := append(l.bound(e.Object.Key), restrictsOf(&e.Object)...)
		l.put(e.Object)
		l.recordNear(e.Object.Key, l.waits(&e.Object))
		l.recordBound(bound)
	case graph.Gone:
		bound := l.bound(e.Key)
		defer func() { l.recordBound(bound) }()
		l.remove(e.Key)
		l.pasts = slices.DeleteFunc(l.pasts, func(p past) bool { return p.dep == e.Key || p.owner == e.Key })
		l.recordNear(e.Key, false)
	}
}

func (l *Ledger) remove(k graph.Key) {
	for i := range l.objects {
		if l.objects[i].UID == k.UID && l.objects[i].Key == k {
			last := len(l.objects) - 1
			l.objects[i] = l.objects[last]
			l.objects[last] = graph.Object{}
			l.objects = l.objects[:last]
			break
		}
	}
	if i := slices.Index(l.free, k); i >= 0 {
		l.free = slices.Delete(l.free, i, i+1)
	}
}

func (l *Ledger) put(o graph.Object) {
	changed := true
	l.policies = l.policies || hasPolicy(o)
	old, was := l.live(o.Key)
	if was {
		changed = old.Deleting != o.Deleting || old.Propagation() != o.Propagation() || l.withholds(old) != l.withholds(&o)
	}
	l.remove(o.Key)
	if slices.ContainsFunc(l.objects, func(x graph.Object) bool { return x.UID == o.UID }) && !slices.Contains(l.shared, o.UID) {
		l.shared = append(l.shared, o.UID)
	}
	l.objects = append(l.objects, o)
	for i := range l.pasts {
		p := &l.pasts[i]
		if p.dep.UID == o.UID && p.dep == o.Key { // a new version begins a new history of the owners
			r, ok := l.reference(&o, p.owner)
			p.waited, p.orphaned, p.beside, p.ringed, p.unborn = false, false, false, false, false
			p.kept = p.kept && ok
			p.elsewhere = p.elsewhere && l.misplaced(&o, p.owner)
			p.blocked = p.blocked && ok && r.Block
			p.below = p.below && ok && r.Block
			p.restricts = p.restricts && ok && l.restricts(&o, &r)
		}
	}
	if changed {
		l.protect(&o)
	}
	if !was {
		l.foreseen(&o)
	}
}

// foreseen records the dependents of an object that is created now. Until now the
// object was absent for them, and a read that did not find it was right.
func (l *Ledger) foreseen(o *graph.Object) {
	for i := range l.objects {
		d := &l.objects[i]
		if !refers(d, o.UID) { // true for almost every object, so the search below is rare
			continue
		}
		if _, ok := l.reference(d, o.Key); ok {
			l.past(d.Key, o.Key).unborn = true
		}
	}
}

// protect records the references that a new mark protects, in place of the old mark.
func (l *Ledger) protect(o *graph.Object) {
	for i := range l.pasts {
		if p := &l.pasts[i]; p.owner == o.Key {
			p.kept, p.elsewhere, p.blocked, p.restricts = false, false, false, false
		}
	}
	if !l.waits(o) && !l.orphans(o) {
		return
	}
	l.spare(o)
	for i := range l.objects {
		d := &l.objects[i]
		if l.orphans(o) && l.misplaced(d, o.Key) {
			l.past(d.Key, o.Key).elsewhere = true
		}
		for j := range d.Owners {
			r := &d.Owners[j]
			if r.UID != o.UID {
				continue
			}
			if live, ok := l.owner(d, r); !ok || live.Key != o.Key {
				continue
			}
			p := l.past(d.Key, o.Key)
			p.kept = p.kept || l.orphans(o)
			p.blocked = p.blocked || l.waits(o) && r.Block
			p.restricts = p.restricts || l.restricts(d, r)
			if l.waits(o) && !p.waited && ends(r) { // an earlier mark keeps its protection
				l.descend(d)
			}
		}
	}
}

// misplaced reports whether an object has a reference with the UID of the owner and other
// coordinates, which counts for the end of an orphaning.
func (l *Ledger) misplaced(d *graph.Object, owner graph.Key) bool {
	scopes, names := l.Scope == graph.ScopeHold, l.OwnerName != graph.NameAbsent
	return d.UID != owner.UID && slices.ContainsFunc(d.Owners, func(r graph.Owner) bool {
		if !scopes && r.Scope != "" && d.Scope != "" {
			r.Scope = d.Scope // the engine looks nowhere else
		}
		return r.UID == owner.UID && !r.Unresolved && r.Key != owner && (scopes || names) &&
			(scopes || r.Scope == owner.Scope) && (names || r.Name == owner.Name)
	})
}

// descend records the blocking dependents of d, whose owner is being marked. The
// deletion of d has to be foreground then.
func (l *Ledger) descend(d *graph.Object) {
	for i := range l.objects {
		e := &l.objects[i]
		if e.Key == d.Key || !refers(e, d.UID) {
			continue
		}
		if r, ok := l.reference(e, d.Key); ok && r.Block {
			l.past(e.Key, d.Key).below = true
		}
	}
}

// recordNear records the states of owners after a change of one object. It covers
// the object, its dependents, and the objects that wait in a ring with it.
func (l *Ledger) recordNear(k graph.Key, waiting bool) {
	for i := range l.objects {
		d := &l.objects[i]
		if d.UID == k.UID || refers(d, k.UID) || waiting && l.waits(d) {
			l.record(d)
		}
	}
}

func refers(d *graph.Object, u graph.UID) bool {
	for i := range d.Owners {
		if d.Owners[i].UID == u {
			return true
		}
	}
	return false
}

// recordAll records the present state of every owner.
func (l *Ledger) recordAll() {
	for i := range l.objects {
		l.record(&l.objects[i])
	}
}

// record records the present states of one object's owners.
func (l *Ledger) record(d *graph.Object) {
	refs, solid, beside := 0, 0, 0
	for i := range d.Owners {
		r := &d.Owners[i]
		if r.OnDelete != graph.OnDeleteUnset || !l.counts(d, r) {
			continue
		}
		refs++
		o, ok := l.owner(d, r)
		if ok && !l.waits(o) {
			solid++
		}
		if ok && (!l.waits(o) || l.restricted(o)) { // an engine may or may not know of the restriction
			beside++
		}
	}
	for i := range d.Owners {
		r := &d.Owners[i]
		o, ok := l.owner(d, r)
		if !ok || !l.waits(o) && !l.orphans(o) {
			continue
		}
		p := l.past(d.Key, o.Key)
		p.waited = p.waited || l.waits(o)
		p.orphaned = p.orphaned || l.orphans(o)
		p.beside = p.beside || l.waits(o) && beside > 0
		p.ringed = p.ringed || r.Block && l.ring(d, o)
	}
	if refs > 0 && solid == 0 && !slices.Contains(l.free, d.Key) {
		l.free = append(l.free, d.Key)
	}
}

// ring reports whether a waiting object and its waiting owner are in one ring. The
// ring consists of blocking references among waiting objects.
func (l *Ledger) ring(d, o *graph.Object) bool {
	if !l.waits(d) || !l.waits(o) {
		return false
	}
	reached := []*graph.Object{o}
	for i := 0; i < len(reached); i++ {
		for j := range reached[i].Owners {
			r := &reached[i].Owners[j]
			next, ok := l.owner(reached[i], r)
			if !ok || !r.Block || !l.waits(next) {
				continue
			}
			if next.Key == d.Key {
				return true
			}
			if !slices.Contains(reached, next) {
				reached = append(reached, next)
			}
		}
	}
	return false
}

// reference returns the reference of o to the owner. It prefers one that blocks.
func (l *Ledger) reference(o *graph.Object, owner graph.Key) (graph.Owner, bool) {
	var found graph.Owner
	ok := false
	for i := range o.Owners {
		r := &o.Owners[i]
		if live, leads := l.owner(o, r); leads && live.Key == owner && (!ok || r.Block) {
			found, ok = *r, true
		}
	}
	return found, ok
}

// Check records the states of all owners and compares the result with the ledger.
// Commit records only the states that a change may touch. An error names a state
// that Commit has missed.
//
//test:by TestLedgerMissesNothing
func (l *Ledger) Check() error {
	c := l.Clone()
	c.recordAll()
	if !slices.Equal(c.free, l.free) {
		return errors.New("ledger: an instant without a solid owner was missed")
	}
	for _, p := range c.pasts {
		if q := l.past(p.dep, p.owner); *q != p {
			return errors.New("ledger: a state of an owner was missed: " + p.dep.String() + " -> " + p.owner.String())
		}
	}
	return nil
}
