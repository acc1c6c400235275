package storetest

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/archive"
	"github.com/ownergraph/ownergraph/graph"
)

const (
	archiveEntry    = "archive/entry"
	archiveExplicit = "archive/explicit"
	archiveRestore  = "archive/restore"
)

// lawsOfArchive are about archive.Store. See package archive.
func lawsOfArchive() []law {
	rests := []string{readAbsent, deleteMarks, patchAccepted, patchDrop, deleteRemoves, lastFinalizer, readMarked, "delete/orphan", "delete/background", "delete/foreground"}
	beside := func(more ...string) []string { return slices.Concat(rests, []string{archiveEntry}, more) }
	list := []law{
		{
			name: archiveEntry, rests: rests,
			why: "an object without an entry cannot come back, and one with an entry of another state comes back as that",
			run: eachEndHasAnEntry,
		},
		{
			name: archiveExplicit, rests: beside(),
			why: "a restore brings back what a cascade took: without the word it undoes a user's deletion, too, or leaves the cascade away",
			run: usersMakeEntriesExplicit,
		},
		{
			name: "archive/orphaning", rests: beside(),
			why: "the dependents of an orphan-deleted owner have dropped it: without the word they do not come back",
			run: orphaningIsNoted,
		},
		{
			name: "archive/batch", needs: []need{needBatcher}, rests: beside(archiveExplicit, batchEffects, batchFinalizers, batchNeighbours),
			why: "the engine deletes the dependents of an owner in batches: without entries and causes none of them comes back",
			run: batchesLeaveEntries,
		},
		{
			name: "archive/nothing-lost", rests: beside("delete/conflict-changes-nothing"),
			why: "an entry of a living object restores a second one beside it",
			run: refusedDeletionsLeaveNoEntry,
		},
		{
			name: "archive/commit-failed", needs: []need{needFailCommits}, rests: beside("archive/nothing-lost", "commit/failed", "commit/unanswered"),
			why: "the removal and the entry are one commit: an object that goes without its entry is lost",
			run: failedCommitsKeepObjectOrEntry,
		},
		{
			name: "archive/pages", rests: beside(archiveExplicit),
			why: "a restore reads the entries by their owners: one that no page brings is missing without a word",
			run: pagesBringEachEntry,
		},
	}
	return withDemand(append(list, lawsOfArchiveRestores(beside)...), ownergraph.Level1, needArchive)
}

func (t *trial) archive() archive.Store {
	a, _ := ownergraph.As[archive.Store](t.Store)
	return a
}

// entries reads all entries that a query selects, page by page.
func (t *trial) entries(q archive.Query) (all []archive.Entry) {
	t.Helper()
	for {
		var page archive.Page
		err := t.do("Entries", func(ctx context.Context) (err error) { page, err = t.archive().Entries(ctx, q); return err })
		t.accept(fmt.Sprintf("Entries of %+v", q), err)
		all = append(all, page.Entries...)
		if q.After = page.More; page.More == "" {
			return all
		}
		if len(page.Entries) == 0 || len(all) > archive.MaxPage {
			t.broken(fmt.Sprintf("the pages of %+v end", q), fmt.Sprintf("after %d entries there is a page %q with %d more", len(all), page.More, len(page.Entries)))
		}
	}
}

// entry reads the only entry of an object.
func (t *trial) entry(when string, key ownergraph.Key) archive.Entry {
	t.Helper()
	all := t.entries(archive.Query{UIDs: []graph.UID{key.UID}})
	if len(all) != 1 || all[0].Object.Key != key {
		t.broken(fmt.Sprintf("%s: the archive has one entry of %s", when, key), fmt.Sprintf("it has %d: %s", len(all), formatEntries(all)))
	}
	return all[0]
}

// noEntry breaks the law if there is an entry of the object.
func (t *trial) noEntry(when string, key ownergraph.Key) {
	t.Helper()
	if all := t.entries(archive.Query{UIDs: []graph.UID{key.UID}}); len(all) != 0 {
		t.broken(fmt.Sprintf("%s: the archive has no entry of %s", when, key), formatEntries(all))
	}
}

func formatEntries(all []archive.Entry) (text string) {
	for i := range all {
		e := &all[i]
		text += fmt.Sprintf("%s, explicit %t, orphaning %t, root %q, holder %q, restored %q; ", e.Object, e.Explicit, e.Orphaning, e.Cause.Root.UID, e.Cause.Holder.UID, e.Restored.UID)
	}
	return text
}

// words are what an entry says of the deletions of its object.
type words struct {
	explicit, orphaning bool
	cause               *graph.Cause // nil: none
}

// wantEntry compares the entry of an object with its last state, and with the finalizers before its mark.
func (t *trial) wantEntry(when string, last ownergraph.Object, finalizers []string, w words) {
	t.Helper()
	e, cause := t.entry(when, last.Key), graph.Cause{}
	if w.cause != nil {
		cause = *w.cause
	}
	same := e.Object.Version == last.Version && sameRefs(e.Object.Owners, last.Owners) && sameFinalizers(e.Object.Finalizers, finalizers)
	if !same || e.Explicit != w.explicit || e.Orphaning != w.orphaning || e.Cause != cause || e.Restored.UID != "" || e.At.IsZero() {
		last.Finalizers = finalizers
		want := archive.Entry{Object: last, Explicit: w.explicit, Orphaning: w.orphaning, Cause: cause}
		t.broken(when+": the entry is "+formatEntries([]archive.Entry{want}), formatEntries([]archive.Entry{e})+fmt.Sprintf("it ended at %s", e.At))
	}
}

// dependent creates an object that refers to the owner, by a policy if the store takes one.
func (t *trial) dependent(name string, owner ownergraph.Key, finalizers ...string) ownergraph.Object {
	t.Helper()
	o := t.object(name, finalizers...)
	o.Owners = []ownergraph.Owner{{Key: owner, Block: true, OnDelete: graph.OnDeleteCascade}}
	made, err := t.tryCreate(o)
	if errors.Is(err, graph.ErrInvalid) {
		o.Owners[0].OnDelete = graph.OnDeleteUnset
		made, err = t.tryCreate(o)
	}
	if err != nil {
		t.unable("Client.Create %s: %v", o, err)
	}
	return made
}

// engineDelete deletes an object because of another one, as an engine does.
func (t *trial) engineDelete(o ownergraph.Object, cause graph.Cause) {
	t.Helper()
	opts := ownergraph.DeleteOptions{Precondition: exact(o), Propagation: ownergraph.Background, Cause: &cause}
	t.accept(fmt.Sprintf("Delete of %s because of %s", o, cause.Root), t.delete(o.Key, opts))
}

func (t *trial) dropFinalizer(o ownergraph.Object, finalizer string) {
	t.Helper()
	t.accept(fmt.Sprintf("Patch of %s that drops %s", o, finalizer), t.patch(o.Key, exact(o), ownergraph.Change{DropFinalizer: finalizer}))
}

// eachEndHasAnEntry removes an object in each way, and reads its entry.
func eachEndHasAnEntry(t *trial) {
	owner := t.made("owner")
	cause := graph.Cause{Root: owner.Key, Holder: owner.Key}
	a := t.dependent("a", owner.Key)
	t.noEntry("before its end", a.Key)
	t.remove(a)
	t.wantEntry("a user has removed it", a, nil, words{explicit: true})
	b := t.dependent("b", owner.Key)
	t.engineDelete(b, cause)
	t.wantEntry("an engine has removed it", b, nil, words{cause: &cause})
	for _, update := range []bool{false, true} {
		c := t.dependent(fmt.Sprint("c-", update), owner.Key, holdFinalizer, moreFinalizer)
		t.engineDelete(c, cause)
		t.dropFinalizer(t.live(c.Key), holdFinalizer)
		last := t.live(c.Key)
		t.noEntry("it is marked", c.Key)
		if update {
			t.update(withFinalizers(last))
		} else {
			t.dropFinalizer(last, moreFinalizer)
		}
		t.absent("the last finalizer is gone", c.Key)
		t.wantEntry("its last finalizer has gone", last, c.Finalizers, words{cause: &cause})
	}
	again := t.dependent("a", owner.Key)
	t.remove(again)
	t.wantEntry("another object of the name has ended", again, nil, words{explicit: true})
	t.wantEntry("another object of the name has ended", a, nil, words{explicit: true})
}

// usersMakeEntriesExplicit deletes objects several times, by users and by engines.
func usersMakeEntriesExplicit(t *trial) {
	root := t.made("root")
	first, second := graph.Cause{Root: root.Key}, graph.Cause{Root: root.Key, Holder: root.Key}
	user := func(o ownergraph.Object) { t.userDelete(o.Key, propagated(ownergraph.Background)) }
	engine := func(c graph.Cause) func(ownergraph.Object) {
		return func(o ownergraph.Object) { t.engineDelete(o, c) }
	}
	for i, c := range []struct {
		deletions []func(ownergraph.Object)
		want      words
		reason    string
	}{
		{[]func(ownergraph.Object){user}, words{explicit: true}, "a user has deleted it"},
		{[]func(ownergraph.Object){engine(first)}, words{cause: &first}, "an engine has deleted it"},
		{[]func(ownergraph.Object){engine(first), user}, words{explicit: true, cause: &first}, "a user has deleted it after an engine's mark"},
		{[]func(ownergraph.Object){user, engine(first)}, words{explicit: true, cause: &first}, "an engine has deleted it after a user's mark"},
		{[]func(ownergraph.Object){engine(first), engine(second)}, words{cause: &second}, "two engines have deleted it, and the last one counts"},
	} {
		o := t.made(fmt.Sprint("o", i), holdFinalizer)
		for _, del := range c.deletions {
			del(t.live(o.Key))
		}
		last := t.live(o.Key)
		t.dropFinalizer(last, holdFinalizer)
		t.wantEntry(c.reason, last, o.Finalizers, c.want)
	}
}

// orphaningIsNoted ends orphan deletions, and takes others back.
func orphaningIsNoted(t *trial) {
	a := t.made("a")
	t.userDelete(a.Key, propagated(ownergraph.Orphan))
	last := t.live(a.Key)
	t.dropFinalizer(last, graph.FinalizerOrphan)
	t.wantEntry("its orphan deletion has ended", last, nil, words{explicit: true, orphaning: true})
	b := t.made("b", holdFinalizer)
	t.userDelete(b.Key, propagated(ownergraph.Orphan))
	t.dropFinalizer(t.live(b.Key), graph.FinalizerOrphan)
	last = t.live(b.Key)
	t.dropFinalizer(last, holdFinalizer)
	t.wantEntry("its orphan deletion has ended before another finalizer", last, b.Finalizers, words{explicit: true, orphaning: true})
	c := t.made("c", holdFinalizer)
	t.userDelete(c.Key, propagated(ownergraph.Orphan))
	t.userDelete(c.Key, propagated(ownergraph.Background))
	last = t.live(c.Key)
	t.dropFinalizer(last, holdFinalizer)
	t.wantEntry("a background deletion has taken the orphaning back", last, c.Finalizers, words{explicit: true})
}

// batchesLeaveEntries removes objects in a batch, beside a write that fails.
func batchesLeaveEntries(t *trial) {
	root := t.made("root")
	cause := graph.Cause{Root: root.Key}
	a, b, c, d := t.dependent("a", root.Key), t.dependent("b", root.Key), t.dependent("c", root.Key, holdFinalizer), t.made("d")
	t.engineDelete(c, cause)
	last := t.live(c.Key)
	caused, failing := deleteOf(a, ownergraph.Background), deleteOf(d, ownergraph.Background)
	caused.Options.Cause, failing.Options.Precondition.UID = &cause, a.UID
	results := t.batched(caused, deleteOf(b, ownergraph.Background), patchOf(last, ownergraph.Change{DropFinalizer: holdFinalizer}), failing)
	t.accept("the first three writes of a batch", errors.Join(results[:3]...))
	t.wantEntry("an engine has removed it in a batch", a, nil, words{cause: &cause})
	t.wantEntry("it was removed in a batch without a cause", b, nil, words{explicit: true})
	t.wantEntry("its last finalizer has gone in a batch", last, c.Finalizers, words{cause: &cause})
	t.noEntry("its deletion in a batch has failed", d.Key)
}

// refusedDeletionsLeaveNoEntry deletes under preconditions that do not hold.
func refusedDeletionsLeaveNoEntry(t *trial) {
	o, held := t.made("a"), t.marked("b")
	other := t.touch(t.made("c"))
	for _, pre := range []ownergraph.Precondition{{UID: o.UID, Version: other.Version}, {UID: other.UID, Version: o.Version}} {
		what := fmt.Sprintf("Delete of %s under %s and %s", o, pre.UID, pre.Version)
		t.refuse(what, t.delete(o.Key, ownergraph.DeleteOptions{Precondition: pre}))
		t.noEntry(what, o.Key)
		t.wantSame(what, o, t.live(o.Key))
		what = fmt.Sprintf("Patch of %s under %s and %s", held, pre.UID, pre.Version)
		t.refuse(what, t.patch(held.Key, pre, ownergraph.Change{DropFinalizer: holdFinalizer}))
		t.noEntry(what, held.Key)
		t.wantSame(what, held, t.live(held.Key))
	}
}

// failedCommitsKeepObjectOrEntry deletes while commits fail, before and after they are done.
func failedCommitsKeepObjectOrEntry(t *trial) {
	for _, done := range []bool{false, true} {
		o, held := t.made(fmt.Sprint("a-", done)), t.marked(fmt.Sprint("b-", done))
		end := t.begin("FailCommits", func(ctx context.Context) (func(context.Context) error, error) { return t.FailCommits(ctx, done) })
		_ = t.delete(o.Key, ownergraph.DeleteOptions{Precondition: exact(o)})
		_ = t.patch(held.Key, exact(held), ownergraph.Change{DropFinalizer: holdFinalizer})
		end()
		for _, x := range []ownergraph.Object{o, held} {
			when := fmt.Sprintf("the commit of its removal has failed, and was done: %t", done)
			if _, err := t.get(x.Key); err == nil {
				t.noEntry(when+", and it is there", x.Key)
			} else {
				t.entry(when+", and it is gone", x.Key)
			}
		}
	}
}

// pagesBringEachEntry selects entries by each field, in pages of each size.
func pagesBringEachEntry(t *trial) {
	owner := t.made("owner")
	var all, below, users []graph.UID
	for i := range 5 {
		o := t.dependent(fmt.Sprint("d", i), owner.Key)
		all, below = append(all, o.UID), append(below, o.UID)
		t.engineDelete(o, graph.Cause{Root: owner.Key})
	}
	member := t.made("member")
	t.engineDelete(member, graph.Cause{Holder: owner.Key})
	t.remove(owner)
	all, below, users = append(all, member.UID, owner.UID), append(below, member.UID), append(users, owner.UID)
	for limit := range 4 {
		for _, c := range []struct {
			q      archive.Query
			want   []graph.UID
			reason string
		}{
			{archive.Query{}, all, "all entries"},
			{archive.Query{UIDs: all[2:4]}, all[2:4], "those of UIDs"},
			{archive.Query{Owners: []graph.UID{owner.UID}}, below, "those that name an owner, or the holder of their sweep"},
			{archive.Query{Explicit: true}, users, "those of users"},
			{archive.Query{Kind: owner.Kind, Scope: owner.Scope, Name: "d3"}, all[3:4], "that of a place"},
			{archive.Query{Owners: []graph.UID{owner.UID}, Name: "d1"}, all[1:2], "each field narrows"},
		} {
			c.q.Limit = limit
			t.wantEntries(c.reason, c.q, c.want)
		}
	}
}

// wantEntries compares the selected entries with UIDs. The newest end comes first, and with UIDs or Owners the first UID.
func (t *trial) wantEntries(reason string, q archive.Query, want []graph.UID) {
	t.Helper()
	got := t.entries(q)
	var uids []graph.UID
	sorted := true
	for i := range got {
		uids = append(uids, got[i].Object.UID)
		sorted = sorted && (i == 0 || !got[i].At.After(got[i-1].At))
	}
	order := "the newest end first"
	if len(q.UIDs)+len(q.Owners) > 0 {
		order, sorted = "by their UIDs", slices.IsSorted(uids)
	}
	slices.Sort(uids)
	if want = slices.Sorted(slices.Values(want)); !slices.Equal(uids, want) || !sorted {
		t.broken(fmt.Sprintf("the query %+v brings %s, each once, %s: %v", q, reason, order, want), formatEntries(got))
	}
}
