package storetest

import (
	"fmt"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
)

const rewindReported = "rewind/told"

// lawsOfRewind are about a history that goes backwards, as after a restore.
func lawsOfRewind() []law {
	list := []law{
		{
			name: rewindReported, rests: []string{watchGone},
			why: "after a restore a removed owner may live again: an engine that does not notice the restore deletes its dependents",
			run: rewindsAreReported,
		},
		{
			name: "rewind/late-watch", rests: []string{watchListing},
			why: "an engine whose watch was down during the restore also knows the owner as gone, and needs the report too",
			run: rewindsAreReportedLate,
		},
		{
			name: "rewind/listed", rests: []string{readFresh, watchGone, rewindReported},
			why: "after a restore an engine deletes nothing before every kind is listed again",
			run: rewindsAreListed,
		},
		{
			name: "rewind/uids", rests: []string{readFresh},
			why: "a counter that goes back with the data gives a new object the UID of a removed one: its dependents are deleted at once",
			run: rewindsReuseNoUID,
		},
		{
			name: "rewind/versions", rests: []string{readFresh, "version/new"},
			why: "a version that names two states accepts a write that was judged on the other state",
			run: rewindsReuseNoVersion,
		},
	}
	return withDemand(list, ownergraph.Level2, needBackup)
}

func (t *trial) backup() (restore func()) {
	t.Helper()
	return t.begin("Backup", t.Backup)
}

// rewindsAreReported accepts three reports in a running watch: Rewound, a lower
// version where versions compare, or the end of the watch. The next watch then
// begins with Rewound.
func rewindsAreReported(t *trial) {
	a := t.touch(t.touch(t.made("a")))
	restore := t.backup()
	w := t.watch().ready()
	later := t.touch(a)
	w.mustSee("the watch reports "+later.String(), func(r *replica) bool { return r.knows(later) })
	restore()
	reported := w.until(func(events []ownergraph.Event) bool {
		r := replay(events)
		return r.rewound || is[ownergraph.VersionComparer](t.Subject) && r.knows(a)
	})
	if reported {
		return
	}
	select {
	case <-w.ended: // the law rewind/late-watch is about the next watch
	default:
		w.missing(fmt.Sprintf("the watch reports that history went back from %s to %s", later, a))
	}
}

func rewindsAreReportedLate(t *trial) {
	a := t.made("a")
	restore := t.backup()
	t.remove(a)
	restore()
	w := t.watch()
	w.until(func(events []ownergraph.Event) bool { r := replay(events); return r.rewound || r.listed() })
	events, _ := w.reported()
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
	w.mustSee("the watch reports "+c.String(), func(r *replica) bool { return r.knows(c) })
	restore()
	want := []ownergraph.Object{t.live(a.Key), t.live(b.Key)}
	listed := func(r *replica) bool { return r.listed() && r.agrees(t.main.Kind, want) }
	if !w.sees(listed) {
		select {
		case <-w.ended: // the restore has ended the connection
			w = t.watch()
		default:
		}
	}
	w.mustSee(fmt.Sprintf("every kind is listed again, and the watch knows %s", formatObjects(want)), listed)
}

func rewindsReuseNoUID(t *trial) {
	restore := t.backup()
	first := map[graph.UID]ownergraph.Object{}
	for i := range 6 {
		o := t.made(fmt.Sprintf("a%d", i))
		first[o.UID] = o
	}
	restore()
	t.makesNewUIDs(first, "a restore")
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
	t.makesNewVersions(t.live(o.Key), first, "a restore")
}
