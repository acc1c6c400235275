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
	batchEffects    = "batch/effects"
	batchFinalizers = "batch/finalizers"
	batchOrder      = "batch/order"
	batchNeighbours = "batch/neighbours"
	batchErrors     = "batch/errors"
	batchWatch      = "batch/watch"
)

// lawsOfBatches are about ownergraph.Batcher.
func lawsOfBatches() []law {
	rests := append(writesRest(), patchAccepted, patchConflict, patchUnblock, patchDrop, deleteRemoves, "patch/drop-owners", "patch/add-owner", "patch/add-finalizer")
	beside := func(more ...string) []string { return append([]string{batchEffects}, more...) }
	list := []law{
		{
			name: batchEffects, rests: rests,
			why: "the engine fills a batch with the writes that it would make one by one",
			run: func(t *trial) { t.batchesWriteAlike(t.plainCases()) },
		},
		{
			name: batchFinalizers, rests: beside("delete/foreground", "delete/orphan"),
			why: "an object whose finalizers are ignored goes before its controller is done: one whose last finalizer was dropped stays for ever",
			run: func(t *trial) { t.batchesWriteAlike(t.heldCases()) },
		},
		{
			name: "batch/grace", excuse: GracePeriods, rests: beside(batchFinalizers, deleteAtMost),
			why: "the engine deletes the dependents of an owner in batches: without its grace period their agents cannot finish their work",
			run: func(t *trial) { t.batchesWriteAlike(t.gracedCases()) },
		},
		{
			name: "batch/embedded", rests: []string{readFresh},
			why: "a type that embeds the store may have a Delete of its own: the engine's batches would pass by it",
			run: embeddedStoresTakeNone,
		},
		{
			name: batchOrder, rests: beside(),
			why: "the engine takes the answer of one object for that of another: it repeats a write that is done, and forgets one that is not",
			run: batchesAnswerInOrder,
		},
		{
			name: batchNeighbours, rests: beside(batchOrder),
			why: "one busy object delays all others that are in a batch with it",
			run: batchesSpareNeighbours,
		},
		{
			name: batchErrors, rests: beside(batchNeighbours, "error/kind-unknown", "error/refused", patchVersion, patchUID),
			why: "the engine relies on each answer: after a conflict it judges again, and an object that is not found is gone",
			run: batchesTellErrors,
		},
		{
			name: "batch/largest", rests: beside(),
			why: "the writes that a store leaves out of a full batch are never made",
			run: batchesAreFull,
		},
		{
			name: batchWatch, rests: beside(batchFinalizers, watchSeveral, watchNoGap),
			why: "a change that no watch reports is not there for the engine, until the next listing",
			run: batchesAreReported,
		},
		{
			name: "batch/fence", level: ownergraph.Level2, needs: []need{needFencer}, rests: beside(batchWatch, fenceNotEarly),
			why: "a fence that passes before the changes of a batch removes an owner while a dependent still refers to it",
			run: batchesComeBeforeFences,
		},
		{
			name: "batch/alias", rests: beside(batchFinalizers, batchNeighbours, "alias/patch"),
			why: "the engine reuses the memory of a batch: a store that changes or keeps it writes another change",
			run: batchesAreCopied,
		},
		{
			name: "batch/together", rests: beside(batchErrors, "concurrency/one-wins"),
			why: "two engines judge one state and write batches: if both succeed, one has written to a state that it has not judged",
			run: batchesAtOnce,
		},
	}
	return withDemand(append(list, lawsOfFailingBatches()...), ownergraph.Level1, needBatcher)
}

func patchOf(o ownergraph.Object, c ownergraph.Change) ownergraph.Write {
	return ownergraph.Write{Type: graph.WritePatch, Key: o.Key, Precondition: exact(o), Change: c}
}

func deleteOf(o ownergraph.Object, p graph.Propagation) ownergraph.Write {
	return ownergraph.Write{Type: graph.WriteDelete, Key: o.Key, Options: ownergraph.DeleteOptions{Precondition: exact(o), Propagation: p}}
}

// batch sorts the writes and carries out a copy of them as one batch. The results are in
// the order of the writes.
func (t *trial) batch(ctx context.Context, writes []ownergraph.Write) (results []error, err error) {
	t.Helper()
	slices.SortFunc(writes, func(a, b ownergraph.Write) int { return a.Key.Compare(b.Key) })
	return t.batchOf(ctx, cloneWrites(writes))
}

// batchOf calls Batch with these writes, in this order and in this memory.
func (t *trial) batchOf(ctx context.Context, writes []ownergraph.Write) (results []error, err error) {
	t.Helper()
	b, _ := ownergraph.As[ownergraph.Batcher](t.Store)
	what := fmt.Sprintf("Batch of %d writes", len(writes))
	err = t.doWith(ctx, what, func(ctx context.Context) (err error) { results, err = b.Batch(ctx, writes); return err })
	if err == nil && len(results) != len(writes) {
		t.broken(what+" returns one result for each", fmt.Sprintf("it returned %d", len(results)))
	}
	return results, err
}

// batched is batch, and has to succeed as a whole.
func (t *trial) batched(writes ...ownergraph.Write) []error {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), t.patience)
	defer cancel()
	results, err := t.batch(ctx, writes)
	t.accept(fmt.Sprintf("Batch of %d writes", len(writes)), err)
	return results
}

// doneAll carries out a batch of which each write has to succeed.
func (t *trial) doneAll(writes ...ownergraph.Write) {
	t.Helper()
	for i, err := range t.batched(writes...) {
		t.accept(fmt.Sprintf("write %d of a batch: %s", i, writes[i]), err)
	}
}

// single carries out one write alone.
func (t *trial) single(w ownergraph.Write) error {
	t.Helper()
	if w.Type == graph.WriteDelete {
		return t.delete(w.Key, w.Options)
	}
	return t.patch(w.Key, w.Precondition, w.Change)
}

// writeCase makes an object of a name, and a write to it.
type writeCase struct {
	name  string
	made  func(name string) ownergraph.Object
	write func(o ownergraph.Object) ownergraph.Write
}

// plainCases are writes to objects that no finalizer holds.
func (t *trial) plainCases() []writeCase {
	t.Helper()
	x, y := t.made("x"), t.made("y")
	bare := func(name string) ownergraph.Object { return t.made(name) }
	full := func(name string) ownergraph.Object {
		o := t.owned(name, ownergraph.Owner{Key: x.Key, Block: true}, ownergraph.Owner{Key: y.Key, Block: true})
		o.Finalizers = []string{holdFinalizer, moreFinalizer}
		return t.update(o)
	}
	return []writeCase{
		{"adds", bare, func(o ownergraph.Object) ownergraph.Write {
			return patchOf(o, ownergraph.Change{AddFinalizer: holdFinalizer})
		}},
		{"changes", full, func(o ownergraph.Object) ownergraph.Write {
			return patchOf(o, ownergraph.Change{DropOwners: o.Owners[:1], Unblock: o.Owners[1:], DropFinalizer: holdFinalizer})
		}},
		{"owned", bare, func(o ownergraph.Object) ownergraph.Write {
			return patchOf(o, ownergraph.Change{AddOwner: &ownergraph.Owner{Key: x.Key, Block: true}})
		}},
		{"removed", bare, func(o ownergraph.Object) ownergraph.Write { return deleteOf(o, ownergraph.Background) }},
		{"other", func(name string) ownergraph.Object {
			return t.create(ownergraph.Object{Key: keyOf(t.second, name)})
		}, func(o ownergraph.Object) ownergraph.Write { return deleteOf(o, ownergraph.Background) }},
		{"unguarded", bare, func(o ownergraph.Object) ownergraph.Write {
			return ownergraph.Write{Type: graph.WriteDelete, Key: o.Key, Options: propagated(ownergraph.Background)}
		}},
	}
}

// heldCases are deletions of objects, and patches of the finalizers of marked ones.
func (t *trial) heldCases() []writeCase {
	held := func(name string) ownergraph.Object { return t.made(name, holdFinalizer) }
	deletion := func(p graph.Propagation) func(ownergraph.Object) ownergraph.Write {
		return func(o ownergraph.Object) ownergraph.Write { return deleteOf(o, p) }
	}
	drop := func(o ownergraph.Object) ownergraph.Write {
		return patchOf(o, ownergraph.Change{DropFinalizer: holdFinalizer})
	}
	return []writeCase{
		{"held", held, deletion(ownergraph.Background)},
		{"foreground", held, deletion(ownergraph.Foreground)},
		{"orphan", held, deletion(ownergraph.Orphan)},
		{"waiting", func(name string) ownergraph.Object { return t.made(name) }, deletion(ownergraph.Foreground)},
		{"dropped", func(name string) ownergraph.Object { return t.marked(name) }, drop},
		{"left", func(name string) ownergraph.Object { return t.marked(name, holdFinalizer, moreFinalizer) }, drop},
	}
}

// gracedCases are the deletions of law "delete/grace-at-most", with GraceAtMost and without it.
func (t *trial) gracedCases() (list []writeCase) {
	for i, c := range atMostCases() {
		for _, atMost := range []bool{false, true} {
			list = append(list, writeCase{
				fmt.Sprintf("graced%d-%t", i, atMost),
				func(name string) ownergraph.Object { return t.made(name, c.finalizers...) },
				func(o ownergraph.Object) ownergraph.Write {
					return ownergraph.Write{Type: graph.WriteDelete, Key: o.Key, Options: c.options(o, atMost)}
				},
			})
		}
	}
	return list
}

// batchesWriteAlike makes two objects for each case. A batch writes to the first ones, and
// single calls to the others.
func (t *trial) batchesWriteAlike(cases []writeCase) {
	t.Helper()
	var writes []ownergraph.Write
	var pairs [][2]ownergraph.Object
	for _, c := range cases {
		o, other := c.made("b-"+c.name), c.made("s-"+c.name)
		writes, pairs = append(writes, c.write(o)), append(pairs, [2]ownergraph.Object{o, other})
		if err := t.single(c.write(other)); err != nil {
			t.unable("%s alone: %v", c.write(other), err)
		}
	}
	t.doneAll(writes...)
	for _, p := range pairs {
		now, err := t.get(p[0].Key)
		alone, errAlone := t.get(p[1].Key)
		if errors.Is(errAlone, graph.ErrNotFound) {
			if err == nil {
				t.broken(fmt.Sprintf("a batch removes %s, as a single call does", p[0]), "there is "+now.String())
			}
			continue
		}
		t.accept(fmt.Sprintf("Get of %s after a single write", p[1]), errAlone)
		t.accept(fmt.Sprintf("Get of %s after a batch", p[0]), err)
		alone.Key = now.Key
		t.wantContent(fmt.Sprintf("%s after a batch", p[0]), alone, now)
	}
}

// embedded is another store than the one that it embeds.
type embedded struct{ ownergraph.Store }

func embeddedStoresTakeNone(t *trial) {
	b, _ := ownergraph.As[ownergraph.Batcher](t.Store)
	most := b.MaxBatch(t.Store)
	for _, of := range []ownergraph.Store{embedded{t.Store}, &embedded{t.Store}, nil} {
		if n := b.MaxBatch(of); n > 1 {
			t.broken(fmt.Sprintf("MaxBatch of another store, as of a %T, is below 2", of), fmt.Sprint(n))
		}
	}
	if n := b.MaxBatch(t.Store); n != most {
		t.broken(fmt.Sprintf("MaxBatch of the store is always the same: %d", most), fmt.Sprint(n))
	}
}

// batchesAreFull deletes as many objects as one batch may have.
func batchesAreFull(t *trial) {
	const most = 512 // creating more takes too long
	b, _ := ownergraph.As[ownergraph.Batcher](t.Store)
	n := min(b.MaxBatch(t.Store), most)
	rest := t.made("rest")
	var writes []ownergraph.Write
	for i := range n {
		writes = append(writes, deleteOf(t.made(fmt.Sprintf("a%03d", i)), ownergraph.Background))
	}
	t.doneAll(writes...)
	for _, w := range writes {
		t.absent(fmt.Sprintf("after a batch of %d deletions", n), w.Key)
	}
	t.wantSame("an object that is in no batch", rest, t.live(rest.Key))
}

// someWrites makes objects of two kinds, and writes of every sort to them.
func (t *trial) someWrites() (writes []ownergraph.Write) {
	t.Helper()
	for i := range 4 {
		writes = append(writes,
			patchOf(t.made(fmt.Sprintf("patched%d", i)), ownergraph.Change{AddFinalizer: holdFinalizer}),
			deleteOf(t.made(fmt.Sprintf("removed%d", i)), ownergraph.Background),
			deleteOf(t.made(fmt.Sprintf("marked%d", i), holdFinalizer), ownergraph.Background),
			deleteOf(t.create(ownergraph.Object{Key: keyOf(t.second, fmt.Sprintf("other%d", i))}), ownergraph.Background))
	}
	return writes
}

func batchesAreReported(t *trial) {
	writes := t.someWrites()
	w := t.watch().ready()
	t.doneAll(writes...)
	for _, x := range writes {
		now, err := t.get(x.Key)
		w.mustSee(fmt.Sprintf("the watch reports the effect of %s in a batch", x), func(r *replica) bool {
			if err != nil {
				return !r.hasPlace(x.Key)
			}
			return r.knows(now)
		})
	}
}

// batchesComeBeforeFences pauses the watch while a batch is written and a fence begins.
func batchesComeBeforeFences(t *trial) {
	writes := t.someWrites()
	w := t.watchStepped()
	w.pauseListed()
	t.doneAll(writes...)
	j := &journal{}
	for _, x := range writes {
		if now, err := t.get(x.Key); err == nil {
			j.put(now)
		} else {
			j.gone(ownergraph.Object{Key: x.Key})
		}
	}
	id := t.fence()
	w.free()
	t.mustPass(w, id)
	t.notEarly(w, j, map[uint64]int{id: j.last()})
}

// batchesAreCopied changes the memory of a batch after the call.
func batchesAreCopied(t *trial) {
	o, owner, seconds := t.full("a"), ownergraph.Owner{Key: t.made("z").Key, Block: true}, int64(0)
	gone := t.made("b", holdFinalizer)
	write := patchOf(o, ownergraph.Change{DropOwners: slices.Clone(o.Owners[1:]), Unblock: slices.Clone(o.Owners[:1]), AddOwner: &owner})
	want := write.Change.Apply(o)
	writes := []ownergraph.Write{write, deleteOf(gone, ownergraph.Background)}
	writes[1].Options.GraceSeconds = &seconds
	before := batchText(writes)
	ctx, cancel := context.WithTimeout(t.Context(), t.patience)
	defer cancel()
	results, err := t.batchOf(ctx, writes)
	t.accept("a Batch of two writes", errors.Join(append(results, err)...))
	if after := batchText(writes); after != before {
		t.broken("a Batch leaves its writes as they are: "+before, after)
	}
	write.Change.DropOwners[0], write.Change.Unblock[0], owner, seconds = ownergraph.Owner{}, ownergraph.Owner{}, ownergraph.Owner{}, 30
	clear(writes)
	t.wantContent("after a Batch, when its writes have been changed", want, t.live(o.Key))
	gone.Deleting = true
	t.wantContent("after a Batch, when its writes have been changed", gone, t.live(gone.Key))
	t.batchesAreKept()
}

func batchText(writes []ownergraph.Write) string {
	var text string
	for _, w := range writes {
		text += fmt.Sprintf("%s %+v %s %+v; ", w, w.Precondition, formatChange(w.Change), w.Options.Precondition)
		if w.Options.GraceSeconds != nil {
			text += fmt.Sprintf("grace %d, at most %t; ", *w.Options.GraceSeconds, w.Options.GraceAtMost)
		}
	}
	return text
}
