package storetest

import (
	"context"
	"fmt"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
)

const restartKeeps = "restart/keeps"

// lawsOfRestart are about the data that a new process finds.
func lawsOfRestart() []law {
	return []law{
		{
			name: restartKeeps, needs: []need{needRestart}, rests: []string{readMarked},
			why: "if a crash loses an owner, the engine deletes its dependents",
			run: restartsKeep,
		},
		{
			name: "restart/uids", needs: []need{needRestart}, rests: []string{"delete/new-uid"},
			why: "a counter that begins again gives a new object the UID of a removed one: its dependents are deleted at once",
			run: restartsReuseNoUID,
		},
		{
			name: "restart/versions", needs: []need{needRestart}, rests: []string{readFresh, restartKeeps, "version/new"},
			why: "a version that names two states accepts a write that was judged on the other state",
			run: restartsReuseNoVersion,
		},
		{
			name: "restart/watch", needs: []need{needRestart}, rests: []string{restartKeeps, watchComplete},
			why: "a new engine only knows the objects of the first listing",
			run: restartsAreListed,
		},
	}
}

// restart goes on with the same data, opened again.
func (t *trial) restart() {
	t.Helper()
	var next Subject
	t.hook("Restart", func(ctx context.Context) (err error) { next, err = t.Restart(ctx); return err })
	t.Subject = next
	t.checkSubject()
}

func restartsKeep(t *trial) {
	owner := t.made("owner")
	a := t.touch(t.owned("a", ownergraph.Owner{Key: owner.Key, Block: true}))
	marked := t.marked("marked")
	gone := t.made("gone")
	t.remove(gone)
	t.restart()
	for _, o := range []ownergraph.Object{owner, a, marked} {
		t.stillThere("after a restart", o)
	}
	t.absent("after a restart", gone.Key)
}

func restartsReuseNoUID(t *trial) {
	first := map[graph.UID]ownergraph.Object{}
	for i := range 6 {
		o := t.made(fmt.Sprintf("a%d", i))
		first[o.UID] = o
		t.remove(o)
	}
	t.restart()
	t.makesNewUIDs(first, "a restart")
}

// makesNewUIDs breaks the law if a new object has one of the former UIDs.
func (t *trial) makesNewUIDs(former map[graph.UID]ownergraph.Object, event string) {
	t.Helper()
	for i := range 12 {
		o := t.made(fmt.Sprintf("a%d", i))
		if old, twice := former[o.UID]; twice {
			t.broken(fmt.Sprintf("the UID of %s never returns, not even after %s", old, event), o.String())
		}
	}
}

func restartsReuseNoVersion(t *trial) {
	o := t.made("a")
	first := map[ownergraph.Version]ownergraph.Object{o.Version: o}
	for range 4 {
		o = t.touch(o)
		first[o.Version] = o
	}
	t.restart()
	t.makesNewVersions(t.live(o.Key), first, "a restart")
}

// makesNewVersions breaks the law if a new state of o has one of the former
// versions.
func (t *trial) makesNewVersions(o ownergraph.Object, former map[ownergraph.Version]ownergraph.Object, event string) {
	t.Helper()
	for i := range 8 {
		o = t.update(withFinalizers(o, fmt.Sprintf("example.org/other-%d", i)))
		if old, twice := former[o.Version]; twice {
			t.broken(fmt.Sprintf("the version of %s never names another state, not even after %s", old, event), o.String())
		}
	}
}

func restartsAreListed(t *trial) {
	want := []ownergraph.Object{t.touch(t.made("a")), t.marked("b")}
	t.remove(t.made("gone"))
	t.restart()
	t.watch().mustSee(fmt.Sprintf("the watch knows %s after a restart", formatObjects(want)), func(r *replica) bool {
		return r.listed() && r.agrees(t.main.Kind, want)
	})
}
