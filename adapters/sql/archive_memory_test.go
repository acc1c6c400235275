package sqlstore

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/adapters/memory"
	"github.com/ownergraph/ownergraph/archive"
	"github.com/ownergraph/ownergraph/graph"
)

// archivedStore is a store with an archive and the calls of users.
type archivedStore interface {
	ownergraph.Batcher
	archive.Store
	Create(context.Context, graph.Object) (graph.Object, error)
	Update(context.Context, graph.Object) (graph.Object, error)
	Patch(context.Context, graph.Key, graph.Precondition, graph.Change) error
	Delete(context.Context, graph.Key, graph.DeleteOptions) error
	Get(context.Context, graph.Key) (graph.Object, error)
}

// pair runs the same calls on two stores. A name stands for the UID of an object in each of them.
type pair struct {
	t      *testing.T
	rand   *rand.Rand
	stores [2]archivedStore
	uids   [2]map[string]graph.UID // by name
	names  [2]map[graph.UID]string
	live   []graph.Key // with the name as the UID
	ended  []graph.Key
	made   int
}

// TestArchiveAsMemory: random calls leave the same entries as in adapters/memory, and have errors of the same sort.
func TestArchiveAsMemory(t *testing.T) {
	onEach(t, func(t *testing.T, d *database) { d.isAsMemory(t, 8) })
}

// TestArchiveDrivers: the archive works with each further driver.
func TestArchiveDrivers(t *testing.T) {
	for _, name := range sortedNames(furtherDrivers) {
		t.Run(name, func(t *testing.T) {
			furtherDrivers[name](t).isAsMemory(t, 2)
			furtherDrivers[name](t).keepsHostileRow(t)
			furtherDrivers[name](t).keepsHostileRow(t, sealing("photo"))
		})
	}
}

func (d *database) isAsMemory(t *testing.T, seeds uint64, edit ...func(*Config)) {
	t.Helper()
	for seed := range seeds {
		h := d.mustHandle(t, func(c *Config) {
			archiving(c)
			c.Archive.Keep = 0
			for _, e := range edit {
				e(c)
			}
		})
		m, err := memory.New(memory.Config{Kinds: kindsOfTests(), Strict: true, Archive: &archive.Config{Kinds: h.conf.Archive.Kinds}})
		if err != nil {
			t.Fatal(err)
		}
		w := &pair{t: t, rand: rand.New(rand.NewPCG(seed, 39)), stores: [2]archivedStore{m, h.Store}}
		for i := range w.uids {
			w.uids[i], w.names[i] = map[string]graph.UID{}, map[graph.UID]string{}
		}
		prefix := fmt.Sprint(seed, "-")
		for range 300 {
			w.step(prefix)
		}
		w.compare(seed)
		if t.Failed() {
			return
		}
		for _, table := range []string{`{archive}`, `{archive_owners}`, `{holds}`} {
			h.run(t, h.db, h.conf.names().Replace(`DELETE FROM `+table))
		}
	}
}

// key is a key of one store.
func (w *pair) key(i int, k graph.Key) graph.Key {
	if uid, ok := w.uids[i][string(k.UID)]; ok {
		k.UID = uid
	}
	return k
}

func (w *pair) owners(i int, list []graph.Owner) (out []graph.Owner) {
	for _, r := range list {
		r.Key = w.key(i, r.Key)
		out = append(out, r)
	}
	return out
}

// both runs a call on both stores, and compares the sort of its error.
func (w *pair) both(what string, call func(i int, s archivedStore) error) bool {
	var errs [2]error
	for i, s := range w.stores {
		errs[i] = call(i, s)
	}
	if a, b := sortOf(errs[0]), sortOf(errs[1]); a != b {
		w.t.Errorf("%s: memory has %v, and the database %v", what, errs[0], errs[1])
	}
	return errs[0] == nil
}

func sortOf(err error) string {
	for _, of := range []error{graph.ErrNotFound, graph.ErrConflict, graph.ErrRestricted, graph.ErrRefused} {
		if errors.Is(err, of) {
			return of.Error()
		}
	}
	if err != nil {
		return "another error"
	}
	return ""
}

func (w *pair) pick(list []graph.Key) graph.Key { return list[w.rand.IntN(len(list))] }

func (w *pair) step(prefix string) {
	switch n := w.rand.IntN(20); {
	case n < 6 || len(w.live) == 0:
		w.create(prefix)
	case n < 8:
		w.patch(w.pick(w.live), graph.Change{DropFinalizer: []string{"x/y", graph.FinalizerOrphan, graph.FinalizerForeground, graph.FinalizerProtect}[w.rand.IntN(4)]})
	case n < 9:
		w.update(w.pick(w.live))
	case n < 13:
		w.delete(w.pick(w.live))
	case n < 15:
		w.batch()
	case n < 16:
		w.hold(w.pick(append(slices.Clone(w.live), w.ended...)))
	case len(w.ended) > 0 && n < 19:
		w.restore(prefix)
	case len(w.ended) > 0 && w.rand.IntN(3) == 0:
		k := w.pick(w.ended)
		w.both("purge "+string(k.UID), func(i int, s archivedStore) error {
			_, err := s.PurgeEntries(w.t.Context(), []graph.UID{w.key(i, k).UID})
			return err
		})
	}
}

func (w *pair) note(i int, name string, uid graph.UID) { w.uids[i][name], w.names[i][uid] = uid, name }

func (w *pair) randomOwners() (list []graph.Owner) {
	for range w.rand.IntN(3) {
		if all := append(slices.Clone(w.live), w.ended...); len(all) > 0 {
			k := w.pick(all)
			if k.Kind == "bucket" && !slices.ContainsFunc(list, func(r graph.Owner) bool { return r.UID == k.UID }) {
				list = append(list, graph.Owner{Key: k, Block: w.rand.IntN(2) == 0, OnDelete: graph.OnDelete(w.rand.IntN(4))})
			}
		}
	}
	return list
}

func (w *pair) create(prefix string) {
	w.made++
	name := fmt.Sprint(prefix, w.made)
	o := object([]graph.Kind{"bucket", "bucket", "photo", "note"}[w.rand.IntN(4)], "one", name)
	if w.rand.IntN(2) == 0 {
		o.Finalizers = []string{"x/y"}
	}
	owners := w.randomOwners()
	if w.both("create "+name, func(i int, s archivedStore) error {
		own := o
		own.Owners = w.owners(i, owners)
		made, err := s.Create(w.t.Context(), own)
		if err == nil {
			w.note(i, name, made.UID)
		}
		return err
	}) {
		o.UID = graph.UID(name)
		w.live = append(w.live, o.Key)
	}
}

// moveGone moves the objects that have gone.
func (w *pair) moveGone() {
	w.live = slices.DeleteFunc(w.live, func(k graph.Key) bool {
		now, err := w.stores[0].Get(w.t.Context(), k.Place())
		gone := err != nil || w.names[0][now.UID] != string(k.UID)
		if gone {
			w.ended = append(w.ended, k)
		}
		return gone
	})
}

func (w *pair) patch(k graph.Key, c graph.Change) {
	w.both("patch "+string(k.UID), func(i int, s archivedStore) error {
		return s.Patch(w.t.Context(), k.Place(), graph.Precondition{UID: w.key(i, k).UID}, c)
	})
	w.moveGone()
}

// update also replaces the references, in the write that may remove the object.
func (w *pair) update(k graph.Key) {
	owners := w.randomOwners()
	w.both("update "+string(k.UID), func(i int, s archivedStore) error {
		_, err := s.Update(w.t.Context(), graph.Object{Key: w.key(i, k), Owners: w.owners(i, owners)})
		return err
	})
	w.moveGone()
}

func (w *pair) options(i int, k graph.Key, p graph.Propagation, cause *graph.Cause, exact bool) graph.DeleteOptions {
	opts := graph.DeleteOptions{Propagation: p, Precondition: graph.Precondition{UID: w.key(i, k).UID}}
	if now, err := w.stores[i].Get(w.t.Context(), k.Place()); exact && err == nil {
		opts.Precondition.Version = now.Version
	}
	if cause != nil {
		opts.Cause = &graph.Cause{Root: w.key(i, cause.Root), Holder: w.key(i, cause.Holder)}
	}
	return opts
}

func (w *pair) draw() (graph.Propagation, *graph.Cause) {
	p := []graph.Propagation{graph.Unset, graph.Background, graph.Foreground, graph.Orphan}[w.rand.IntN(4)]
	if w.rand.IntN(2) == 0 {
		return p, nil
	}
	cause := &graph.Cause{Root: w.pick(w.live)}
	if w.rand.IntN(3) == 0 {
		cause.Holder = w.pick(w.live)
	}
	return p, cause
}

func (w *pair) delete(k graph.Key) {
	p, cause := w.draw()
	w.both("delete "+string(k.UID), func(i int, s archivedStore) error {
		return s.Delete(w.t.Context(), k.Place(), w.options(i, k, p, cause, false))
	})
	w.moveGone()
}

func (w *pair) batch() {
	var some []graph.Key
	for _, n := range w.rand.Perm(len(w.live))[:min(4, len(w.live))] {
		some = append(some, w.live[n])
	}
	p, cause := w.draw()
	var results [2]string
	w.both("batch", func(i int, s archivedStore) error {
		var writes []graph.Write
		for _, k := range some {
			writes = append(writes, graph.Write{Type: graph.WriteDelete, Key: w.key(i, k), Options: w.options(i, k, p, cause, true)})
		}
		list, err := s.Batch(w.t.Context(), writes)
		for _, err := range list {
			results[i] += sortOf(err) + ";"
		}
		return err
	})
	if results[0] != results[1] {
		w.t.Errorf("batch: memory has %s, and the database %s", results[0], results[1])
	}
	w.moveGone()
}

func (w *pair) hold(k graph.Key) {
	by := []string{"a", "b"}[w.rand.IntN(2)]
	if w.rand.IntN(2) == 0 {
		w.both("hold "+string(k.UID), func(i int, s archivedStore) error {
			return s.HoldEntry(w.t.Context(), w.key(i, k), archive.Hold{By: by})
		})
		return
	}
	w.both("end hold of "+string(k.UID), func(i int, s archivedStore) error { return s.EndHold(w.t.Context(), w.key(i, k), by) })
	w.moveGone()
}

// restore restores up to three entries, which may name each other.
func (w *pair) restore(prefix string) {
	var some []graph.Key
	for range 1 + w.rand.IntN(3) {
		if k := w.pick(w.ended); !slices.Contains(some, k) {
			some = append(some, k)
		}
	}
	var list [][]graph.Owner
	for range some {
		owners := w.randomOwners()
		if k := w.pick(some); k.Kind == "bucket" && !slices.ContainsFunc(owners, func(r graph.Owner) bool { return r.UID == k.UID }) {
			owners = append(owners, graph.Owner{Key: k})
		}
		list = append(list, owners)
	}
	w.made++
	name := func(n int) string { return fmt.Sprint(prefix, "back-", w.made, "-", n) }
	ok := w.both("restore", func(i int, s archivedStore) error {
		var items []archive.Item
		for n, k := range some {
			items = append(items, archive.Item{UID: w.key(i, k).UID, Scope: "one", Name: name(n), Owners: w.owners(i, list[n])})
		}
		keys, err := s.RestoreEntries(w.t.Context(), items)
		for n, k := range keys {
			if _, known := w.names[i][k.UID]; !known {
				w.note(i, name(n), k.UID)
			}
		}
		return err
	})
	for n, k := range some {
		if uid, made := w.uids[0][name(n)]; ok && made {
			w.live = append(w.live, graph.Key{Kind: k.Kind, Scope: "one", Name: name(n), UID: graph.UID(w.names[0][uid])})
		}
	}
}

// compare compares all entries, without versions and times.
func (w *pair) compare(seed uint64) {
	var texts [2]string
	for i, s := range w.stores {
		page, err := s.Entries(w.t.Context(), archive.Query{})
		if err != nil {
			w.t.Fatal(err)
		}
		if slices.SortFunc(page.Entries, func(a, b archive.Entry) int {
			return cmp.Compare(w.names[i][a.Object.UID], w.names[i][b.Object.UID])
		}); len(page.Entries) < 5 {
			w.t.Errorf("seed %d: %d entries", seed, len(page.Entries))
		}
		var b strings.Builder
		for _, e := range page.Entries {
			for _, uid := range e.Names() {
				found, err := s.Entries(w.t.Context(), archive.Query{Owners: []graph.UID{uid}, UIDs: []graph.UID{e.Object.UID}})
				if err != nil || len(found.Entries) != 1 {
					fmt.Fprintf(&b, "not found by its owner %s: %v\n", w.names[i][uid], err)
				}
			}
			names := len(e.Names())
			if e.Sealed { // memory seals nothing
				e.Size = 0
			}
			for n := range e.Object.Owners {
				e.Object.Owners[n].UID = graph.UID(w.names[i][e.Object.Owners[n].UID])
			}
			fmt.Fprintf(&b, "%s %s %v %v deleting %t explicit %t orphaning %t root %s holder %s until %v holds %v restored %s %s size %d names %d\n", w.names[i][e.Object.UID], e.Object.Name, e.Object.Owners, e.Object.Finalizers,
				e.Object.Deleting, e.Explicit, e.Orphaning, w.names[i][e.Cause.Root.UID], w.names[i][e.Cause.Holder.UID], e.Until, e.Holds, e.Restored.Name, w.names[i][e.Restored.UID], e.Size, names)
		}
		texts[i] = b.String()
	}
	if texts[0] != texts[1] {
		w.t.Errorf("seed %d: memory has\n%s\nand the database\n%s", seed, texts[0], texts[1])
	}
}
