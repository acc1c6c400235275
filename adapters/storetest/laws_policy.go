package storetest

import (
	"errors"
	"fmt"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
)

const (
	policyKept    = "policy/kept"
	policyChanged = "policy/changed"
)

// allPolicies are the values of Owner.OnDelete that say something.
func allPolicies() []graph.OnDelete {
	return []graph.OnDelete{graph.OnDeleteRelease, graph.OnDeleteRestrict, graph.OnDeleteCascade}
}

// lawsOfPolicies are about Owner.OnDelete. See graph.OnDelete.
func lawsOfPolicies() []law {
	return []law{
		{
			name: policyKept, rests: []string{patchOneStep, "patch/add-owner"},
			why: "an engine decides as if a lost policy was unset, and deletes what the user keeps: a store without a place for a policy refuses it with ErrInvalid",
			run: policiesAreKept,
		},
		{
			name: policyChanged, rests: []string{policyKept, "patch/drop-owners"},
			why: "a user changes the policy of a reference before a deletion, and the engine decides by the former one if the store takes it for no change",
			run: policiesChange,
		},
	}
}

// policiesChange changes the policy of one reference alone, in each way, and reads it.
func policiesChange(t *trial) {
	owner := t.made("owner")
	o := t.owned("dependent", ownergraph.Owner{Key: owner.Key, Block: true})
	changes := t.watch().ready()
	for _, policy := range append(allPolicies(), graph.OnDeleteUnset, graph.OnDeleteCascade, graph.OnDeleteRelease) {
		ref := o.Owners[0]
		ref.OnDelete = policy
		o = t.updatedWith(o, ref)
	}
	for _, policy := range append(allPolicies(), graph.OnDeleteUnset) {
		ref := o.Owners[0]
		ref.OnDelete = policy
		o = t.patchedWith(o, ownergraph.Change{DropOwners: o.Owners, AddOwner: &ref})
	}
	changes.mustSee("the watch reports "+o.String(), func(r *replica) bool { return r.knows(o) })
}

// policiesAreKept writes references with each policy, in each way. It compares the writes
// with reads, with the reports of changes, and with a listing.
func policiesAreKept(t *trial) {
	first, second := t.made("first"), t.made("second")
	changes := t.watch().ready()
	var all []ownergraph.Object
	for _, policy := range allPolicies() {
		ref := ownergraph.Owner{Key: first.Key, Block: true, OnDelete: policy}
		if o, ok := t.createdWith("created-"+policy.String(), ref); ok {
			all = append(all, o)
		}
		o := t.owned("changed-"+policy.String(), ownergraph.Owner{Key: second.Key})
		o = t.updatedWith(o, ref)
		o = t.patchedWith(o, ownergraph.Change{AddFinalizer: holdFinalizer})
		o = t.patchedWith(o, ownergraph.Change{Unblock: o.Owners})
		ref.Key = second.Key
		all = append(all, t.patchedWith(o, ownergraph.Change{DropOwners: o.Owners, AddOwner: &ref}))
	}
	for _, w := range []*watcher{changes, t.watch().ready()} {
		for _, o := range all {
			w.mustSee("the watch reports "+o.String(), func(r *replica) bool { return r.knows(o) })
			events, _ := w.reported()
			t.wantContent("the watch reports the answer of a read", o, replay(events).of(o.Kind).objects[o.Key])
		}
	}
}

// createdWith creates an object with the reference, unless the store refuses the policy.
func (t *trial) createdWith(name string, ref ownergraph.Owner) (made ownergraph.Object, ok bool) {
	t.Helper()
	o := t.object(name)
	o.Owners = []ownergraph.Owner{ref}
	made, err := t.tryCreate(o)
	if errors.Is(err, graph.ErrInvalid) {
		return made, false
	}
	t.accept(fmt.Sprintf("Client.Create of %s", o), err)
	o.Key.UID = made.UID
	t.wantContent("created", o, made)
	t.wantContent("created, and read", o, t.live(made.Key))
	return made, true
}

// updatedWith replaces the references of an object by ref, and returns the object as stored.
func (t *trial) updatedWith(o ownergraph.Object, ref ownergraph.Owner) ownergraph.Object {
	t.Helper()
	wanted := o.Clone()
	wanted.Owners = []ownergraph.Owner{ref}
	_, err := t.tryUpdate(wanted)
	return t.keptOrRefused(fmt.Sprintf("Client.Update of %s to %s", o, wanted), err, o, wanted)
}

// patchedWith patches an object, and returns the object as stored.
func (t *trial) patchedWith(o ownergraph.Object, change ownergraph.Change) ownergraph.Object {
	t.Helper()
	what := fmt.Sprintf("Patch of %s with %s", o, formatChange(change))
	return t.keptOrRefused(what, t.patch(o.Key, exact(o), change), o, change.Apply(o))
}

// keptOrRefused judges a write by a read, which it returns. An ErrInvalid means that nothing
// was written.
func (t *trial) keptOrRefused(what string, err error, before, after ownergraph.Object) ownergraph.Object {
	t.Helper()
	now := t.live(before.Key)
	if errors.Is(err, graph.ErrInvalid) {
		t.wantSame(what+" is refused", before, now)
		return now
	}
	t.accept(what, err)
	t.wantContent(what, after, now)
	return now
}
