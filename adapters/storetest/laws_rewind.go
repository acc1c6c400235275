package storetest

import (
	"context"
	"fmt"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
)

const rewindTold = "rewind/told"

// lawsOfRewind are about a history that goes backwards, as by a restore.
func lawsOfRewind() []law {
	list := []law{
		{
			name: rewindTold, rests: []string{watchGone},
			why: "after a restore an owner that was seen gone may live again: an engine that is not told deletes its dependents",
			run: rewindsAreTold,
		},
		{
			name: "rewind/late-watch", rests: []string{watchListing},
			why: "an engine whose watch was down during the restore has seen the owner go as well",
			run: rewindsAreToldLate,
		},
		{
			name: "rewind/listed", rests: []string{readFresh, watchGone, rewindTold},
			why: "after a restore nothing is deleted before every kind has been listed anew",
			run: rewindsAreListed,
		},
		{
			name: "rewind/uids", rests: []string{readFresh},
			why: "a counter that goes back with the data gives a new object the UID of one that was seen gone: its dependents are deleted at once",
			run: rewindsReuseNoUID,
		},
		{
			name: "rewind/versions", rests: []string{readFresh, "version/new"},
			why: "a version that stands for two states lets through a write that was judged on the other one",
			run: rewindsReuseNoVersion,
		},
	}
	for i := range list {
		list[i].level = ownergraph.Level2
		list[i].needs = []need{needBackup}
	}
	return list
}

func (t *trial) backup() (restore func()) {
	t.Helper()
	var back func(context.Context) error
	t.hook("Backup", func(ctx context.Context) (err error) { back, err = t.Backup(ctx); return err })
	if back == nil {
		t.unable("hook Backup returned no way back")
	}
	return func() {
		t.Helper()
		t.hook("the way back from Backup", back)
	}
}

// rewindsAreTold to a watch that runs, by Rewound, by a version that goes back
// where versions compare, or by its end: the next watch begins with Rewound.
func rewindsAreTold(t *trial) {
	a := t.touch(t.touch(t.made("a")))
	restore := t.backup()
	w := t.watch().ready()
	later := t.touch(a)
	w.mustSee("the watch reports "+later.String(), func(r *replica) bool { return r.holds(later) })
	restore()
	told := w.until(func(events []ownergraph.Event) bool {
		r := replay(events)
		return r.rewound || is[ownergraph.VersionComparer](t.Subject) && r.holds(a)
	})
	if told {
		return
	}
	select {
	case <-w.ended: // and what the next watch says is the law rewind/late-watch
	default:
		w.missing(fmt.Sprintf("the watch reports that history went back from %s to %s", later, a))
	}
}

func rewindsAreToldLate(t *trial) {
	a := t.made("a")
	restore := t.backup()
	t.remove(a)
	restore()
	w := t.watch()
	w.until(func(events []ownergraph.Event) bool { r := replay(events); return r.rewound || r.listed() })
	events, _ := w.look()
	if len(events) == 0 || events[0].Type != graph.Rewound {
		w.missing("a watch that begins after a restore begins with rewound")
	}
}

func rewindsAreListed(t *trial) {
	a, b := t.made("a"), t.made("b")
	restore := t.backup()
	w := t.watch().ready()
	t.remove(a)
	c := t.made("c")
	w.mustSee("the watch reports "+c.String(), func(r *replica) bool { return r.holds(c) })
	restore()
	want := []ownergraph.Object{t.live(a.Key), t.live(b.Key)}
	listed := func(r *replica) bool { return r.listed() && r.agrees(t.main.Kind, want) }
	if !w.sees(listed) {
		select {
		case <-w.ended: // the restore took the connection with it
			w = t.watch()
		default:
		}
	}
	w.mustSee(fmt.Sprintf("every kind is listed anew, and the watch knows %s", sayObjects(want)), listed)
}

func rewindsReuseNoUID(t *trial) {
	restore := t.backup()
	first := map[ownergraph.UID]ownergraph.Object{}
	for i := range 6 {
		o := t.made(fmt.Sprintf("a%d", i))
		first[o.UID] = o
	}
	restore()
	for i := range 12 {
		o := t.made(fmt.Sprintf("a%d", i))
		if old, twice := first[o.UID]; twice {
			t.broken(fmt.Sprintf("the UID of %s never returns, not even after a restore", old), o.String())
		}
	}
}

func rewindsReuseNoVersion(t *trial) {
	o := t.made("a")
	restore := t.backup()
	first := map[ownergraph.Version]ownergraph.Object{}
	was := o
	for range 4 {
		was = t.touch(was)
		first[was.Version] = was
	}
	restore()
	o = t.live(o.Key)
	for i := range 8 {
		o = t.update(withFinalizers(o, fmt.Sprintf("example.org/other-%d", i)))
		if old, twice := first[o.Version]; twice {
			t.broken(fmt.Sprintf("the version of %s never stands for another state, not even after a restore", old), o.String())
		}
	}
}
