package properties

import (
	"fmt"
	"testing"
	"time"

	"github.com/ownergraph/ownergraph/graph"
)

func TestProbe(t *testing.T) {
	for _, p := range []graph.Propagation{graph.Background, graph.Foreground, graph.Orphan} {
		for _, s := range []struct {
			n string
			o []graph.Object
		}{{"star10", tree(10)}, {"star1000", tree(1000)}, {"3-30", tree(3, 10)}, {"3-90", tree(3, 30)}, {"chain50", chain(49)}, {"diamond", diamond()}, {"ring10", ring(10)},
			{"star10k", tree(10000)}, {"chain1k", chain(1000)}, {"chain2k", chain(2000)}, {"chain4k", chain(4000)}, {"ring1k", ring(1000)}, {"ring2k", ring(2000)}, {"ring4k", ring(4000)}} {
			b := watched(t, 20, s.o); b.lag=1
			before := b.engine.Stats()
			turns := b.turns
			b.most = load{}
			begin := time.Now()
			b.remove(rootKey, p)
			b.settle()
			a := b.engine.Stats()
			fmt.Println(p, s.n, "left", len(b.objects), "reads", a.Reads-before.Reads, "patch", a.Patches-before.Patches, "del", a.Deletes-before.Deletes, "fences", a.FenceCalls-before.FenceCalls, "dec", a.Decisions-before.Decisions, "turns", b.turns-turns, b.most, "rings", a.Rings, time.Since(begin), b.now)
		}
	}
}
