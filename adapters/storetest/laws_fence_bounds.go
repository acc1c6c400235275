package storetest

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
)

// lawsOfFenceBounds are about fences that a store may lose.
func lawsOfFenceBounds() []law {
	return []law{
		{
			name: "fence/ids", level: ownergraph.Level2, needs: []need{needFencer}, rests: []string{fencePasses},
			why: "a fence whose id changes never passes: its deletion never ends",
			run: fencesKeepTheirIDs,
		},
		{
			name: "fence/compacted", level: ownergraph.Level2, needs: []need{needFencer, needCompact}, rests: []string{fencePasses, "fence/listing", "watch/compaction"},
			why: "a fence that is deleted with the log never passes: its deletion never ends",
			run: fencesOutliveCompaction,
		},
	}
}

// fencesKeepTheirIDs takes ids that a signed integer, and a float64, cannot hold.
func fencesKeepTheirIDs(t *trial) {
	f, _ := ownergraph.As[ownergraph.Fencer](t.Store)
	w := t.watch().ready()
	for _, id := range []uint64{1<<53 + 1, 1<<62 | rand.Uint64(), 1<<63 | rand.Uint64(), math.MaxUint64 - uint64(rand.Uint32())} {
		t.accept(fmt.Sprintf("Fence %d", id), t.do("Fence", func(ctx context.Context) error { return f.Fence(ctx, id) }))
		t.mustPass(w, id)
	}
}

// fencesOutliveCompaction holds the watch while a fence begins and the store
// forgets its log.
func fencesOutliveCompaction(t *trial) {
	j := &journal{}
	w := t.watchHeld()
	w.holdAt("the watch lists "+string(t.main.Kind), isMain(t, graph.ListEnded))
	j.put(t.made("before"))
	id := t.fence()
	marks := map[uint64]int{id: j.last()}
	j.put(t.made("behind"))
	t.hook("Compact", t.Compact)
	w.free()
	t.mustPass(w, id)
	t.notEarly(w, j, marks)
}
