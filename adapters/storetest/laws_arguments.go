package storetest

import (
	"context"
	"fmt"
	"slices"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
)

const (
	argumentCreate = "argument/create"
	argumentUpdate = "argument/update"
	argumentPatch  = "argument/patch"
)

// lawsOfArguments are about the memory of the caller's arguments. A call only reads it, also
// beyond the length of a list, and keeps no reference to it.
func lawsOfArguments() []law {
	written := []string{readFresh, readMarked, watchListing, patchAccepted, addOwner, "patch/drop-owners", patchUnblock, aliasPatch}
	return []law{
		{
			name: argumentCreate, rests: []string{readFresh, watchListing},
			why: "the caller's next object has the same list of owners: if the store resolves them there, no read finds them in its scope, and it is deleted",
			run: createLeavesItsObject,
		},
		{
			name: argumentUpdate, rests: []string{readFresh, readMarked, watchListing},
			why: "several objects share the caller's list of owners: if an update writes into it, the next one gets owners that no read finds, and is deleted",
			run: updateLeavesItsObject,
		},
		{
			name: argumentPatch, rests: written,
			why: "the engine tries a change again: if the store has written into it, the second try drops the reference to a live owner",
			run: patchLeavesItsChange,
		},
		{
			name: "argument/delete", rests: []string{readFresh, deleteRemoves, deleteMarks, watchListing, "alias/delete"},
			why: "several deletions share one grace period: if a store writes into it, the next object ends too soon",
			run: deleteLeavesItsOptions,
		},
		{
			name: "argument/labels", needs: []need{needSelector, needLabel}, rests: []string{selectMatches},
			why: "several objects share one set of labels: if a store writes into it, the next object belongs to another holder, and goes with it",
			run: labelLeavesItsLabels,
		},
	}
}

// lawsOfArgumentsTogether come after the laws of batches and of records.
func lawsOfArgumentsTogether() []law {
	return []law{
		{
			name: "batch/argument", needs: []need{needBatcher}, rests: []string{batchErrors, argumentPatch, "batch/alias"},
			why: "the engine tries the writes of a failed batch again: if the store has written into them, the second try drops the reference to a live owner",
			run: batchLeavesItsWrites,
		},
		{
			name: "records/argument", needs: []need{needRecords}, rests: []string{recordsConflict, "records/alias"},
			why: "the engine writes a record again after a conflict: if the store has written into the value, the record is another one, and a pause is lost",
			run: writeRecordLeavesItsValue,
		},
		{
			name: "argument/together", rests: []string{argumentCreate, argumentUpdate, argumentPatch, referenceScope, "concurrency/no-lost-update"},
			why: "calls at once share one list of owners: if a store writes into it for a moment, another object gets owners that no read finds, and is deleted",
			run: callsShareTheirArguments,
		},
	}
}

// lent is the memory of arguments, with a copy of it.
type lent struct{ parts []lentPart }

// lentPart is one list or value. Change describes the first difference from the copy, "" for
// none. Spoil overwrites the memory.
type lentPart struct {
	change func() string
	spoil  func()
}

// room is the number of places behind the end of a lent list.
const room = 3

// lend returns a copy of the list, in an array with more room, which is full of the mark.
func lend[T comparable](l *lent, what string, list []T, mark T, format func(T) string) []T {
	array := make([]T, len(list)+room)
	for i := range array[copy(array, list):] {
		array[len(list)+i] = mark
	}
	was := slices.Clone(array)
	l.parts = append(l.parts, lentPart{
		change: func() string {
			for i, now := range array {
				switch {
				case now == was[i]:
				case i < len(list):
					return fmt.Sprintf("%s[%d] was %s, and is now %s", what, i, format(was[i]), format(now))
				default:
					return fmt.Sprintf("the array behind %s was written %d after its end: %s", what, i-len(list)+1, format(now))
				}
			}
			return ""
		},
		spoil: func() {
			for i := range array {
				array[i] = mark
			}
		},
	})
	return array[:len(list):len(array)]
}

var lentOwner = ownergraph.Owner{Key: ownergraph.Key{Kind: "lent", Name: "lent", UID: "lent"}, Block: true}

func (l *lent) owners(what string, list ...ownergraph.Owner) []ownergraph.Owner {
	if len(list) == 0 {
		return nil
	}
	return lend(l, what, list, lentOwner, ownergraph.Owner.String)
}

// owner lends one owner.
func (l *lent) owner(what string, o ownergraph.Owner) *ownergraph.Owner { return &l.owners(what, o)[0] }

func (l *lent) finalizers(what string, list ...string) []string {
	if len(list) == 0 {
		return nil
	}
	return lend(l, what, list, "example.org/lent", func(s string) string { return s })
}

func (l *lent) seconds(n int64) *int64 {
	return &lend(l, "GraceSeconds", []int64{n}, 77, func(n int64) string { return fmt.Sprint(n) })[0]
}

func (l *lent) value(text string) []byte {
	return lend(l, "the value", []byte(text), '!', func(b byte) string { return fmt.Sprintf("%q", b) })
}

func (l *lent) object(o ownergraph.Object) ownergraph.Object {
	o.Owners, o.Finalizers = l.owners("Owners", o.Owners...), l.finalizers("Finalizers", o.Finalizers...)
	return o
}

func (l *lent) lentChange(c ownergraph.Change) ownergraph.Change {
	c.DropOwners, c.Unblock = l.owners("DropOwners", c.DropOwners...), l.owners("Unblock", c.Unblock...)
	if c.AddOwner != nil {
		c.AddOwner = l.owner("AddOwner", *c.AddOwner)
	}
	return c
}

// untouched breaks the law if a call has written into the memory.
func (t *trial) untouched(when string, l *lent) {
	t.Helper()
	for _, p := range l.parts {
		if change := p.change(); change != "" {
			t.broken(when+" has left the memory of its arguments as it was", change)
		}
	}
}

// unkept spoils the memory after the calls, and breaks the law if that changes an object.
func (t *trial) unkept(what string, l *lent, keys ...ownergraph.Key) {
	t.Helper()
	t.untouched("a moment later, each call", l)
	read := func() (list []ownergraph.Object) {
		w := t.watch().ready()
		for _, key := range keys {
			o := t.live(key)
			w.mustSee("the watch reports "+o.String(), func(r *replica) bool { return r.knows(o) })
			list = append(list, o, w.known.of(o.Kind).objects[o.Key].Clone())
		}
		return list
	}
	before := read()
	for _, p := range l.parts {
		p.spoil()
	}
	t.step("the caller uses the memory for something else")
	for i, now := range read() {
		t.wantSame(what+" keeps no reference to its arguments", before[i], now)
	}
}

// lending makes one call with lent memory, and judges the memory. It returns the call's error.
func (t *trial) lending(name string, l *lent, call func(ctx context.Context) error) error {
	t.Helper()
	t.attempt(name)
	err := t.do(name, call)
	t.untouched("the call", l)
	return err
}

// lendingCancelled is lending for a call whose context has ended.
func (t *trial) lendingCancelled(name string, l *lent, call func(ctx context.Context) error) {
	t.Helper()
	_ = t.lending(name+", whose context has ended", l, func(ctx context.Context) error {
		ctx, cancel := context.WithCancel(ctx)
		cancel()
		return call(ctx)
	})
}

// someOwners are owners that a store has to resolve, in no order.
func (t *trial) someOwners() []ownergraph.Owner {
	t.Helper()
	var list []ownergraph.Owner
	for _, name := range []string{"z", "y", "x"} {
		o := t.made("owner-" + name)
		ref := ownergraph.Owner{Key: o.Key, Block: name == "y"}
		if name != "x" {
			ref.Scope = ""
		}
		list = append(list, ref)
	}
	return append(list, ownergraph.Owner{Key: ownergraph.Key{Kind: unservedKind, Name: "owner", UID: "elsewhere"}})
}

// lists are the owners and finalizers of the objects of the laws. Some stores refuse some of
// them.
func (t *trial) lists() []ownergraph.Object {
	t.Helper()
	owners, names := t.someOwners(), []string{moreFinalizer, "example.org/a", holdFinalizer}
	twice := append(slices.Clone(owners[:2]), owners[0])
	return []ownergraph.Object{
		{Owners: owners[:3], Finalizers: names},
		{Owners: owners, Finalizers: names[:1]},
		{Owners: owners[:1], Finalizers: []string{holdFinalizer, moreFinalizer, holdFinalizer}},
		{Owners: twice, Finalizers: names[1:]},
		{Owners: owners[2:3]},
		{Finalizers: []string{"not a finalizer", ""}},
	}
}

func createLeavesItsObject(t *trial) {
	all, taken := &lent{}, t.made("taken")
	var made []ownergraph.Key
	for i, x := range t.lists() {
		x.Key = t.object(fmt.Sprintf("a%d", i)).Key
		o := all.object(x)
		call := func(ctx context.Context) error { _, err := t.Client.Create(ctx, o); return err }
		t.lendingCancelled("Client.Create of "+o.String(), all, call)
		o.Name = fmt.Sprintf("b%d", i)
		if t.lending("Client.Create of "+o.String(), all, call) == nil {
			made = append(made, o.Key)
		}
		o.Key = taken.Place()
		_ = t.lending("Client.Create of "+o.String()+", which is there,", all, call)
		o.Kind = unservedKind
		_ = t.lending("Client.Create of "+o.String()+", whose kind is not served,", all, call)
	}
	t.unkept("Client.Create", all, made...)
}

func updateLeavesItsObject(t *trial) {
	all, old := &lent{}, t.made("old")
	t.touch(old)
	var made []ownergraph.Key
	for i, x := range t.lists() {
		was := t.made(fmt.Sprintf("a%d", i), "example.org/first")
		x.Key, x.Version = was.Key, was.Version
		o := all.object(x)
		call := func(ctx context.Context) error { _, err := t.Client.Update(ctx, o); return err }
		t.lendingCancelled("Client.Update to "+o.String(), all, call)
		was = t.live(was.Key)
		o.Version = was.Version
		_ = t.lending("Client.Update to "+o.String(), all, call)
		o.Version = t.live(was.Key).Version
		_ = t.lending("Client.Update, which changes nothing, of "+o.String(), all, call)
		o.Key, o.Version = old.Key, old.Version
		_ = t.lending("Client.Update under a former version to "+o.String(), all, call)
		o.Key = t.object("absent").Key
		_ = t.lending("Client.Update of an absent object to "+o.String(), all, call)
		marked := t.marked(fmt.Sprintf("m%d", i))
		o.Key, o.Version = marked.Key, marked.Version
		_ = t.lending("Client.Update of a marked object to "+o.String(), all, call)
		made = append(made, was.Key)
	}
	t.unkept("Client.Update", all, made...)
}

// lentChanges are changes of an object with three owners and two finalizers.
func (t *trial) lentChanges(l *lent, o ownergraph.Object) []ownergraph.Change {
	t.Helper()
	absent, add := o.Owners[0], ownergraph.Owner{Key: t.made(fmt.Sprintf("added-%d", len(l.parts))).Key, Block: true}
	absent.UID = "another"
	add.Scope = ""
	list := []ownergraph.Change{
		{DropOwners: []ownergraph.Owner{o.Owners[2], absent, o.Owners[0]}, Unblock: []ownergraph.Owner{o.Owners[1], absent}, AddOwner: &add, DropFinalizer: holdFinalizer},
		{DropOwners: []ownergraph.Owner{absent, absent}, Unblock: []ownergraph.Owner{absent, o.Owners[0], absent}},
		{AddOwner: &ownergraph.Owner{Key: ownergraph.Key{Kind: unservedKind, Name: "owner", UID: "elsewhere"}}, AddFinalizer: "not a finalizer"},
		{AddOwner: &o.Owners[1], DropOwners: []ownergraph.Owner{o.Owners[1], o.Owners[0]}},
	}
	for i := range list {
		list[i] = l.lentChange(list[i])
	}
	return list
}

func patchLeavesItsChange(t *trial) {
	all := &lent{}
	var keys []ownergraph.Key
	for i := range 4 {
		o := t.full(fmt.Sprintf("a%d", i))
		three := append(slices.Clone(o.Owners), ownergraph.Owner{Key: t.made(fmt.Sprintf("third%d", i)).Key})
		former := exact(o)
		o.Owners = three
		o = t.update(o)
		key, pre, change := o.Key, exact(o), t.lentChanges(all, o)[i]
		call := func(ctx context.Context) error { return t.Store.Patch(ctx, key, pre, change) }
		what := fmt.Sprintf("Patch of %s with %s", o, formatChange(change))
		t.lendingCancelled(what, all, call)
		pre = former
		_ = t.lending(what+" under a former version", all, call)
		pre = exact(t.live(o.Key))
		_ = t.lending(what, all, call)
		pre = ownergraph.Precondition{}
		_ = t.lending(what+" once more", all, call)
		key = t.object("absent").Key
		_ = t.lending(what+", which is absent,", all, call)
		key.Kind = unservedKind
		_ = t.lending(what+", whose kind is not served,", all, call)
		key = t.marked(fmt.Sprintf("m%d", i)).Key
		_ = t.lending(fmt.Sprintf("Patch of a marked object with %s", formatChange(change)), all, call)
		keys = append(keys, o.Key)
	}
	t.unkept("Patch", all, keys...)
}

func deleteLeavesItsOptions(t *trial) {
	all := &lent{}
	var keys []ownergraph.Key
	for i, p := range []graph.Propagation{ownergraph.Background, ownergraph.Foreground, ownergraph.Orphan} {
		for j, seconds := range []int64{30, 0, -1, 30} {
			o := t.made(fmt.Sprintf("a%d%d", i, j), holdFinalizer)
			opts := ownergraph.DeleteOptions{Precondition: exact(o), Propagation: p, GraceSeconds: all.seconds(seconds), GraceAtMost: j == 3}
			for _, by := range []struct {
				name   string
				delete func(context.Context, ownergraph.Key, ownergraph.DeleteOptions) error
			}{{"Delete", t.Store.Delete}, {"Client.Delete", t.Client.Delete}} {
				what := fmt.Sprintf("%s of %s with a grace period of %d", by.name, o, seconds)
				call := func(ctx context.Context) error { return by.delete(ctx, o.Key, opts) }
				t.lendingCancelled(what, all, call)
				_ = t.lending(what, all, call)
				_ = t.lending(what+" once more", all, call)
				opts.Precondition = ownergraph.Precondition{}
			}
			keys = append(keys, o.Key)
		}
	}
	t.unkept("a deletion", all, keys...)
}

func labelLeavesItsLabels(t *trial) {
	labels := map[string]string{tagged: "1", "example.org/other": "two"}
	for _, name := range []string{"a", "b"} {
		t.label(t.made(name), labels)
		if len(labels) != 2 || labels[tagged] != "1" || labels["example.org/other"] != "two" {
			t.broken("Label leaves the labels as they are", fmt.Sprint(labels))
		}
	}
	labels[tagged] = "2"
	t.selects(tagged+"=1", 0, []string{"1"}, t.live(t.object("a").Key), t.live(t.object("b").Key))
}
