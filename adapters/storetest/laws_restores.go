package storetest

import (
	"fmt"

	"github.com/ownergraph/ownergraph"
)

const rewindAgain = "rewind/again"

// lawsOfRestores are about backups that are restored more than once.
func lawsOfRestores() []law {
	list := []law{
		{
			name: rewindAgain, rests: []string{"rewind/another-epoch", rewindReported, "rewind/uids"},
			why: "an engine takes each epoch once: it takes the second restore of a backup for the first, and goes on with absences that the restore took back",
			run: restoresDifferByThemselves,
		},
		{
			name: "rewind/raised-again", excuse: RaisedVersions, rests: []string{rewindAgain, "rewind/raised", "delete/conflict-changes-nothing"},
			why: "a delete that was judged between two restores of a backup, and arrives after the second, removes an object whose owner is back",
			run: restoresRaiseVersionsAgain,
		},
	}
	return withDemand(list, ownergraph.Level2, needBackup)
}

// restores restores backups, and notes the epoch of each restore.
type restores struct {
	t     *trial
	o     ownergraph.Object // a user changes it
	steps []string
	seen  map[string]string // the step of each epoch
	last  string            // the epoch of the last restore
}

// restore restores a backup, and breaks the law if a new watch announces a former epoch.
func (r *restores) restore(name string, restore func()) {
	t := r.t
	t.Helper()
	restore()
	epoch := t.announced()
	step := fmt.Sprintf("restore %s: epoch %q", name, epoch)
	r.steps = append(r.steps, step)
	if was, again := r.seen[epoch]; again {
		t.broken(fmt.Sprintf("each restore has an epoch of its own, also the second one of a backup: %q names %q", epoch, was), history(r.steps...))
	}
	r.seen[epoch], r.last = step, epoch
}

func (r *restores) write() {
	r.t.Helper()
	r.o = r.t.touch(r.t.live(r.o.Key))
	r.steps = append(r.steps, "update "+r.o.String())
}

func (r *restores) backup(name string) (restore func()) {
	r.t.Helper()
	r.steps = append(r.steps, "back up as "+name)
	return r.t.backup()
}

// restoresDifferByThemselves restores two backups several times: with writes in between,
// without, and one after the other. The second backup has the first restore in it.
func restoresDifferByThemselves(t *trial) {
	r := &restores{t: t, o: t.made("a"), seen: map[string]string{}}
	one := r.backup("one")
	r.write()
	r.restore("one", one)
	two := r.backup("two")
	r.write()
	t.secondRestoreIsReported(r, one)
	r.restore("one", one)
	r.restore("two", two)
	r.write()
	r.restore("two", two)
	r.restore("one", one)
	gone := r.t.live(r.o.Key)
	t.userDelete(gone.Key, ownergraph.DeleteOptions{})
	r.steps = append(r.steps, fmt.Sprintf("delete %s", gone))
	r.restore("one", one)
}

// secondRestoreIsReported restores a backup again while a watch runs. The watch reports
// the restore, or it ends.
func (t *trial) secondRestoreIsReported(r *restores, restore func()) {
	t.Helper()
	w := t.watch().ready()
	for _, which := range []string{"first", "second"} {
		before := len(w.epochs())
		r.restore("one", restore)
		reported := func([]ownergraph.Event) bool {
			list := w.epochs()
			return len(list) > before && list[len(list)-1] == r.last
		}
		if !w.until(reported) && !w.hasEnded() {
			w.missing(fmt.Sprintf("a running watch reports the %s of two restores of a backup: %s", which, history(r.steps...)))
		}
	}
}

// restoresRaiseVersionsAgain compares the versions of an object over several restores of
// one backup.
func restoresRaiseVersionsAgain(t *trial) {
	t.made("b", holdFinalizer)
	o := t.touch(t.made("a"))
	restore := t.backup()
	former := map[ownergraph.Version]string{o.Version: "at the backup"}
	steps := []string{"create and back up " + o.String()}
	for i := range 4 {
		if i%2 == 0 {
			o = t.touch(t.live(o.Key))
			former[o.Version] = "of an update"
			steps = append(steps, "update "+o.String())
		}
		last := t.live(o.Key)
		restore()
		o = t.live(o.Key)
		steps = append(steps, "restore it: "+o.String())
		if was, again := former[o.Version]; again {
			t.broken(fmt.Sprintf("each restore of a backup gives %s a version that it never had: %s was the version %s", place(o.Key), o.Version, was), history(steps...))
		}
		former[o.Version] = fmt.Sprintf("of restore %d", i+1)
		err := t.delete(last.Key, ownergraph.DeleteOptions{Precondition: exact(last), Propagation: ownergraph.Background})
		t.refuse(fmt.Sprintf("a Delete of %s that was judged before restore %d of the backup", last, i+1), err)
	}
}
