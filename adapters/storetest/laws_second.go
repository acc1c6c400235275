package storetest

import (
	"context"
	"fmt"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
)

const (
	secondObserved = "second/observed"
	secondFresh    = "second/fresh"
)

// lawsOfOthers are about another process on the same data. They come early, because many
// hooks act as another process does.
func lawsOfOthers() []law {
	return withDemand([]law{
		{
			name: secondFresh, rests: []string{readFresh, patchVersion, "patch/conflict-changes-nothing", deleteVersion},
			why: "a read or a write that misses the commit of another process judges the past",
			run: secondsReadFresh,
		},
		{
			name: secondObserved, rests: []string{watchEveryChange, watchGone},
			why: "an engine has to see the writes of other processes: a watch of its own process alone misses owners, marks and ends",
			run: secondsAreObserved,
		},
	}, ownergraph.Level1, needSecond)
}

// lawsOfSecond are about two processes that both write.
func lawsOfSecond() []law {
	list := []law{
		{
			name: "second/uids", rests: []string{"delete/new-uid", "version/new", secondFresh},
			why: "two processes that count for themselves give two objects one UID, or two states one version",
			run: secondsShareNoNumbers,
		},
		{
			name: "second/every-write", rests: []string{secondObserved, "search/every-write"},
			why: "the commits of two processes at one time have to reach the watches of both",
			run: secondsAreObservedAtOnce,
		},
		{
			name: "second/fence", level: ownergraph.Level2, needs: []need{needFencer}, rests: []string{"second/every-write", "second/uids", fenceNotEarly, fenceTokens},
			why: "a fence that covers only the writes of its own process removes an owner before a dependent of another process",
			run: fencesCoverSeconds,
		},
		{
			name: "second/rewound", level: ownergraph.Level2, needs: []need{needBackup}, rests: []string{secondObserved, rewindReported, rewindEpoch},
			why: "an engine in another process knows the same owners as gone, and needs the report of the restore too",
			run: secondsReportRewinds,
		},
	}
	for i := range list {
		list[i].needs = append([]need{needSecond}, list[i].needs...)
	}
	return list
}

// secondHandle opens the data once more.
func (t *trial) secondHandle() *trial {
	t.Helper()
	other := *t
	t.hook("Second", func(ctx context.Context) (err error) { other.Subject, err = t.Second(ctx); return err })
	other.checkSubject()
	return &other
}

// onBehalf runs checks of a copy of the trial. A breach of the copy is a breach of
// the trial.
func (t *trial) onBehalf(other *trial, run func()) {
	defer func() { t.foundBroken, t.breach = t.foundBroken || other.foundBroken, other.breach+t.breach }()
	run()
}

// bothWays runs with each of the two handles as the first.
func (t *trial) bothWays(run func(one, other *trial, round string)) {
	t.Helper()
	other := t.secondHandle()
	t.onBehalf(other, func() {
		run(t, other, "a")
		run(other, t, "b")
	})
}

func secondsReadFresh(t *trial) {
	t.bothWays(func(one, other *trial, round string) {
		o := one.made(round)
		one.wantSame("read by another process", o, other.live(o.Key))
		for range 3 {
			old := o
			o = one.touch(o)
			other.refuse(fmt.Sprintf("a Patch of %s by another process, under its former version,", o),
				other.patch(o.Key, exact(old), ownergraph.Change{AddFinalizer: holdFinalizer}))
			other.wantSame("read by another process", o, other.live(o.Key))
			o = other.touch(o)
			one.wantSame("changed by another process", o, one.live(o.Key))
		}
		o = one.update(withFinalizers(one.live(o.Key)))
		one.remove(o)
		other.absent("deleted by another process", o.Key)
	})
}

// secondsAreObserved writes by one handle, and watches by the other, which writes
// nothing.
func secondsAreObserved(t *trial) {
	t.bothWays(func(one, other *trial, round string) {
		w, j := other.watch().ready(), &journal{}
		o := j.put(one.made(round))
		other.allReported(w, j)
		o = j.put(one.touch(o))
		other.allReported(w, j)
		o = one.update(withFinalizers(o))
		one.remove(o)
		w.mustSee(fmt.Sprintf("the watch reports that %s, which another process has removed, is gone", o.Key), func(r *replica) bool { return !r.has(o.Key) })
	})
}

func secondsShareNoNumbers(t *trial) {
	uids, versions := map[graph.UID]ownergraph.Object{}, map[ownergraph.Version]ownergraph.Object{}
	t.bothWays(func(one, other *trial, round string) {
		for i := range 8 {
			for at, s := range []*trial{one, other} {
				o := s.made(fmt.Sprintf("%s-%d-%d", round, i, at))
				if old, twice := uids[o.UID]; twice {
					s.broken(fmt.Sprintf("the UID of %s names no object of another process", old), o.String())
				}
				uids[o.UID] = o
			}
		}
		o := one.made(round)
		for i := range 12 {
			o = []*trial{one, other}[i%2].update(withFinalizers(o, fmt.Sprintf("example.org/round-%d", i)))
			if old, twice := versions[o.Version]; twice && old.Key == o.Key {
				one.broken(fmt.Sprintf("the version of %s names no state of another process", old), o.String())
			}
			versions[o.Version] = o
		}
	})
}

func secondsAreObservedAtOnce(t *trial) {
	other := t.secondHandle()
	t.onBehalf(other, func() {
		c := t.newWriterGroup(t.Client, other.Client)
		watches := []*watcher{t.watch().ready(), other.watch().ready()}
		t.search(func(int) {
			c.beginRound()
			c.write(noAction)
			for _, w := range watches {
				c.mustBeKnown(w)
			}
		})
	})
}

// fencesCoverSeconds writes by both, and begins fences by the watching handle.
func fencesCoverSeconds(t *trial) {
	other := t.secondHandle()
	t.onBehalf(other, func() {
		f, _ := ownergraph.As[ownergraph.Fencer](t.Store)
		c := t.newWriterGroup(other.Client)
		w := t.watch().ready()
		t.search(func(int) { t.fenceRound(c, f, w) })
	})
}

func secondsReportRewinds(t *trial) {
	other := t.secondHandle()
	t.onBehalf(other, func() {
		a := t.touch(t.made("a"))
		restore := t.backup()
		w := other.watch().ready()
		later := t.touch(a)
		w.mustSee("the watch reports "+later.String(), func(r *replica) bool { return r.knows(later) })
		restore()
		if !w.until(func([]ownergraph.Event) bool { return len(w.epochs()) > 0 }) && !w.hasEnded() {
			w.missing("a watch of another process reports the restore")
		}
		reported := append(w.epochs(), other.announced())
		if epoch := t.announced(); reported[0] != epoch {
			t.broken(fmt.Sprintf("a watch of another process reports the restore, with its epoch %q", epoch), fmt.Sprintf("it reported %q", reported[0]))
		}
	})
}
