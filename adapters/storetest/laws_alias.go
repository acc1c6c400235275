package storetest

import (
	"context"
	"fmt"
	"slices"

	"github.com/ownergraph/ownergraph"
)

// lawsOfAlias are about memory. A store shares none with its callers.
func lawsOfAlias() []law {
	return []law{
		{
			name: "alias/get", rests: []string{readFresh},
			why: "the engine changes the objects that it has read: a store that shares their memory loses a reference",
			run: readsAreCopied,
		},
		{
			name: "alias/patch", rests: []string{readFresh, patchAccepted, "patch/add-owner", "patch/drop-owners", patchUnblock},
			why: "the engine reuses its memory: a store that still reads it writes another change",
			run: changesAreCopied,
		},
		{
			name: "alias/delete", excuse: GracePeriods, rests: []string{deleteGrace},
			why: "a grace period that changes after the call ends too soon",
			run: optionsAreCopied,
		},
		{
			name: "alias/event", rests: []string{readFresh, watchExact, watchSeveral},
			why: "the sink keeps and changes its events: if a store shares their memory, other engines see references that were never written",
			run: eventsAreCopied,
		},
	}
}

// overwrite changes all memory that an object could share.
func overwrite(o ownergraph.Object) {
	for i := range o.Owners {
		o.Owners[i].UID, o.Owners[i].Name, o.Owners[i].Block = "scribbled", "scribbled", !o.Owners[i].Block
	}
	for i := range o.Finalizers {
		o.Finalizers[i] = "example.org/scribbled"
	}
	_ = append(o.Owners, ownergraph.Owner{})
	_ = append(o.Finalizers, "example.org/scribbled")
}

func (t *trial) full(name string) ownergraph.Object {
	t.Helper()
	o := t.owned(name, ownergraph.Owner{Key: t.made("x-" + name).Key, Block: true}, ownergraph.Owner{Key: t.made("y-" + name).Key})
	o.Finalizers = []string{holdFinalizer, moreFinalizer}
	return t.update(o)
}

func readsAreCopied(t *trial) {
	want := t.full("a")
	first := t.live(want.Key)
	want = first.Clone()
	overwrite(first)
	t.wantSame("another read, after the result of the first was changed", want, t.live(want.Key))
}

func changesAreCopied(t *trial) {
	o := t.full("a")
	owner := ownergraph.Owner{Key: t.made("z").Key, Block: true}
	change := ownergraph.Change{DropOwners: slices.Clone(o.Owners[1:]), Unblock: slices.Clone(o.Owners[:1]), AddOwner: &owner}
	before := formatChange(change)
	want := change.Apply(o)
	t.accept("Patch", t.patchBy(o.Key, exact(o), change))
	if after := formatChange(change); after != before {
		t.broken("a Patch leaves the change that it was given as it is: "+before, after)
	}
	change.DropOwners[0], change.Unblock[0], owner = ownergraph.Owner{}, ownergraph.Owner{}, ownergraph.Owner{}
	t.wantContent("after a Patch, when its change has been changed", want, t.live(o.Key))
	want = t.touch(t.live(o.Key))
	t.wantContent("after another write", want, t.live(o.Key))
}

func optionsAreCopied(t *trial) {
	o := t.made("a")
	seconds := int64(30)
	opts := ownergraph.DeleteOptions{Precondition: exact(o), Propagation: ownergraph.Background, GraceSeconds: &seconds}
	err := t.do("Delete", func(ctx context.Context) error { return t.Store.Delete(ctx, o.Key, opts) })
	t.accept("Delete", err)
	if seconds != 30 {
		t.broken("a Delete leaves its options as they are", fmt.Sprintf("a grace period of %d", seconds))
	}
	seconds = 0
	o.Deleting, o.GraceSeconds = true, 30
	t.wantContent("after a Delete, when its options have been changed", o, t.live(o.Key))
}

// eventsAreCopied: one watch overwrites all its events.
func eventsAreCopied(t *trial) {
	want := []ownergraph.Object{t.full("a")}
	other := t.watch().ready()
	overwriting := t.watchWith(func(e ownergraph.Event) error {
		overwrite(e.Object)
		for i := range e.Kinds {
			e.Kinds[i] = ownergraph.KindInfo{Kind: "scribbled"}
		}
		return nil
	}).ready()
	slow := t.watchStepped()
	slow.pauseListed()
	b := t.object("b", holdFinalizer, moreFinalizer)
	b.Owners = []ownergraph.Owner{{Key: want[0].Key, Block: true}, {Key: t.made("beside").Key}}
	want = append(want, t.create(b))
	for _, o := range want {
		overwriting.mustSee("the watch reports "+o.String(), func(r *replica) bool { return r.knows(o) })
	}
	slow.free() // it now gets the events that the other one has had
	late := t.watch().ready()
	for _, o := range want {
		t.wantSame("a read, after a sink has changed its event", o, t.live(o.Key))
		for _, w := range []*watcher{other, slow, late} {
			w.mustSee("another watch reports "+o.String(), func(r *replica) bool { return r.knows(o) })
			events, _ := w.reported()
			t.wantSame("another watch, after a sink has changed its event", o, replay(events).of(o.Kind).objects[o.Key])
			if !replay(events).serves(t.main.Kind) {
				t.broken("another watch knows "+string(t.main.Kind), "it reported "+formatEvents(events))
			}
		}
	}
}
