package sweep

import (
	"maps"
	"slices"

	"github.com/ownergraph/ownergraph/graph"
)

// Memory is the knowledge that the sweep of a holder is over, although the holder still
// exists without the sweep's finalizer. The graph does not show it. It is a value.
type Memory struct {
	plan   int
	holder graph.Key
}

// Memory returns what sweeps that begin anew would not know.
func (sw *Sweeps) Memory() (out []Memory) {
	for _, id := range slices.Sorted(maps.Keys(sw.runs)) {
		if r := sw.runs[id]; r.over && r.node != 0 {
			out = append(out, Memory{r.plan, r.holder.Key})
		}
	}
	return out
}

// Recall takes over the memory of other sweeps with the same configuration, for the holders
// that the graph has.
//
//test:by TestRecall
func (sw *Sweeps) Recall(v View, all []Memory) {
	for _, m := range all {
		n, ok := v.Graph.Lookup(m.holder)
		if !ok || !sw.IsHolder(n.ID()) || sw.runs[sw.of[runKey{n.ID(), m.plan}]] != nil {
			continue
		}
		sw.begin(v, m.plan, n.ID(), n.Object()).over = true
	}
}
