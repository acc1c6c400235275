package replica

import (
	"errors"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/ownergraph/ownergraph/archive"
	"github.com/ownergraph/ownergraph/graph"
)

// archiveRun is a random history of a state with an archive.
type archiveRun struct {
	s      *State
	clock  *clock
	ended  map[graph.UID]bool // objects that ended, and whose entry was not purged
	former []graph.UID
}

// TestArchiveRandom: after each step each object lives or has an entry, and the indices of the archive agree with the
// entries. A failed step changes nothing.
func TestArchiveRandom(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := &clock{time.Unix(1000, 0)}
		s, err := New(Config{Kinds: []graph.KindInfo{{Kind: "k"}}, UIDPrefix: "u", Archive: &archive.Config{Keep: 20 * time.Second, MaxBytes: 12}, Now: c.tick})
		if err != nil {
			t.Fatal(err)
		}
		r := &archiveRun{s: s, clock: c, ended: map[graph.UID]bool{}}
		t.Repeat(map[string]func(*rapid.T){
			"create": r.create, "delete": r.delete, "delete more": r.delete, "finalizer": r.finalizer, "label": r.label,
			"restore": r.restore, "hold": r.hold, "end hold": r.endHold, "purge": r.purge, "": r.check,
		})
	})
}

func drawKey(t *rapid.T) graph.Key {
	return graph.Key{Kind: "k", Name: rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t, "name")}
}

// step makes a write on a copy. The state goes on with it if it succeeds.
func (r *archiveRun) step(t *rapid.T, write func(*State) ([]Commit, error)) {
	next := r.s.Clone()
	done, err := write(next)
	if err != nil {
		if next.Version() != r.s.Version() || next.Extent() != r.s.Extent() {
			t.Fatalf("a failed step has changed the state: %v", err)
		}
		return
	}
	r.s = next
	for _, c := range done {
		if c.Event().Type == graph.Gone {
			r.ended[c.Key().UID] = true
			r.former = append(r.former, c.Key().UID)
		}
	}
}

func one(c Commit, err error) ([]Commit, error) {
	if err != nil {
		return nil, err
	}
	return []Commit{c}, nil
}

func (r *archiveRun) create(t *rapid.T) {
	o := graph.Object{Key: drawKey(t)}
	if owners := r.s.Objects(); len(owners) > 0 && rapid.Bool().Draw(t, "owned") {
		if owner := owners[0].Key; owner.Place() != o.Key {
			o.Owners = []graph.Owner{{Key: owner}}
		}
	}
	if rapid.Bool().Draw(t, "held") {
		o.Finalizers = []string{"x"}
	}
	r.step(t, func(s *State) ([]Commit, error) { return one(s.Create(o)) })
}

func (r *archiveRun) delete(t *rapid.T) {
	opts := graph.DeleteOptions{Propagation: rapid.SampledFrom([]graph.Propagation{0, 1, 2, 3}).Draw(t, "by")}
	if rapid.Bool().Draw(t, "engine") {
		opts.Cause = &graph.Cause{}
	}
	k := drawKey(t)
	r.step(t, func(s *State) ([]Commit, error) { return one(s.Delete(k, opts)) })
}

func (r *archiveRun) finalizer(t *rapid.T) {
	k := drawKey(t)
	f := rapid.SampledFrom([]string{"x", graph.FinalizerOrphan, graph.FinalizerForeground}).Draw(t, "finalizer")
	r.step(t, func(s *State) ([]Commit, error) {
		return one(s.Patch(k, graph.Precondition{}, graph.Change{DropFinalizer: f}))
	})
}

func (r *archiveRun) label(t *rapid.T) {
	k, v := drawKey(t), rapid.SampledFrom([]string{"v", "too-large"}).Draw(t, "value")
	r.step(t, func(s *State) ([]Commit, error) {
		return one(s.Label(k, graph.Precondition{}, map[string]string{"k": v}))
	})
}

// drawFormer returns the UID of an object that has ended, or one without a trace.
func (r *archiveRun) drawFormer(t *rapid.T) graph.UID {
	return rapid.SampledFrom(append(slices.Clone(r.former), "none")).Draw(t, "former")
}

func (r *archiveRun) restore(t *rapid.T) {
	items := []archive.Item{{UID: r.drawFormer(t), Name: drawKey(t).Name}, {UID: r.drawFormer(t), Name: drawKey(t).Name}}
	r.step(t, func(s *State) ([]Commit, error) {
		keys, done, err := s.RestoreEntries(items)
		if err == nil && (items[0].UID == items[1].UID) != (keys[0] == keys[1]) {
			t.Fatalf("the items %v give the keys %v", items, keys)
		}
		return done, err
	})
}

func (r *archiveRun) anyKey(t *rapid.T) graph.Key {
	k := drawKey(t)
	if o, err := r.s.Get(k); err == nil {
		return o.Key
	}
	k.UID = r.drawFormer(t)
	return k
}

func (r *archiveRun) hold(t *rapid.T) {
	k, h := r.anyKey(t), archive.Hold{By: rapid.SampledFrom([]string{"law", "audit"}).Draw(t, "by")}
	if rapid.Bool().Draw(t, "ends") {
		h.Until = r.clock.now.Add(10 * time.Second)
	}
	r.step(t, func(s *State) ([]Commit, error) {
		_, err := s.HoldEntry(k, h)
		return nil, err
	})
}

func (r *archiveRun) endHold(t *rapid.T) {
	k := r.anyKey(t)
	r.step(t, func(s *State) ([]Commit, error) {
		c, err := s.EndHold(k, "law")
		if err != nil || c.object == nil {
			return nil, err
		}
		return []Commit{c}, nil
	})
}

// purge drops entries. An object with too large a payload may keep its protection: the rest is done.
func (r *archiveRun) purge(t *rapid.T) {
	var uids []graph.UID
	if rapid.Bool().Draw(t, "named") {
		uids = []graph.UID{r.drawFormer(t)}
	}
	held := map[graph.UID]bool{}
	for _, e := range r.all(t) {
		held[e.Object.UID] = e.IsHeld(r.clock.now.Add(time.Second))
	}
	n, done, err := r.s.PurgeEntries(uids)
	if err != nil && !errors.Is(err, graph.ErrRefused) {
		t.Fatal(err)
	}
	left := map[graph.UID]bool{}
	for _, e := range r.all(t) {
		left[e.Object.UID] = true
	}
	for _, c := range done {
		if c.Event().Type == graph.Gone {
			r.ended[c.Key().UID] = true
			r.former = append(r.former, c.Key().UID)
		}
	}
	for uid := range r.ended {
		if !left[uid] {
			if n--; held[uid] {
				t.Fatalf("the entry of %s is purged in spite of its hold", uid)
			}
			delete(r.ended, uid)
		}
	}
	if n != 0 {
		t.Fatalf("the number of purged entries differs by %d", n)
	}
}

func (r *archiveRun) all(t *rapid.T) []archive.Entry {
	page, err := r.s.Entries(archive.Query{})
	if err != nil {
		t.Fatal(err)
	}
	return page.Entries
}

// check compares the entries with the objects that ended, and with each index.
func (r *archiveRun) check(t *rapid.T) {
	entries, a := r.all(t), &r.s.archived
	var names, restored int
	var bytes int64
	for i := range entries {
		e := &entries[i]
		names, bytes = names+len(e.Names()), bytes+int64(e.Size)
		if e.IsRestored() {
			restored++
		}
		if !r.ended[e.Object.UID] {
			t.Fatalf("there is an entry of %s, which has not ended", e.Object)
		}
	}
	x := r.s.Extent()
	if len(entries) != len(r.ended) || x.Entries != len(entries) || x.Restored != restored || x.Bytes != bytes {
		t.Fatalf("there are %d entries of %d objects, and the extent is %+v", len(entries), len(r.ended), x)
	}
	if count(a.names) != names || count(a.ends) != len(entries) || count(a.payloads) != len(entries) {
		t.Fatalf("%d names, %d ends, %d payloads, want %d, %d, %d", count(a.names), count(a.ends), count(a.payloads), names, len(entries), len(entries))
	}
	for uid := range a.trails.all() {
		if marked := func(o graph.Object) bool { return o.UID == uid && o.Deleting }; !slices.ContainsFunc(r.s.Objects(), marked) {
			t.Fatalf("there is a trail of %s, which is not marked", uid)
		}
	}
}

func count[K, V any](tr tree[K, V]) (n int) {
	for range tr.all() {
		n++
	}
	return n
}
