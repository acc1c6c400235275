package memory

import (
	"testing"
	"testing/synctest"

	"github.com/ownergraph/ownergraph/graph"
)

// TestList: List makes a watch list the kind once, and never in an older state than it
// reported.
func TestList(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStore(t, start, 0)
		r := record(t, s)
		r.wants(t, listed...)
		release := r.block()
		put(t, s, "node/n*")
		synctest.Wait() // the sink blocks at this batch
		put(t, s, "pod/ns/a*")
		put(t, s, "pod/ns/b")
		put(t, s, "node/n")
		do(t, s.List(t.Context(), "pod"), s.List(t.Context(), "pod"))
		put(t, s, "pod/ns/b*")
		release()
		r.wants(t, "put node/n@n1#3*", "list pod", "put pod/ns/a@a1#4*", "put pod/ns/b@u1#7*%1/0", "ended pod 7", "put node/n@n1#6")
		do(t, s.List(t.Context(), "pod"))
		r.wants(t, "list pod", "put pod/ns/a@a1#4*", "put pod/ns/b@u1#7*%1/0", "ended pod 7")
		put(t, s, "pod/ns/b")
		r.wants(t, "put pod/ns/b@u1#8%1/0")
	})
}

func TestWatchKinds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStore(t, start, 0)
		r := record(t, s)
		r.wants(t, listed...)
		do(t, insider{s}.AddKind(graph.KindInfo{Kind: "job"}))
		r.wants(t, "kinds job node pod", "list job", "ended job 2")
		put(t, s, "job/j")
		r.wants(t, "put job/j@u1#3%1/0")
		do(t, insider{s}.RemoveKind("pod"))
		r.wants(t, "vanished pod", "kinds job node")
		fenced(t, s)
		do(t, insider{s}.AddKind(graph.KindInfo{Kind: "job"}))
		r.wants(t, "fence 1 job", "fence 1 node", "fence 1 ")
		do(t, insider{s}.AddKind(graph.KindInfo{Kind: "pod", Scoped: true}))
		r.wants(t, "kinds job node pod", "list pod", "put pod/ns/a@a1#2", "ended pod 3")
		do(t, insider{s}.AddKind(graph.KindInfo{Kind: "pod", Scoped: true, NoOwner: true}))
		r.wants(t, "kinds job node pod")
	})
}

// TestWatchMissesNoKind: a blocked watch reports the present kinds when it goes on, and
// no change of a removed kind.
func TestWatchMissesNoKind(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStore(t, start, 2)
		r := record(t, s)
		r.wants(t, listed...)
		release := r.block()
		put(t, s, "node/n*")
		synctest.Wait() // the sink blocks at this batch
		put(t, s, "pod/ns/a*")
		do(t, insider{s}.RemoveKind("pod"), insider{s}.AddKind(graph.KindInfo{Kind: "job"}))
		put(t, s, "job/j")
		release()
		r.wants(t, "put node/n@n1#3*", "vanished pod", "kinds job node", "list job", "put job/j@u1#5%1/0", "ended job 5")

		do(t, insider{s}.Sicken("job", "no disk"))
		synctest.Wait()
		release = r.block()
		put(t, s, "node/n")
		synctest.Wait() // the sink blocks at this batch
		for range 3 {
			put(t, s, "node/n*")
			put(t, s, "node/n")
		}
		do(t, insider{s}.Recover("job"))
		release()
		r.wants(t, "sick job no disk", "put node/n@n1#6", "kinds job node", "recovered job", "list job", "put job/j@u1#5%1/0", "ended job 12",
			"list node", "put node/n@n1#12", "ended node 12")
	})
}

func TestWatchRewinds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStore(t, start, 0)
		r := record(t, s)
		before := insider{s}.Snapshot()
		r.wants(t, listed...)
		remove(t, s, "pod/ns/a")
		put(t, s, "pod/ns/a")
		r.wants(t, "gone pod/ns/a@a1", "put pod/ns/a@u1#4%1/0")
		do(t, insider{s}.Sicken("node", "no disk"))
		r.wants(t, "sick node no disk")
		do(t, insider{s}.Restore(before))
		r.wants(t, "rewound restored to version 2", "kinds node pod", "list pod", "put pod/ns/a@a1#7", "ended pod 7")
		put(t, s, "pod/ns/b")
		fenced(t, s)
		r.wants(t, "put pod/ns/b@u2#8%1/0", "fence 1 pod", "fence 1 ")
		do(t, insider{s}.Recover("node"))
		r.wants(t, "recovered node", "list node", "put node/n@n1#6", "ended node 8", "fence 1 node")
		joins := record(t, s)
		// A watch that begins later reports the restore too. Its engine may have missed
		// it.
		joins.wants(t, "rewound restored to version 2", "kinds node pod", "list node", "put node/n@n1#6", "ended node 8", "list pod", "put pod/ns/a@a1#7",
			"put pod/ns/b@u2#8%1/0", "ended pod 8")
	})
}
