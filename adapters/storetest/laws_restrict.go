package storetest

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
)

const (
	restrictDeletes = "level3/restricted"
	restrictEnds    = "level3/restriction-ends"
	restrictMarked  = "level3/restrict-marked-owner"
)

// lawsOfRestrict are about graph.OnDeleteRestrict in a store of level 3. A store that refuses each
// policy keeps them, because nothing is restricted there.
func lawsOfRestrict() []law {
	created := []string{policyKept, readMarked, "delete/foreground", "delete/orphan", "delete/background"}
	deleted := append([]string{restrictDeletes}, created...)
	return ofLevel3([]law{
		{
			name: restrictDeletes, rests: created,
			why: "the user has said that the owner stays while the dependent is there, and no engine undoes a mark",
			run: refusesRestricted,
		},
		{
			name: restrictEnds, rests: append([]string{lastFinalizer, "patch/drop-owners", policyChanged}, deleted...),
			why: "a dependent that is marked waits for its owner: if only its end counts, both wait for ever",
			run: acceptsAfterRestriction,
		},
		{
			name: "level3/restriction-held", rests: append([]string{restrictEnds}, deleted...),
			why: "a guard may refuse a held mark, so the dependent may stay: then its owner is gone",
			run: refusesRestrictedByHeld,
		},
		{
			name: "level3/other-policies", rests: deleted,
			why: "an engine deletes owners with other dependents: a refusal leaves the garbage for ever",
			run: acceptsOtherPolicies,
		},
		{
			name: "level3/restricted-unresolved", rests: append([]string{"level3/unserved"}, deleted...),
			why: "the store knows the UID of such an owner, and its end would cut the reference",
			run: refusesRestrictedUnresolved,
		},
		{
			name: restrictMarked, rests: append([]string{strictUpdate, strictPatch, strictOrphan, strictMoved}, created...),
			why: "a restricted object has no mark: the engine would end the owner without regard to the dependent",
			run: refusesToRestrictMarked,
		},
		{
			name: "level3/changed-policy", rests: append([]string{restrictMarked, "level3/blocking", policyChanged}, created...),
			why: "the engine has judged the former policy for the end of the owner",
			run: refusesChangedPolicies,
		},
	})
}

// restricting creates an object that refers to the owner with Restrict. It reports false if the
// store takes no policy.
func (t *trial) restricting(name string, owner ownergraph.Owner, finalizers ...string) (ownergraph.Object, bool) {
	t.Helper()
	o := t.object(name, finalizers...)
	owner.OnDelete = graph.OnDeleteRestrict
	o.Owners = []ownergraph.Owner{owner}
	made, err := t.tryCreate(o)
	if errors.Is(err, graph.ErrInvalid) {
		return made, false
	}
	if err != nil {
		t.unable("Client.Create %s: %v", o, err)
	}
	return made, true
}

// deletions are the ways to delete an object: by an engine and by a user, with each propagation.
func (t *trial) deletions(o ownergraph.Object) map[string]func() error {
	all := map[string]func() error{}
	for _, p := range []graph.Propagation{graph.Unset, ownergraph.Background, ownergraph.Foreground, ownergraph.Orphan} {
		opts := propagated(p)
		opts.Precondition = exact(o)
		all[fmt.Sprintf("Delete (%s)", p)] = func() error { return t.delete(o.Key, opts) }
		all[fmt.Sprintf("Client.Delete (%s)", p)] = func() error { return t.tryUserDelete(o.Key, propagated(p)) }
	}
	return all
}

// refusesDeletions tries each way to delete the restricted object. Neither it nor the dependent
// changes.
func (t *trial) refusesDeletions(o, dependent ownergraph.Object) {
	t.Helper()
	ways := t.deletions(o)
	for _, name := range slices.Sorted(maps.Keys(ways)) {
		t.refusesRestrictedDeletion(fmt.Sprintf("%s of %s, which %s restricts,", name, o, dependent), ways[name]())
		t.wantSame("after a refused deletion", o, t.live(o.Key))
		t.wantSame("after a refused deletion of its owner", dependent, t.live(dependent.Key))
	}
}

func (t *trial) refusesRestrictedDeletion(what string, err error) {
	t.Helper()
	switch {
	case err == nil:
		t.broken(what+" is an error that wraps ErrRestricted", "it succeeded")
	case !errors.Is(err, graph.ErrRestricted):
		t.broken(what+" is an error that wraps ErrRestricted", err.Error())
	}
}

func refusesRestricted(t *trial) {
	for _, finalizers := range [][]string{nil, {holdFinalizer}} {
		name := fmt.Sprint("owner-", len(finalizers))
		owner := t.made(name, finalizers...)
		if d, ok := t.restricting("of-"+name, ownergraph.Owner{Key: owner.Key}); ok {
			t.refusesDeletions(owner, d)
		}
	}
}

func acceptsAfterRestriction(t *trial) {
	for _, end := range []struct {
		name  string
		write func(d ownergraph.Object)
	}{
		{"marked", func(d ownergraph.Object) { t.userDelete(d.Key, propagated(ownergraph.Background)) }},
		{"dropped", func(d ownergraph.Object) {
			t.accept("Patch of "+d.String(), t.patch(d.Key, exact(d), ownergraph.Change{DropOwners: d.Owners}))
		}},
		{"changed", func(d ownergraph.Object) {
			d.Owners[0].OnDelete = graph.OnDeleteRelease
			t.update(d)
		}},
		{"gone", func(d ownergraph.Object) { t.remove(t.update(withFinalizers(d))) }},
	} {
		owner := t.made(end.name)
		d, ok := t.restricting("of-"+end.name, ownergraph.Owner{Key: owner.Key}, holdFinalizer)
		if !ok {
			return
		}
		end.write(d)
		what := fmt.Sprintf("Delete of %s, whose restricting dependent is %s,", owner, end.name)
		t.accept(what, t.delete(owner.Key, propagated(ownergraph.Background)))
		t.absent("after its deletion", owner.Key)
	}
}

func refusesRestrictedByHeld(t *trial) {
	for i, held := range []string{graph.FinalizerHold, graph.FinalizerProtect} {
		owner := t.made(fmt.Sprint("owner-", i))
		d, ok := t.restricting(fmt.Sprint("of-", i), ownergraph.Owner{Key: owner.Key}, held, holdFinalizer)
		if !ok {
			return
		}
		t.userDelete(d.Key, propagated(ownergraph.Background))
		d = t.live(d.Key)
		t.refusesDeletions(owner, d)
		t.accept("Patch of "+d.String(), t.patch(d.Key, exact(d), ownergraph.Change{DropFinalizer: held}))
		t.accept("Delete of "+owner.String()+", whose dependent has a mark that nothing holds,", t.delete(owner.Key, propagated(ownergraph.Background)))
	}
}

func acceptsOtherPolicies(t *trial) {
	other := t.made("other")
	for _, policy := range []graph.OnDelete{graph.OnDeleteUnset, graph.OnDeleteRelease, graph.OnDeleteCascade} {
		owner := t.made(policy.String())
		d, ok := t.restricting("of-"+policy.String(), ownergraph.Owner{Key: other.Key})
		if !ok {
			return
		}
		d.Owners = append(d.Owners, ownergraph.Owner{Key: owner.Key, Block: true, OnDelete: policy})
		d = t.update(d)
		what := fmt.Sprintf("Delete of %s, whose dependent is %s,", owner, d)
		t.accept(what, t.delete(owner.Key, propagated(ownergraph.Background)))
		t.absent("after its deletion", owner.Key)
	}
}

func refusesRestrictedUnresolved(t *trial) {
	owner := t.made("owner")
	if d, ok := t.restricting("dependent", ownergraph.Owner{Key: owner.Key, Unresolved: true}); ok {
		t.refusesDeletions(owner, d)
	}
}

// refusesPolicy tries each write that gives the object this reference in the place of its others.
func (t *trial) refusesPolicy(o ownergraph.Object, ref ownergraph.Owner) {
	t.Helper()
	next := o.Clone()
	next.Owners = []ownergraph.Owner{ref}
	_, err := t.tryUpdate(next)
	t.refusesReference(fmt.Sprintf("Client.Update of %s to %s", o, next), err)
	t.wantSame("after a refused update", o, t.live(o.Key))
	change := ownergraph.Change{DropOwners: o.Owners, AddOwner: &ref}
	t.refusesReference(fmt.Sprintf("Patch of %s with %s", o, formatChange(change)), t.patch(o.Key, exact(o), change))
	t.wantSame("after a refused patch", o, t.live(o.Key))
}

func refusesToRestrictMarked(t *trial) {
	solid := t.made("solid")
	if _, ok := t.restricting("probe", ownergraph.Owner{Key: solid.Key}); !ok {
		return
	}
	for _, p := range []graph.Propagation{ownergraph.Background, ownergraph.Foreground, ownergraph.Orphan} {
		ref := ownergraph.Owner{Key: t.markedOwner("owner-"+p.String(), p).Key, OnDelete: graph.OnDeleteRestrict}
		made := t.object("made-" + p.String())
		made.Owners = []ownergraph.Owner{ref}
		_, err := t.tryCreate(made)
		t.refusesReference(fmt.Sprintf("Client.Create of %s -> %s", place(made.Key), ref), err)
		t.absent("after a refused creation", made.Key)
		t.refusesPolicy(t.made("d-"+p.String()), ref)
		ref.Unresolved = true
		t.refusesPolicy(t.made("u-"+p.String()), ref)
	}
}

func refusesChangedPolicies(t *trial) {
	solid := t.made("solid")
	if _, ok := t.restricting("probe", ownergraph.Owner{Key: solid.Key}); !ok {
		return
	}
	for _, c := range []struct {
		by   graph.Propagation
		next graph.OnDelete
	}{
		{ownergraph.Background, graph.OnDeleteRestrict}, {ownergraph.Foreground, graph.OnDeleteRestrict},
		{ownergraph.Foreground, graph.OnDeleteCascade}, {ownergraph.Orphan, graph.OnDeleteCascade},
	} {
		name := fmt.Sprintf("%s-%s", c.by, c.next)
		owner := t.made(name, holdFinalizer)
		o := t.owned("of-"+name, ownergraph.Owner{Key: owner.Key})
		t.userDelete(owner.Key, propagated(c.by))
		t.refusesPolicy(o, ownergraph.Owner{Key: owner.Key, OnDelete: c.next})
	}
}
