package storetest

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
)

const (
	referenceUnserved = "reference/unserved"
	referenceScope    = "reference/scope"
	addOwner          = "patch/add-owner"
	aliasPatch        = "alias/patch"
)

// lawsOfReferences are about owners whose place the store cannot tell. It stores such a
// reference as Unresolved, or refuses it.
func lawsOfReferences() []law {
	rests := []string{readFresh, slowLosesNone, strictAbsent, patchAccepted, patchOneStep, addOwner, kindsUnserved, aliasPatch}
	return []law{
		{
			name: referenceUnserved, rests: rests,
			why: "an owner of an unserved kind has no known place: if it looks resolved, a later read proves absence, and the dependent of a live owner is deleted",
			run: unservedOwnersAreUnresolved,
		},
		{
			name: referenceScope, needs: []need{needScoped}, rests: rests,
			why: "a read looks for the owner in the scope of the reference: in a wrong scope it finds none, and the dependent of a live owner is deleted",
			run: scopesAreResolved,
		},
		{
			name: "reference/vanished", needs: []need{needVanish, needTwoKinds}, rests: append([]string{referenceUnserved, vanishedReported, "kinds/served-again"}, rests...),
			why: "a kind may come back in another form: if a reference from meanwhile looks resolved, a read proves absence, and the dependent of a live owner is deleted",
			run: vanishedOwnersAreUnresolved,
		},
		{
			name: "reference/sick", needs: []need{needSicken, needTwoKinds}, rests: append([]string{sickReported, watchListing}, rests...),
			why: "a kind out of reach keeps its scopes: in another place a read finds no owner after the recovery, and the dependent is deleted",
			run: sickOwnersKeepTheirPlace,
		},
		{
			name: "reference/restart", needs: []need{needRestart}, rests: append([]string{referenceUnserved, restartKeeps, "restart/watch"}, rests...),
			why: "a reference that looks resolved after a restart has a wrong place: a read proves absence there, and the dependent of a live owner is deleted",
			run: unresolvedSurvivesRestart,
		},
	}
}

// lawsOfReferencesInBatches come after the laws of batches.
func lawsOfReferencesInBatches() []law {
	return []law{{
		name: "batch/reference", needs: []need{needBatcher}, rests: []string{referenceUnserved, batchEffects, batchNeighbours},
		why: "a batch resolves a reference as a single patch does: if it looks resolved, the dependent of a live owner is deleted",
		run: func(t *trial) {
			t.eachUnserved(func(ref ownergraph.Owner) {
				for _, way := range t.waysOfBatch() {
					t.placed(way, t.main, t.object("").Scope, ref, t.flatOnly())
				}
			})
		},
	}}
}

// way writes a reference into a dependent of its own.
type way struct {
	name string
	// write makes a dependent at the key, and writes the reference. The error is that of
	// the write.
	write func(key ownergraph.Key, ref ownergraph.Owner) error
}

// ways are all single writes that can bring a new reference.
func (t *trial) ways() []way {
	beside := func(key ownergraph.Key) ownergraph.Owner {
		return ownergraph.Owner{Key: t.create(ownergraph.Object{Key: ownergraph.Key{Kind: key.Kind, Scope: key.Scope, Name: key.Name + "-beside"}}).Key, Block: true}
	}
	made := func(key ownergraph.Key, owners ...ownergraph.Owner) ownergraph.Object {
		return t.create(ownergraph.Object{Key: key, Owners: owners})
	}
	create := func(key ownergraph.Key, owners ...ownergraph.Owner) error {
		_, err := t.tryCreate(ownergraph.Object{Key: key, Owners: owners})
		return err
	}
	update := func(o ownergraph.Object, owners ...ownergraph.Owner) error {
		o.Owners = owners
		_, err := t.tryUpdate(o)
		return err
	}
	return []way{
		{"Client.Create", func(key ownergraph.Key, ref ownergraph.Owner) error { return create(key, ref) }},
		{"Client.Create with another owner", func(key ownergraph.Key, ref ownergraph.Owner) error {
			return create(key, t.ownable(beside(key), ref)...)
		}},
		{"Client.Update", func(key ownergraph.Key, ref ownergraph.Owner) error { return update(made(key), ref) }},
		{"Client.Update of another owner", func(key ownergraph.Key, ref ownergraph.Owner) error {
			o := made(key, t.ownable(beside(key))...)
			return update(o, append(slices.Clone(o.Owners), ref)...)
		}},
		{"Patch.AddOwner", func(key ownergraph.Key, ref ownergraph.Owner) error {
			o := made(key)
			return t.patch(o.Key, exact(o), ownergraph.Change{AddOwner: &ref})
		}},
		{"Patch.AddOwner without a precondition", func(key ownergraph.Key, ref ownergraph.Owner) error {
			return t.patch(made(key).Key, ownergraph.Precondition{}, ownergraph.Change{AddOwner: &ref})
		}},
		{"Patch.AddOwner with other changes", func(key ownergraph.Key, ref ownergraph.Owner) error {
			o := made(key, t.ownable(beside(key))...)
			return t.patch(o.Key, exact(o), ownergraph.Change{DropOwners: o.Owners, AddOwner: &ref, AddFinalizer: holdFinalizer})
		}},
	}
}

// ownable returns the owners. It leaves out the first one if objects of its kind may not own.
func (t *trial) ownable(owner ownergraph.Owner, more ...ownergraph.Owner) []ownergraph.Owner {
	if slices.ContainsFunc(t.infos, func(x ownergraph.KindInfo) bool { return x.Kind == owner.Kind && x.NoOwner }) {
		return more
	}
	return append([]ownergraph.Owner{owner}, more...)
}

// waysOfBatch write the reference by the patch of a batch, which has a neighbour.
func (t *trial) waysOfBatch() []way {
	return []way{{"the AddOwner of a batch", func(key ownergraph.Key, ref ownergraph.Owner) error {
		o := t.create(ownergraph.Object{Key: key})
		beside := t.create(ownergraph.Object{Key: ownergraph.Key{Kind: key.Kind, Scope: key.Scope, Name: key.Name + "-beside"}})
		ctx, cancel := context.WithTimeout(t.Context(), t.patience)
		defer cancel()
		writes := []ownergraph.Write{patchOf(o, ownergraph.Change{AddOwner: &ref}), patchOf(beside, ownergraph.Change{AddFinalizer: holdFinalizer})}
		results, err := t.batch(ctx, writes)
		if err != nil {
			return err
		}
		return results[slices.IndexFunc(writes, func(w ownergraph.Write) bool { return w.Key == o.Key })]
	}}}
}

// flatOnly returns the scope "" for a store without scoped kinds, which can tell the place of
// every owner. Otherwise it returns no scope.
func (t *trial) flatOnly() []string {
	if slices.ContainsFunc(t.infos, func(x ownergraph.KindInfo) bool { return x.Scoped }) {
		return nil
	}
	return []string{""}
}

// placed writes the reference into a new dependent in the way. If the store takes it, the
// reference is Unresolved, or in one of the scopes. It returns the dependent, and whether the
// store took the reference.
func (t *trial) placed(w way, of ownergraph.KindInfo, scope string, ref ownergraph.Owner, scopes []string) (ownergraph.Object, bool) {
	t.Helper()
	key := ownergraph.Key{Kind: of.Kind, Scope: scope, Name: fmt.Sprintf("d%d", t.tried)}
	t.attempt(fmt.Sprintf("%s: %s -> %s", w.name, place(key), ref))
	err := w.write(key, ref)
	if err != nil {
		if errors.Is(err, graph.ErrNotFound) {
			t.broken(fmt.Sprintf("%s of %s -> %s answers nothing about the dependent", w.name, place(key), ref), err.Error())
		}
		return ownergraph.Object{}, false
	}
	o := t.live(key)
	t.inPlace(w.name, o, ref, scopes)
	return o, true
}

// inPlace breaks the law if the object lacks the reference, or has it in another scope.
func (t *trial) inPlace(when string, o ownergraph.Object, ref ownergraph.Owner, scopes []string) {
	t.Helper()
	at := slices.IndexFunc(o.Owners, func(r ownergraph.Owner) bool { return r.UID == ref.UID })
	if at < 0 {
		t.broken(fmt.Sprintf("after %s, %s refers to UID %q", when, place(o.Key), ref.UID), o.String())
	}
	if now := o.Owners[at]; !now.Unresolved && !slices.Contains(scopes, now.Scope) || now.Block != ref.Block {
		t.broken(fmt.Sprintf("after %s, the owner of %s is %s", when, place(o.Key), placesText(ref, scopes)), o.String())
	}
}

// placesText describes the reference in each permitted place.
func placesText(ref ownergraph.Owner, scopes []string) string {
	ref.Unresolved = true
	text := ref.String() + ", unresolved"
	ref.Unresolved = false
	for _, scope := range scopes {
		ref.Scope = scope
		text += ", or " + ref.String()
	}
	return text
}

// eachUnserved calls use with references to kinds that no store serves.
func (t *trial) eachUnserved(use func(ref ownergraph.Owner)) {
	t.Helper()
	scope := t.object("").Scope
	for i, kind := range []ownergraph.Kind{unservedKind, "No.store.serves.this", t.main.Kind + "x"} {
		if slices.ContainsFunc(t.infos, func(x ownergraph.KindInfo) bool { return x.Kind == kind }) {
			continue
		}
		use(ownergraph.Owner{Key: ownergraph.Key{Kind: kind, Name: "owner", UID: "elsewhere"}, Block: i%2 == 0})
		if scope != "" && i < 2 {
			use(ownergraph.Owner{Key: ownergraph.Key{Kind: kind, Scope: scope, Name: "owner", UID: "elsewhere"}, Block: i%2 == 1})
		}
	}
}

func unservedOwnersAreUnresolved(t *trial) {
	running, flat := t.watch().ready(), t.flatOnly()
	var took []ownergraph.Object
	t.eachUnserved(func(ref ownergraph.Owner) {
		for _, w := range t.ways() {
			if o, ok := t.placed(w, t.main, t.object("").Scope, ref, flat); ok {
				took = append(took, t.staysUnresolved(o, ref, flat))
			}
		}
	})
	t.writtenAlike(took)
	for _, w := range []*watcher{running, t.watch().ready()} {
		for _, o := range took {
			w.mustSee("the watch reports "+o.String(), func(r *replica) bool { return r.knows(o) })
			t.wantContent("the watch reports the answer of a read", o, w.known.of(o.Kind).objects[o.Key])
		}
	}
}

// writtenAlike breaks the law if a flat store resolves a reference in one way, and does not
// in another.
func (t *trial) writtenAlike(list []ownergraph.Object) {
	t.Helper()
	for _, o := range list {
		for _, r := range o.Owners {
			first := list[0].Owners[slices.IndexFunc(list[0].Owners, func(r ownergraph.Owner) bool { return r.UID == "elsewhere" })]
			if r.UID == "elsewhere" && r.Unresolved != first.Unresolved {
				t.broken(fmt.Sprintf("every write resolves an owner of a kind that is not served as in %s", list[0]), o.String())
			}
		}
	}
}

// staysUnresolved makes later writes, which do not touch the reference. It returns the
// dependent after them.
func (t *trial) staysUnresolved(o ownergraph.Object, ref ownergraph.Owner, scopes []string) ownergraph.Object {
	t.Helper()
	t.accept("Patch of "+o.String(), t.patch(o.Key, exact(o), ownergraph.Change{AddFinalizer: moreFinalizer}))
	o = t.live(o.Key)
	t.inPlace("a patch that adds a finalizer", o, ref, scopes)
	if now, err := t.tryUpdate(withFinalizers(o, holdFinalizer, moreFinalizer)); err == nil { // a user may be refused such an owner
		o = now
	}
	t.inPlace("an update with the owners as they were read", o, ref, scopes)
	if ref.Block {
		t.accept("Patch of "+o.String(), t.patch(o.Key, exact(o), ownergraph.Change{Unblock: o.Owners}))
		o, ref.Block = t.live(o.Key), false
		t.inPlace("a patch that unblocks it", o, ref, scopes)
	}
	return o
}

// scopesAreResolved writes references with a scope, without one, and with one that the
// owner's kind does not have.
func scopesAreResolved(t *trial) {
	here := t.made("here")
	there := t.create(ownergraph.Object{Key: ownergraph.Key{Kind: t.main.Kind, Scope: scopeTwo, Name: "there"}})
	global, deps := t.globalKind(), []ownergraph.KindInfo{t.main}
	refs := []ownergraph.Object{here, there}
	if global.Kind != "" {
		deps, refs = append(deps, global), append(refs, t.create(ownergraph.Object{Key: ownergraph.Key{Kind: global.Kind, Name: "global"}}))
	}
	for _, w := range t.ways() {
		for _, dep := range deps {
			for _, owner := range refs {
				t.eachScope(w, dep, owner)
			}
		}
	}
}

// eachScope writes the owner with its scope, without one, and with a scope of the dependent.
func (t *trial) eachScope(w way, dep ownergraph.KindInfo, owner ownergraph.Object) {
	t.Helper()
	global, ins := owner.Scope == "", []string{scopeOne, scopeTwo}
	if !dep.Scoped {
		ins = []string{""}
	}
	for _, in := range ins {
		given := []string{"", owner.Scope}
		if global {
			given[1] = in
		}
		for _, scope := range slices.Compact(given) {
			ref := ownergraph.Owner{Key: owner.Key, Block: true}
			ref.Scope = scope
			t.placed(w, dep, in, ref, placesFor(global, in, scope))
		}
	}
}

// placesFor returns the scopes in which a dependent of a scope may have an owner that was
// given with another scope, or with none. In a global dependent, an owner of a scoped kind has
// no scope of its own.
func placesFor(global bool, dependent, given string) []string {
	var scopes []string
	if global || given != "" {
		scopes = append(scopes, given)
	}
	switch {
	case global && given != "":
		scopes = append(scopes, "")
	case !global && dependent != "" && dependent != given:
		scopes = append(scopes, dependent)
	}
	return scopes
}

// globalKind returns a global kind whose objects the client can create, or none.
func (t *trial) globalKind() (info ownergraph.KindInfo) {
	if at := slices.IndexFunc(t.few, func(x ownergraph.KindInfo) bool { return !x.Scoped }); at >= 0 {
		return t.few[at]
	}
	return info
}

// vanishedOwnersAreUnresolved writes references while the owner's kind is not served, and
// again when it is.
func vanishedOwnersAreUnresolved(t *trial) {
	kind := t.second.Kind
	owner := t.create(ownergraph.Object{Key: keyOf(t.second, "owner")})
	w := t.watch().ready()
	serve := t.vanish(kind)
	t.step("the store stops serving %s", kind)
	w.mustSee(fmt.Sprintf("the watch reports the kinds without %s", kind), func(r *replica) bool { return !r.serves(kind) })
	var took []taken
	t.eachWay(owner, func(w way, ref ownergraph.Owner, _ []string) {
		if o, ok := t.placed(w, t.main, t.object("").Scope, ref, t.flatOnly()); ok {
			took = append(took, taken{w, o.Key, ref})
		}
	})
	serve()
	t.step("the store serves %s again", kind)
	w.mustSee(fmt.Sprintf("the watch lists %s again", kind), func(r *replica) bool { return r.serves(kind) && r.of(kind).listing == nil && r.of(kind).ended > 0 })
	t.inPlaceStill("the return of its kind", took, []string{owner.Scope})
}

func sickOwnersKeepTheirPlace(t *trial) {
	kind := t.second.Kind
	owner := t.create(ownergraph.Object{Key: keyOf(t.second, "owner")})
	w := t.watch().ready()
	end := t.sicken(kind)
	t.step("%s is out of reach", kind)
	w.mustSee(fmt.Sprintf("the watch reports that %s is sick", kind), func(r *replica) bool { return r.of(kind).sick })
	var took []taken
	t.eachWay(owner, func(w way, ref ownergraph.Owner, scopes []string) {
		if o, ok := t.placed(w, t.main, t.object("").Scope, ref, scopes); ok {
			took = append(took, taken{w, o.Key, ref})
		}
	})
	end()
	t.step("%s has recovered", kind)
	w.mustSee(fmt.Sprintf("the watch reports that %s has recovered", kind), func(r *replica) bool { return !r.of(kind).sick })
	t.inPlaceStill("the recovery of its kind", took, []string{owner.Scope})
}

// eachWay calls use for each way to write a reference to the owner, and for each form of it.
func (t *trial) eachWay(owner ownergraph.Object, use func(w way, ref ownergraph.Owner, scopes []string)) {
	t.Helper()
	ref := ownergraph.Owner{Key: owner.Key, Block: true}
	for _, w := range t.ways() {
		for _, ref.Scope = range slices.Compact([]string{"", owner.Scope}) {
			use(w, ref, []string{owner.Scope})
		}
	}
}

func unresolvedSurvivesRestart(t *trial) {
	var took []taken
	t.eachUnserved(func(ref ownergraph.Owner) {
		for _, w := range t.ways() {
			if o, ok := t.placed(w, t.main, t.object("").Scope, ref, t.flatOnly()); ok {
				took = append(took, taken{w, o.Key, ref})
			}
		}
	})
	t.restart()
	t.step("the store is opened again")
	t.inPlaceStill("a restart", took, t.flatOnly())
	w := t.watch().ready()
	for _, x := range took {
		o := t.live(x.key)
		w.mustSee("the watch reports "+o.String(), func(r *replica) bool { return r.knows(o) })
		t.inPlace("a restart, by the watch", w.known.of(o.Kind).objects[o.Key], x.ref, t.flatOnly())
	}
}

// taken is a reference that the store took, and its way.
type taken struct {
	way way
	key ownergraph.Key
	ref ownergraph.Owner
}

// inPlaceStill is inPlace for references from before an event.
func (t *trial) inPlaceStill(event string, took []taken, scopes []string) {
	t.Helper()
	for _, x := range took {
		t.attempt("")
		t.inPlace(x.way.name+" and "+event, t.live(x.key), x.ref, scopes)
	}
}
