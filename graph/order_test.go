package graph_test

import (
	"testing"

	"github.com/ownergraph/ownergraph/graph"
)

// inEveryOrder plays the streams in every order of one with another, each in its own
// order, and returns the number of orders. Each order must end in the graph of want.
func inEveryOrder(t *testing.T, w *world, streams [][]graph.Event, want string) (orders int) {
	t.Helper()
	done := true
	for i, s := range streams {
		if len(s) == 0 {
			continue
		}
		done = false
		next := w.clone()
		next.do(t, s[0])
		streams[i] = s[1:]
		orders += inEveryOrder(t, next, streams, want)
		streams[i] = s
		if t.Failed() {
			return orders // one failure is enough
		}
	}
	if !done {
		return orders
	}
	if got := w.String(); got != want {
		t.Errorf("graph: %s\nwant   %s", got, want)
	}
	return 1
}

func streams(t *testing.T, histories []string) [][]graph.Event {
	var out [][]graph.Event
	for _, h := range histories {
		out = append(out, events(t, h))
	}
	return out
}

// TestGetAlternateOwnerIdentity has upstream's cases, under their names. A graph that
// knows an owner by its UID alone picks another identity when one turns out to be absent.
// In this graph each identity is a node of its own. The end of one identity changes no
// reference to another, in every order.
func TestGetAlternateOwnerIdentity(t *testing.T) {
	const kinds = "kinds child+ cchild nsparent+ nsparent.xx+ clusterparent parent+ kind+ k1 k2 k3 k4 k5 n1+ n2+ n3+ n4+ n5+"
	const five = "n1/ns1/name@uid, n2/ns1/name@uid, n3/ns1/name@uid, n4/ns1/name@uid, n5/ns1/name@uid"
	const cfive = "k1/name@uid, k2/name@uid, k3/name@uid, k4/name@uid, k5/name@uid"
	for _, tc := range []struct {
		name    string
		streams []string
		want    string
		reason  string
	}{
		{"namespaced alternate version", []string{"put child/ns1/child1 -> nsparent/ns1/p@u", "put child/ns1/child2 -> nsparent.xx/ns1/p@u", "gone nsparent/ns1/p@u"},
			"child/ns1/child1 -> nsparent/ns1/p@u {dangling}; child/ns1/child2 -> nsparent.xx/ns1/p@u {unlisted}; absent nsparent/ns1/p@u <1/0>; phantom nsparent.xx/ns1/p@u <1/0>",
			"the absent one's dependent dangles, the other's is still to be asked about"},
		{"namespaced alternate kind", []string{"put child/ns1/child1 -> nsparent/ns1/p@u", "put child/ns1/child2 -> xxxxxxxx/ns1/p@u", "gone nsparent/ns1/p@u"},
			"child/ns1/child1 -> nsparent/ns1/p@u {dangling}; child/ns1/child2 -> xxxxxxxx/ns1/p@u {unserved}; absent nsparent/ns1/p@u <1/0>; phantom xxxxxxxx/ns1/p@u <1/0>",
			"an unserved kind stays unknown"},
		{"namespaced alternate namespace", []string{"put child/ns1/child1 -> nsparent/ns1/p@u", "put child/ns2/child1 -> nsparent/ns2/p@u", "gone nsparent/ns1/p@u"},
			"child/ns1/child1 -> nsparent/ns1/p@u {dangling}; child/ns2/child1 -> nsparent/ns2/p@u {unlisted}; absent nsparent/ns1/p@u <1/0>; phantom nsparent/ns2/p@u <1/0>",
			"absence in one scope says nothing of another"},
		{"namespaced alternate name", []string{"put child/ns1/child1 -> nsparent/ns1/p@u", "put child/ns1/child2 -> nsparent/ns1/x@u", "gone nsparent/ns1/p@u"},
			"child/ns1/child1 -> nsparent/ns1/p@u {dangling}; child/ns1/child2 -> nsparent/ns1/x@u {unlisted}; absent nsparent/ns1/p@u <1/0>; phantom nsparent/ns1/x@u <1/0>",
			"absence of one name says nothing of another"},
		{"cluster alternate version", []string{"put child/ns1/child1 -> clusterparent/p@u", "put child/ns1/child2 -> clusterparent.xx/p@u?", "gone clusterparent/p@u"},
			`phantom ""@u <1/0>; child/ns1/child1 -> clusterparent/p@u {dangling}; child/ns1/child2 -> clusterparent.xx/p@u? {unresolved}; absent clusterparent/p@u <1/0>`,
			"the scope of the other version is unresolved, not guessed"},
		{"cluster alternate kind", []string{"put child/ns1/child1 -> clusterparent/p@u", "put child/ns1/child2 -> xxxxxxxxxxxxx/p@u?", "gone clusterparent/p@u"},
			`phantom ""@u <1/0>; child/ns1/child1 -> clusterparent/p@u {dangling}; child/ns1/child2 -> xxxxxxxxxxxxx/p@u? {unresolved}; absent clusterparent/p@u <1/0>`,
			"the scope of the other kind is unresolved, not guessed"},
		{"cluster alternate namespace", []string{"put child/ns1/child1 -> clusterparent/p@u", "put child/ns2/child1 -> clusterparent/p@u", "gone clusterparent/p@u"},
			"child/ns1/child1 -> clusterparent/p@u {dangling}; child/ns2/child1 -> clusterparent/p@u {dangling}; absent clusterparent/p@u <2/0>",
			"a global owner is the same from every scope"},
		{"cluster alternate name", []string{"put child/ns1/child1 -> clusterparent/p@u", "put child/ns1/child2 -> clusterparent/x@u", "gone clusterparent/p@u"},
			"child/ns1/child1 -> clusterparent/p@u {dangling}; child/ns1/child2 -> clusterparent/x@u {unlisted}; absent clusterparent/p@u <1/0>; phantom clusterparent/x@u <1/0>",
			"absence of one name says nothing of another"},
		{"namespaced ref from namespaced child returns first if absent is sorted last", []string{"put child/ns1/child1 -> " + five, "gone n5/ns1/name@uid"},
			"child/ns1/child1 -> " + five + " {unlisted, unlisted, unlisted, unlisted, dangling}; phantom n1/ns1/name@uid <1/0>; phantom n2/ns1/name@uid <1/0>; phantom n3/ns1/name@uid <1/0>; phantom n4/ns1/name@uid <1/0>; absent n5/ns1/name@uid <1/0>",
			"no identity comes first or last: all are there"},
		{"namespaced ref from namespaced child returns next after absent", []string{"put child/ns1/child1 -> " + five, "gone n4/ns1/name@uid"},
			"child/ns1/child1 -> " + five + " {unlisted, unlisted, unlisted, dangling, unlisted}; phantom n1/ns1/name@uid <1/0>; phantom n2/ns1/name@uid <1/0>; phantom n3/ns1/name@uid <1/0>; absent n4/ns1/name@uid <1/0>; phantom n5/ns1/name@uid <1/0>",
			"no identity is next: all are there"},
		{"cluster ref from cluster child returns first if absent is sorted last", []string{"put cchild/child1 -> " + cfive, "gone k5/name@uid"},
			"cchild/child1 -> " + cfive + " {unlisted, unlisted, unlisted, unlisted, dangling}; phantom k1/name@uid <1/0>; phantom k2/name@uid <1/0>; phantom k3/name@uid <1/0>; phantom k4/name@uid <1/0>; absent k5/name@uid <1/0>",
			"without scopes it is the same"},
		{"cluster ref from cluster child returns next after absent", []string{"put cchild/child1 -> " + cfive, "gone k4/name@uid"},
			"cchild/child1 -> " + cfive + " {unlisted, unlisted, unlisted, dangling, unlisted}; phantom k1/name@uid <1/0>; phantom k2/name@uid <1/0>; phantom k3/name@uid <1/0>; absent k4/name@uid <1/0>; phantom k5/name@uid <1/0>",
			"without scopes it is the same"},
		{"ignore unrelated", []string{"put child/ns1/child1 -> clusterparent/p@u, parent/ns1/name@anotheruid", "gone clusterparent/p@u"},
			"child/ns1/child1 -> clusterparent/p@u, parent/ns1/name@anotheruid {dangling, unlisted}; absent clusterparent/p@u <1/0>; phantom parent/ns1/name@anotheruid <1/0>",
			"another UID is another owner"},
		{"ignore matches", []string{"put child/ns1/child1 -> clusterparent/p@u, clusterparent/p@u", "gone clusterparent/p@u"},
			"child/ns1/child1 -> clusterparent/p@u, clusterparent/p@u {dangling, dangling}; absent clusterparent/p@u <2/0>",
			"one reference twice is one owner"},
		{"collapse duplicates", []string{"put cchild/child1 -> clusterparent/p@u, xxxxxxxxxxxxx/p@u, xxxxxxxxxxxxx/p@u", "gone clusterparent/p@u"},
			"cchild/child1 -> clusterparent/p@u, xxxxxxxxxxxxx/p@u, xxxxxxxxxxxxx/p@u {dangling, unserved, unserved}; absent clusterparent/p@u <1/0>; phantom xxxxxxxxxxxxx/p@u <2/0>",
			"one other identity, named twice, is one node"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			w := play(t, graph.Config{}, kinds)
			if n := inEveryOrder(t, w, streams(t, tc.streams), tc.want); n < 2 || t.Failed() {
				t.Errorf("%d orders: %s", n, tc.reason)
			}
		})
	}
}
