package storetest

import (
	"fmt"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
)

const versionOrdered = "version/ordered"

func lawsOfVersions() []law {
	return []law{
		{
			name: "version/new", rests: []string{readMarked},
			why: "an object that has changed, and has a former version again, accepts a write that was judged before the change",
			run: versionsAreNew,
		},
		{
			name: versionOrdered, needs: []need{needComparer}, rests: []string{readFresh},
			why: "an engine with a wrong order of versions sees a restore that never happened, or misses one",
			run: versionsAreOrdered,
		},
		{
			name: "version/progress", needs: []need{needComparer}, rests: []string{versionOrdered, watchEveryChange},
			why: "a watch that reports its progress too early shows an owner's state as newer than a dependent that it has not reported",
			run: progressIsNotAhead,
		},
	}
}

// versionsAreNew changes an object and changes it back, in every way.
func versionsAreNew(t *trial) {
	first := map[ownergraph.Version]ownergraph.Object{}
	o := t.made("a", holdFinalizer)
	first[o.Version] = o
	see := func(now ownergraph.Object, err error) {
		t.Helper()
		if err != nil || sameContent(o, now) { // a write that has done nothing, or too much
			return
		}
		if old, twice := first[now.Version]; twice {
			t.broken(fmt.Sprintf("the version of %s names no other state, and no later one", old), now.String())
		}
		first[now.Version], o = now, now
	}
	for range 3 {
		see(t.touch(o), nil)
		for _, change := range []ownergraph.Change{{AddFinalizer: "example.org/third"}, {DropFinalizer: "example.org/third"}} {
			if t.patch(o.Key, exact(o), change) == nil {
				see(t.get(o.Key))
			}
		}
	}
	for _, p := range []graph.Propagation{ownergraph.Background, ownergraph.Foreground, ownergraph.Orphan, ownergraph.Background} {
		if t.delete(o.Key, ownergraph.DeleteOptions{Precondition: exact(o), Propagation: p}) == nil {
			see(t.get(o.Key))
		}
	}
}

func (t *trial) comparer() ownergraph.VersionComparer {
	c, _ := ownergraph.As[ownergraph.VersionComparer](t.Store)
	return c
}

func versionsAreOrdered(t *trial) {
	c := t.comparer()
	order := func(older, newer ownergraph.Object) {
		t.Helper()
		ab, ba := c.CompareVersions(t.main.Kind, older.Version, newer.Version), c.CompareVersions(t.main.Kind, newer.Version, older.Version)
		if ab >= 0 || ba <= 0 {
			t.broken(fmt.Sprintf("%s is older than %s, which was committed later", older, newer),
				fmt.Sprintf("CompareVersions answers %d, and %d the other way round", ab, ba))
		}
	}
	a := t.made("a")
	b := t.made("b")
	order(a, b)
	// Versions of more than one digit show an order by text.
	for range 12 {
		next := t.touch(a)
		order(a, next)
		order(b, next)
		a = next
		if same := c.CompareVersions(t.main.Kind, a.Version, a.Version); same != 0 {
			t.broken(fmt.Sprintf("version %q is as old as itself", a.Version), fmt.Sprintf("CompareVersions answers %d", same))
		}
		next = t.touch(b)
		order(b, next)
		order(a, next)
		b = next
	}
}

// progressIsNotAhead writes while the watch is paused, so that it is behind.
func progressIsNotAhead(t *trial) {
	w := t.watchStepped()
	j := &journal{}
	objects := []ownergraph.Object{j.put(t.made("a")), j.put(t.made("b"))}
	w.pauseAt("the watch reports "+place(objects[0].Key), func(e ownergraph.Event) bool { return e.Type == graph.Put })
	for i := range 12 {
		at := i % len(objects)
		objects[at] = j.put(t.touch(objects[at]))
	}
	w.free()
	w.mustSee("the watch reports every object", func(r *replica) bool { return r.agrees(t.main.Kind, objects) })
	last := j.put(t.touch(objects[0]))
	w.mustSee("the watch reports "+last.String(), func(r *replica) bool { return r.knows(last) })
	t.notAhead(w, j)
}

// notAhead breaks the law if the watch reported a position before the changes that
// the position covers.
func (t *trial) notAhead(w *watcher, j *journal) {
	t.Helper()
	events, _ := w.reported()
	s := j.reader()
	for _, e := range events {
		s.applyEvent(e)
		if e.Type != graph.Progress && e.Type != graph.ListEnded || e.Version == "" || e.Kind != t.main.Kind {
			continue
		}
		for _, x := range j.entries {
			if !x.gone && t.comparer().CompareVersions(e.Kind, x.object.Version, e.Version) <= 0 && !s.covers(x) {
				t.broken(fmt.Sprintf("%s comes after all changes that it covers", formatEvent(e)), fmt.Sprintf("%s had not been reported", x.object))
			}
		}
	}
}
