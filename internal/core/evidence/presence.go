package evidence

import (
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/seq"
	"github.com/ownergraph/ownergraph/internal/inside"
	"github.com/ownergraph/ownergraph/policy"
)

// readState returns the result of the last read of a node, as far as it still counts. A
// later event of the watch voids it, except an event that says the same.
func (v *View) readState(id graph.NodeID) (s policy.ReadState, began seq.Stamp, same bool) {
	x, ok := v.Reads.Result(id)
	if !ok || x.Began <= max(v.Kinds.Rewound(), v.Kinds.LostAt()) {
		return policy.ReadUnset, 0, false
	}
	n, m := v.Node(id), v.State(id)
	switch n.State() {
	case graph.Phantom:
		if v.Kinds.Of(n.Kind()).Ended > x.Began {
			return policy.ReadUnset, 0, false
		}
	case graph.Observed:
		if m.Known > x.Done && (m.Role > x.Done || RoleOf(n) != x.State) {
			return policy.ReadUnset, 0, false
		}
		same = n.Inside(inside.Key{}).HasVersion(x.Version) && m.Known < x.Began
	default:
		return policy.ReadUnset, 0, false
	}
	return x.State, x.Began, same
}

// RoleOf returns the read state that a read of the observed node would return.
func RoleOf(n graph.Node) policy.ReadState { return policy.ReadStateOf(n.Waiting(), n.Orphaning()) }

// ReadStateOf returns the read state of an object that a read returned. Withheld says that its
// mark counts for no dependent.
func ReadStateOf(o *graph.Object, withheld bool) policy.ReadState {
	return policy.ReadStateOf(!withheld && o.Waiting(), !withheld && o.Orphaning())
}
