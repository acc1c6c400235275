package storetest

import (
	"fmt"
	"slices"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
)

const rewindEpoch = "rewind/epoch"

// lawsOfEpochs are about the identity of a restore, and about writes that were
// judged before it.
func lawsOfEpochs() []law {
	list := []law{
		{
			name: rewindEpoch, rests: []string{"rewind/late-watch"},
			why: "an engine handles each epoch once: a new epoch in each watch restarts its work each time, and no deletion ends",
			run: epochsStay,
		},
		{
			name: "rewind/another-epoch", rests: []string{rewindEpoch},
			why: "an engine takes a restore with a former epoch for the former restore: it still takes the restored objects for gone",
			run: epochsDiffer,
		},
		{
			name: "rewind/raised", excuse: RaisedVersions, rests: []string{readFresh, "rewind/versions", deleteVersion},
			why: "a delete that was judged before the restore and arrives after it removes an object whose owner is back",
			run: restoresRaiseVersions,
		},
	}
	return withDemand(list, ownergraph.Level2, needBackup)
}

// epochs returns the epochs that the watch has announced, in order.
func (w *watcher) epochs() (list []string) {
	events, _ := w.reported()
	for _, e := range events {
		if e.Type == graph.Rewound {
			list = append(list, e.Epoch)
		}
	}
	return list
}

// announced starts a watch after a restore, and returns its epoch. The watch may
// announce it more than once.
func (t *trial) announced() string {
	t.Helper()
	w := t.watch().ready()
	list := w.epochs()
	if once := slices.Compact(slices.Clone(list)); len(once) != 1 || once[0] == "" {
		w.missing(fmt.Sprintf("a watch that begins after a restore announces the epoch of the last one: it announced %q", list))
	}
	w.stop()
	return list[0]
}

// epochsStay compares a watch that runs during the restore with later ones. The
// restore may end the first one.
func epochsStay(t *trial) {
	t.made("a")
	restore := t.backup()
	t.made("b")
	w := t.watch().ready()
	restore()
	w.until(func([]ownergraph.Event) bool { return len(w.epochs()) > 0 })
	first := t.announced()
	for _, epoch := range append(w.epochs(), t.announced(), t.announced()) {
		if epoch != first {
			t.broken(fmt.Sprintf("one restore has one epoch in every watch, %q", first), fmt.Sprintf("%q in another one", epoch))
		}
	}
}

func epochsDiffer(t *trial) {
	o := t.made("a")
	seen := map[string]bool{}
	for i := range 4 {
		restore := t.backup()
		o = t.touch(t.live(o.Key))
		restore()
		epoch := t.announced()
		if seen[epoch] {
			t.broken(fmt.Sprintf("restore %d has another epoch than the restores before", i+1), fmt.Sprintf("%q again", epoch))
		}
		seen[epoch] = true
	}
}

// restoresRaiseVersions tries every version from before the restore.
func restoresRaiseVersions(t *trial) {
	a, b := t.touch(t.made("a")), t.made("b", holdFinalizer)
	restore := t.backup()
	states := []ownergraph.Object{a, b, t.touch(a)}
	restore()
	for _, old := range states {
		now := t.live(old.Key)
		for _, was := range states {
			if was.Key == now.Key && was.Version == now.Version {
				t.broken(fmt.Sprintf("after a restore, %s has a version that it never had", place(now.Key)), now.String())
			}
		}
		err := t.delete(old.Key, ownergraph.DeleteOptions{Precondition: exact(old), Propagation: ownergraph.Background})
		t.refuse(fmt.Sprintf("a Delete of %s that was judged before the restore", old), err)
	}
}
