package storetest

import (
	"context"
	"fmt"
	"slices"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
)

// listsAreKept writes to objects in every way, and compares all lists that the store
// handed out or was given with their first content.
func listsAreKept(t *trial) {
	k := &keeper{}
	z := ownergraph.Owner{Key: t.made("z").Key, Block: true}
	t.watchWith(k.see).ready()
	for i, p := range []graph.Propagation{ownergraph.Foreground, ownergraph.Orphan, ownergraph.Background} {
		o := t.full(fmt.Sprint("a", i))
		late := t.watchWith(k.see).ready() // it lists the object
		o = t.kept(k, o, "a Create", late)
		for n := range 5 {
			change := []ownergraph.Change{
				{Unblock: slices.Clone(o.Owners[:1])}, {AddOwner: &z}, {DropFinalizer: moreFinalizer}, {AddFinalizer: "example.org/third"}, {DropOwners: slices.Clone(o.Owners[:1])},
			}[n]
			step := "a Patch: " + formatChange(change)
			k.add("the change of "+step, func() string { return formatChange(change) })
			t.accept(step, t.patch(o.Key, exact(o), change))
			o = t.kept(k, o, step, late)
		}
		o = t.update(withFinalizers(o.Clone(), "example.org/fourth", holdFinalizer))
		k.object("the answer of Client.Update", o)
		o = t.kept(k, o, "an Update", late)
		seconds := int64(0)
		opts := ownergraph.DeleteOptions{Precondition: exact(o), Propagation: p, GraceSeconds: &seconds}
		k.add("the grace period of a Delete", func() string { return fmt.Sprint(seconds) })
		t.accept("Delete", t.do("Delete", func(ctx context.Context) error { return t.Store.Delete(ctx, o.Key, opts) }))
		o = t.kept(k, o, fmt.Sprintf("a Delete: %s", p), late)
		t.update(withFinalizers(o.Clone()))
		late.mustSee(fmt.Sprintf("the watch reports that %s is gone", o.Key), func(r *replica) bool { return !r.has(o.Key) })
		t.check(k, "the end of "+place(o.Key))
	}
}

// kept reads the object twice after a step, keeps the first answer, and waits for the
// watch. It returns a copy of the second answer.
func (t *trial) kept(k *keeper, o ownergraph.Object, step string, w *watcher) ownergraph.Object {
	t.Helper()
	t.check(k, step)
	k.object("the answer of a Get after "+step, t.live(o.Key))
	now := t.live(o.Key).Clone()
	w.mustSee("the watch reports "+now.String(), func(r *replica) bool { return r.knows(now) })
	t.check(k, step)
	return now
}

// pagesAreCopied keeps a page while labels change, and changes the page.
func pagesAreCopied(t *trial) {
	var objects []ownergraph.Object
	for i := range 4 {
		objects = append(objects, t.label(t.made(fmt.Sprint("a", i)), map[string]string{tagged: "1"}))
	}
	q := ownergraph.SelectRequest{Kind: t.main.Kind, Selector: tagged + "=1", Label: tagged}
	k := &keeper{}
	for i := range objects {
		page, err := t.trySelect(q)
		t.accept("Select", err)
		k.add("a page of Select", func() string { return fmt.Sprintf("%+v", page) })
		other, err := t.trySelect(q)
		t.accept("Select", err)
		clear(other.Objects)
		t.selects(q.Selector, 0, []string{"1"}, objects[i:]...)
		t.label(objects[i], nil)
		t.selects(q.Selector, 0, []string{"1"}, objects[i+1:]...)
		t.check(k, "other labels of "+place(objects[i].Key))
	}
}

// recordValuesAreKept keeps the values of reads, and of the arguments of writes.
func (t *trial) recordValuesAreKept() {
	t.Helper()
	power, _ := ownergraph.As[ownergraph.Records](t.Store)
	k := &keeper{}
	version := ownergraph.Version("")
	for i := range 4 {
		value := fmt.Appendf(nil, "value %d", i)
		k.add("the value of a WriteRecord", func() string { return string(value) })
		t.accept("WriteRecord", t.do("WriteRecord", func(ctx context.Context) (err error) {
			version, err = power.WriteRecord(ctx, "kept", value, version)
			return err
		}))
		t.check(k, "another WriteRecord")
		r, err := t.readRecord("kept")
		t.accept("ReadRecord", err)
		longer := append(r.Value, "kept"...)
		k.add("the answer of a ReadRecord", func() string { return string(r.Value) })
		k.add("the answer of a ReadRecord, which appends to it,", func() string { return string(longer) })
		_, err = t.readRecord("a")
		t.accept("ReadRecord", err)
		t.check(k, "another ReadRecord")
	}
}

// batchesAreKept keeps the results of batches, and their writes.
func (t *trial) batchesAreKept() {
	t.Helper()
	k := &keeper{}
	for i := range 3 {
		o := t.full(fmt.Sprint("kept", i))
		old := t.made(fmt.Sprint("old", i))
		t.touch(old)
		writes := []ownergraph.Write{
			patchOf(o, ownergraph.Change{DropOwners: slices.Clone(o.Owners[1:]), Unblock: slices.Clone(o.Owners[:1])}),
			patchOf(old, ownergraph.Change{AddFinalizer: holdFinalizer}),
		}
		if i%2 == 1 { // the other way round
			writes[1].Precondition = ownergraph.Precondition{}
		}
		slices.SortFunc(writes, func(a, b ownergraph.Write) int { return a.Key.Compare(b.Key) })
		ctx, cancel := context.WithTimeout(t.Context(), t.patience)
		results, err := t.batchOf(ctx, writes)
		cancel()
		t.accept("a Batch of two writes", err)
		k.add("the result of a Batch", func() string { return fmt.Sprint(results) })
		k.add("a write of a Batch", func() string { return batchText(writes) })
		t.touch(t.live(o.Key))
		t.check(k, "another Batch")
	}
}
