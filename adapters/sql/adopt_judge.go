package sqlstore

import (
	"fmt"
	"slices"

	"github.com/ownergraph/ownergraph/finalizer"
	"github.com/ownergraph/ownergraph/graph"
)

// verdict is the outcome for one row. A finding takes the references to the kinds of the owners from
// the object of the row, so that no later deletion of an owner takes the object along.
type verdict struct {
	work  bool        // it needs the locks of a transaction
	old   *row        // the object to change
	next  *row        // its state after the change
	added []graph.UID // of the owners that get references
	note  bool        // its record names another row
	err   error       // a finding
}

// wrongRow returns a finding.
func (src *source) wrongRow(r *userRow, column, cause string) error {
	return fmt.Errorf("adopt kind %s: table %s: row %.80q: column %s: %s: %w", src.Kind, src.table, r.key, cutText(column), cause, graph.ErrInvalid)
}

// judge judges a row. Outside of a transaction it only finds out whether the row needs one.
func (a *adoption) judge(src *source, r *userRow, f *facts) verdict {
	if cause := unsoundKey(r.key); cause != "" {
		return verdict{err: src.wrongRow(r, src.Key, cause)}
	}
	if r.uid == "" {
		if f.made == nil {
			return verdict{work: true}
		}
		return a.judgeNew(src, r, f)
	}
	live := f.objects[r.uid]
	rec, ours := f.records[r.uid]
	switch {
	case live == nil || live.object.Kind != src.Kind:
		return verdict{err: src.wrongRow(r, src.UID, fmt.Sprintf("%.80q is no object of the kind", r.uid))}
	case !ours:
		return verdict{}
	}
	if of, copied := f.copied[r.uid]; copied && of != r.key {
		return verdict{err: src.wrongRow(r, src.UID, fmt.Sprintf("row %.80q has the same UID", of))}
	}
	v := verdict{note: rec != record{src.id, r.key}}
	if f.made == nil && (v.note || slices.ContainsFunc(r.owners, func(o userOwner) bool { return o.key.Valid && o.uid == "" })) {
		return verdict{work: true}
	}
	a.judgeObject(src, r, f, live, &v)
	v.work = v.note || v.next != nil
	return v
}

// judgeObject judges the references of an object that Adopt has created.
func (a *adoption) judgeObject(src *source, r *userRow, f *facts, live *row, v *verdict) {
	o := &live.object
	if o.Deleting {
		return
	}
	refs, err := src.references(r, f, o)
	if err != nil && src.losesOwner(o, f) {
		refs = src.remaining(o, f)
	}
	if v.err = err; err == nil && (o.Name != r.name || o.Scope != r.scope) {
		v.err = src.wrongRow(r, src.Name, fmt.Sprintf("the name is %q in the scope %q, and the object is %s", cutText(r.name), cutText(r.scope), name(o.Key)))
	}
	next, added, err := a.withOwners(src, f.kinds, *o, refs)
	if err != nil {
		v.err = src.wrongRow(r, "Owners", err.Error())
		next, added, err = a.withOwners(src, f.kinds, *o, nil)
	}
	if err == nil && next != nil {
		v.old, v.next, v.added = live, live.next(*next), added
	}
}

// remaining returns the references to the kinds of the owners without those that Adopt is about to
// delete.
func (src *source) remaining(o *graph.Object, f *facts) (refs []graph.Owner) {
	for _, r := range o.Owners {
		owner := f.objects[string(r.UID)]
		if src.managed[r.Kind] && (!f.gone[string(r.UID)] || owner == nil || owner.object.Deleting) {
			refs = append(refs, r)
		}
	}
	return refs
}

// losesOwner reports whether the store has deleted an owner of the object, or has marked it. Such an
// object is the engine's, and its row may go with it. A finding takes no reference from it then, but
// those to objects that Adopt deletes itself.
func (src *source) losesOwner(o *graph.Object, f *facts) bool {
	return slices.ContainsFunc(o.Owners, func(r graph.Owner) bool {
		owner := f.objects[string(r.UID)]
		return src.managed[r.Kind] && (owner == nil || owner.object.Deleting)
	})
}

// withOwners returns the object with these references to the kinds of the owners, and nil if it has
// them.
func (a *adoption) withOwners(src *source, kinds *kindSet, o graph.Object, refs []graph.Owner) (next *graph.Object, added []graph.UID, err error) {
	has := func(list []graph.Owner, x graph.Owner) bool {
		return slices.ContainsFunc(list, func(r graph.Owner) bool {
			return r.UID == x.UID && r.Block == x.Block && r.Controller == x.Controller
		})
	}
	var changes []graph.Change
	for _, ref := range refs {
		if !has(o.Owners, ref) {
			owner := kinds.resolve(o.Key, ref)
			changes, added = append(changes, graph.Change{AddOwner: &owner}), append(added, ref.UID)
		}
	}
	var dropped []graph.Owner
	for _, ref := range o.Owners {
		if src.managed[ref.Kind] && !has(refs, ref) {
			dropped = append(dropped, ref)
		}
	}
	if len(dropped) > 0 {
		changes = append([]graph.Change{{DropOwners: dropped}}, changes...)
	}
	if len(changes) == 0 {
		return nil, nil, nil
	}
	for _, change := range changes {
		out, err := finalizer.Patch(o, graph.Precondition{}, change)
		if err != nil {
			return nil, nil, err
		}
		o = out.Object
	}
	if len(added) > 0 {
		err = kinds.check("adopt", o.Owners, o, a.s.conf.Limits)
	}
	return &o, added, err
}

// references returns the owners of a row, or none and the finding. While an owner is being deleted, a
// reference to it stays as it is, because the engine may unblock it. The owner gets no new one then.
func (src *source) references(r *userRow, f *facts, o *graph.Object) (refs []graph.Owner, err error) {
	for i, of := range r.owners {
		if !of.value.Valid {
			continue
		}
		owner, cause := src.ownerOf(i, of, f)
		switch {
		case cause != "":
		case owner.object.UID == o.UID:
			cause = "it names the row itself"
		case owner.object.Scope != "" && owner.object.Scope != o.Scope:
			cause = fmt.Sprintf("its owner %s is in another scope than %s", name(owner.object.Key.Place()), name(o.Key.Place()))
		}
		var had int
		if cause == "" && owner.object.Deleting {
			had = slices.IndexFunc(o.Owners, func(x graph.Owner) bool { return x.UID == owner.object.UID })
			if had < 0 {
				cause = fmt.Sprintf("its owner %s is being deleted", name(owner.object.Key))
			}
		}
		if cause != "" {
			return nil, src.wrongRow(r, src.Owners[i].Key, cause)
		}
		ref := graph.Owner{Key: owner.object.Key, Block: src.Owners[i].Block, Controller: src.Owners[i].Controller}
		if owner.object.Deleting {
			ref = o.Owners[had]
		}
		refs = joinOwner(refs, ref)
	}
	return refs, nil
}

// joinOwner adds a reference. One that is there gets the flags of both.
func joinOwner(refs []graph.Owner, ref graph.Owner) []graph.Owner {
	for i := range refs {
		if x := &refs[i]; x.UID == ref.UID {
			x.Block, x.Controller = x.Block || ref.Block, x.Controller || ref.Controller
			return refs
		}
	}
	return append(refs, ref)
}

// ownerOf returns the object of an owner, or the cause for which there is none.
func (src *source) ownerOf(i int, of userOwner, f *facts) (owner *row, cause string) {
	if !of.key.Valid {
		return nil, fmt.Sprintf("its owner %.80q is not in table %s", of.value.String, src.owners[i].table)
	}
	if of.several {
		return nil, fmt.Sprintf("several rows of table %s are equal to its owner %.80q", src.owners[i].table, of.value.String)
	}
	if of.uid == "" {
		owner = f.made[src.owners[i]][of.key.String]
	} else {
		owner = f.objects[of.uid]
	}
	switch {
	case owner == nil && of.uid == "":
		cause = fmt.Sprintf("its owner %.80q of table %s has no object, see there", of.value.String, src.owners[i].table)
	case owner == nil || owner.object.Kind != src.Owners[i].Kind:
		cause = fmt.Sprintf("its owner %.80q of table %s has the UID %.80q, which is no object of kind %s", of.value.String, src.owners[i].table, of.uid, src.Owners[i].Kind)
	}
	return owner, cause
}

// judgeNew judges a row without a UID, whose object the transaction has made, or has found by a
// record.
func (a *adoption) judgeNew(src *source, r *userRow, f *facts) verdict {
	o := f.made[src][r.key]
	if o == nil {
		return verdict{err: f.faults[r]}
	}
	v := verdict{}
	if !f.fresh[string(o.object.UID)] {
		a.judgeObject(src, r, f, o, &v)
		return v
	}
	refs, err := src.references(r, f, &o.object)
	v.err = err
	next, added, err := a.withOwners(src, f.kinds, o.object, refs)
	switch {
	case err != nil:
		v.err = src.wrongRow(r, "Owners", err.Error())
	case next != nil:
		o.object, v.added = *next, added
	}
	return v
}
