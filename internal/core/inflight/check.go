package inflight

import (
	"fmt"
	"maps"
	"slices"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/fingerprint"
	"github.com/ownergraph/ownergraph/internal/core/kinds"
	"github.com/ownergraph/ownergraph/internal/core/record"
	"github.com/ownergraph/ownergraph/internal/core/seq"
	"github.com/ownergraph/ownergraph/queue"
)

// Check verifies the invariants of Calls. Calls that began up to rewound do not count for
// N3.
func (t *Calls[C]) Check(v record.Nodes, work *queue.Queue[graph.NodeID], rewound seq.Stamp) error {
	flying := map[graph.NodeID]bool{}
	for x := range work.Entries() {
		flying[x.Key] = x.State == queue.InFlight
	}
	reads := map[graph.Key]bool{}
	for _, id := range t.IDs() {
		x := t.under[id]
		if x.Purpose == Read {
			if reads[x.Key] {
				return fmt.Errorf("N4: %s is read twice at once", x.Key)
			}
			reads[x.Key] = true
		}
		if !x.Purpose.isOwn() || !v.InUse(x.Node) || v.Node(x.Node).Key() != x.Key {
			continue
		}
		if x.Purpose.isWrite() && (x.Version == "" || x.Key.UID == "") {
			return fmt.Errorf("N6: call %d on %s: no UID or version", id, x.Key)
		}
		former := x.Began <= rewound || v.Node(x.Node).State() != graph.Observed // the node may have gone since
		if own := v.State(x.Node).Call; !former && (own != id || !flying[x.Node]) {
			return fmt.Errorf("N3: call %d on %s: the node has call %d in flight", id, x.Key, own)
		}
	}
	for id := range t.retries {
		if !v.InUse(id) {
			return fmt.Errorf("N5: retry of node %d, which is not in the graph", id)
		}
	}
	return nil
}

// IDs returns the ids of the calls, with the prepared ones, sorted.
func (t *Calls[C]) IDs() []uint64 { return slices.Sorted(maps.Keys(t.under)) }

// At returns the call with the id, the zero Call without one.
func (t *Calls[C]) At(id uint64) Call { return t.under[id] }

// Hash writes a call to the printer: its fields, and the comparisons of its beginning with
// the state of its object. Fence is the id of the fence under way.
func (x *Call) Hash(p *fingerprint.Printer, id uint64, v record.Nodes, k *kinds.Table, fence uint64) {
	p.Word(uint64(x.Purpose)<<8 | uint64(x.Orphan))
	p.Key(x.Key)
	p.Version(x.Key, x.Version)
	p.Text(x.Handler)
	p.Word(uint64(x.Wrote))
	p.Flags(x.Run != 0, x.Shown, x.Ahead, x.Fence != 0 && x.Fence == fence, x.Began > k.Rewound(), x.Began > k.LostAt())
	n, ok := v.Graph.Lookup(x.Key)
	if !ok {
		return
	}
	s := v.State(n.ID())
	p.Flags(s.Known > x.Began, n.ID() == x.Node, s.Call == id)
	if x.Purpose == Read {
		p.Flags(s.Known < x.Began, s.Changed < x.Began)
	}
}
