package storetest

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
)

func batchLeavesItsWrites(t *trial) {
	all := &lent{}
	var keys []ownergraph.Key
	for i := range 3 {
		o := t.full(fmt.Sprintf("a%d", i))
		o.Owners = append(slices.Clone(o.Owners), ownergraph.Owner{Key: t.made(fmt.Sprintf("third%d", i)).Key})
		o = t.update(o)
		gone, held := t.made(fmt.Sprintf("b%d", i)), t.made(fmt.Sprintf("c%d", i), holdFinalizer)
		absent := gone
		absent.Name = "d-absent"
		writes := []ownergraph.Write{patchOf(o, t.lentChanges(all, o)[i]), deleteOf(gone, ownergraph.Background), deleteOf(held, ownergraph.Foreground), patchOf(absent, t.lentChanges(all, o)[i])}
		writes[2].Options.GraceSeconds, writes[2].Options.GraceAtMost = all.seconds(int64(15*i)), i == 2
		slices.SortFunc(writes, func(a, b ownergraph.Write) int { return a.Key.Compare(b.Key) })
		array := append(slices.Clone(writes), ownergraph.Write{Key: lentOwner.Key})
		all.parts = append(all.parts, batchPart(array, len(writes)))
		writes = array[:len(writes):len(array)]
		what := fmt.Sprintf("Batch of %d writes, the first one %s with %s", len(writes), writes[0], formatChange(writes[0].Change))
		b, _ := ownergraph.As[ownergraph.Batcher](t.Store)
		call := func(ctx context.Context) error { _, err := b.Batch(ctx, writes); return err }
		t.lendingCancelled(what, all, call)
		_ = t.lending(what, all, call)
		_ = t.lending(what+" once more", all, call)
		keys = append(keys, o.Key)
	}
	t.unkept("a batch", all, keys...)
}

// batchPart is the memory of the writes themselves. Their lists are parts of their own.
func batchPart(array []ownergraph.Write, n int) lentPart {
	text := func(w ownergraph.Write) string { return batchText([]ownergraph.Write{w}) }
	var was []string
	for _, w := range array {
		was = append(was, text(w))
	}
	return lentPart{
		change: func() string {
			for i, w := range array {
				if now := text(w); now != was[i] && i < n {
					return fmt.Sprintf("write %d was %s and is now %s", i, was[i], now)
				} else if now != was[i] {
					return fmt.Sprintf("the array behind the writes was written after its end: %s", now)
				}
			}
			return ""
		},
		spoil: func() { clear(array) },
	}
}

func writeRecordLeavesItsValue(t *trial) {
	all := &lent{}
	power, _ := ownergraph.As[ownergraph.Records](t.Store)
	var version ownergraph.Version
	for i, text := range []string{"{ \"b\": 1,  \"a\": 2 }\n", "second", "second", ""} {
		value := all.value(text)
		write := func(v ownergraph.Version) func(context.Context) error {
			return func(ctx context.Context) error {
				next, err := power.WriteRecord(ctx, "a", value, v)
				if err == nil {
					version = next
				}
				return err
			}
		}
		what := fmt.Sprintf("WriteRecord of %q", text)
		t.lendingCancelled(what, all, write(version))
		if i > 0 {
			if now, err := t.readRecord("a"); err == nil {
				version = now.Version
			}
		}
		former := version
		t.accept(what, t.lending(what, all, write(former)))
		_ = t.lending(what+" at a former version", all, func(ctx context.Context) error {
			_, err := power.WriteRecord(ctx, "a", value, former)
			return err
		})
		want := ownergraph.Record{Value: []byte(text), Version: version}
		t.wantRecord("after "+what, "a", want)
	}
	want, err := t.readRecord("a")
	t.accept("ReadRecord", err)
	t.untouched("WriteRecord", all)
	for _, p := range all.parts {
		p.spoil()
	}
	t.wantRecord("after its value was used for something else", "a", want)
}

// rounds is the number of rounds in which calls share their arguments.
const rounds = 12

// callsShareTheirArguments: several users and engines use the same lists at once, for objects of
// two scopes. Another goroutine looks at the lists meanwhile.
func callsShareTheirArguments(t *trial) {
	owners := t.someOwners()[:2] // without a scope
	x := &shared{trial: t, owners: owners, lent: &lent{}}
	x.list, x.names = x.lent.owners("Owners", owners...), x.lent.finalizers("Finalizers", moreFinalizer, holdFinalizer)
	x.add, x.grace = x.lent.owner("AddOwner", owners[0]), x.lent.seconds(0)
	for round := range rounds {
		stop := x.look()
		errs := t.together(func(ctx context.Context, i int) error { return x.use(ctx, fmt.Sprintf("a%d-%d", round, i), i%2 == 0) })
		if seen := stop(); seen != "" {
			t.broken("no call writes into the memory of its arguments, not even for a moment", seen)
		}
		t.untouched("each of several calls at once", x.lent)
		if err := errors.Join(errs...); err != nil {
			t.broken("several calls at once use the same lists of owners and finalizers", errs[slices.IndexFunc(errs, func(err error) bool { return err != nil })].Error())
		}
	}
}

// shared has the arguments that several calls share.
type shared struct {
	*trial
	lent   *lent
	owners []ownergraph.Owner
	list   []ownergraph.Owner
	names  []string
	add    *ownergraph.Owner
	grace  *int64
}

// use makes one call after another. Their results have the owners of the object's own scope.
func (x *shared) use(ctx context.Context, name string, one bool) error {
	key := x.object(name).Key
	if key.Scope != "" && !one {
		key.Scope = scopeTwo
	}
	made, err := x.Client.Create(ctx, ownergraph.Object{Key: key, Owners: x.list, Finalizers: x.names})
	if err != nil {
		return ignoreRefusal(err)
	}
	now, err := x.judge(ctx, "Client.Create", made.Key, x.owners...)
	if err != nil {
		return err
	}
	if err := x.Store.Patch(ctx, now.Key, exact(now), ownergraph.Change{DropOwners: now.Owners, AddOwner: x.add}); err != nil {
		return ignoreRefusal(err)
	}
	if now, err = x.judge(ctx, "Patch", now.Key, x.owners[0]); err != nil {
		return err
	}
	if _, err = x.Client.Update(ctx, ownergraph.Object{Key: now.Key, Version: now.Version, Owners: x.list, Finalizers: x.names}); err != nil {
		return ignoreRefusal(err)
	}
	next, err := x.judge(ctx, "Client.Update", now.Key, x.owners...)
	if err != nil {
		return err
	}
	return x.Store.Delete(ctx, next.Key, ownergraph.DeleteOptions{Precondition: exact(next), Propagation: ownergraph.Background, GraceSeconds: x.grace})
}

// ignoreRefusal returns nil for a refusal. The store may refuse an owner of another scope.
func ignoreRefusal(err error) error {
	if errors.Is(err, graph.ErrRefused) || errors.Is(err, graph.ErrInvalid) {
		return nil
	}
	return err
}

// judge reads the object. It returns an error if the object lacks an owner, or has it in a scope
// of another object.
func (x *shared) judge(ctx context.Context, what string, key ownergraph.Key, owners ...ownergraph.Owner) (ownergraph.Object, error) {
	o, err := x.Store.Get(ctx, key)
	if err != nil {
		return o, err
	}
	if len(o.Owners) != len(owners) {
		return o, fmt.Errorf("%s of an object with %d owners left %s", what, len(owners), o)
	}
	for _, r := range o.Owners {
		if !r.Unresolved && r.Scope != o.Scope || !slices.ContainsFunc(owners, func(w ownergraph.Owner) bool { return w.UID == r.UID && w.Name == r.Name }) {
			return o, fmt.Errorf("%s gave %s the owner %s, which has the scope of another object", what, place(o.Key), r)
		}
	}
	return o, nil
}

// prompt is the number of looks without a wait between them.
const prompt = 1 << 12

// look looks at the lists until stop. It reads single words only: a store that writes them
// would tear longer ones. After some looks it waits a little before each one, because a store
// may wait for a time of testing/synctest. Stop returns the first difference.
func (x *shared) look() (stop func() string) {
	over, seen := make(chan struct{}), ""
	var wg sync.WaitGroup
	wg.Go(func() {
		begun := time.Now()
		for n := 0; seen == ""; n++ {
			seen = x.written()
			if isOver(over, n, time.Since(begun)/256) {
				return
			}
		}
	})
	return func() string {
		close(over)
		wg.Wait()
		return seen
	}
}

// isOver reports whether the looks are over, after the wait for the next one.
func isOver(over <-chan struct{}, looks int, wait time.Duration) bool {
	if looks < prompt {
		runtime.Gosched()
		select {
		case <-over:
			return true
		default:
			return false
		}
	}
	select {
	case <-over:
		return true
	case <-time.After(max(wait, time.Microsecond)):
		return false
	}
}

func (x *shared) written() string {
	array := x.list[:cap(x.list)]
	for i, r := range x.owners {
		if now := &array[i]; len(now.Scope) != len(r.Scope) || len(now.UID) != len(r.UID) || now.Unresolved != r.Unresolved || now.Block != r.Block {
			return fmt.Sprintf("Owners[%d] was %s, and had other flags or another scope during a call", i, r)
		}
	}
	if len(array[len(x.list)].UID) != len(lentOwner.UID) {
		return "the array behind Owners was written after its end during a call"
	}
	if now := x.add; len(now.Scope) != len(x.owners[0].Scope) || now.Unresolved != x.owners[0].Unresolved {
		return fmt.Sprintf("AddOwner was %s, and had another scope during a call", x.owners[0])
	}
	if *x.grace != 0 {
		return "GraceSeconds was 0, and was something else during a call"
	}
	return ""
}
