package measure

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/proof/bench/server"
	"github.com/ownergraph/ownergraph/internal/proof/bench/workload"
)

// maxAnnounced is the number of changes that a watch gets at once in the update row.
const maxAnnounced = 64

// listingRow times a whole collector from its start until it has taken every object of
// the listings and has decided about it. Nothing is to be collected.
func listingRow(side Side, p Params) (Metrics, error) {
	ctx, cancel := context.WithTimeout(context.Background(), p.Timeout)
	defer cancel()
	c := cascade{Params: p, world: workload.Trees(p.N)}
	if p.Order == Parallel {
		c.order = c.world.Parallel(server.MaxPage)
	}
	s := load(side, c)
	return p.profiled(func() (Metrics, error) {
		runtime.GC()
		took, m := newMeter(), Metrics{}
		took.begin()
		one, err := side.Start(ctx, s, How{Workers: p.Workers})
		if err != nil {
			return nil, err
		}
		err = one.Settled(ctx, p.N)
		took.end()
		took.per(p.N, m, "object")
		m["requests"] = float64(s.Counts().Total()) / float64(p.N)
		err = errors.Join(err, unchanged(s, one, 0, p.N), one.Stop())
		return m, err
	})
}

// updateRow times a whole collector at rest, from the first of its updates until it has
// taken the last. Each object gets a new version without another change. The server
// makes and stores the versions before.
func updateRow(side Side, p Params) (Metrics, error) {
	ctx, cancel := context.WithTimeout(context.Background(), p.Timeout)
	defer cancel()
	c := cascade{Params: p, world: workload.Trees(p.N)}
	s := load(side, c)
	team, err := gather(ctx, side, s, c)
	if err != nil {
		return nil, err
	}
	objects := make([]graph.Object, 0, p.N)
	for _, i := range workload.Shuffled(p.N, 1) {
		objects = append(objects, c.world.Object(i))
	}
	changes, before := s.Stage(objects), team[0].Events()
	m, err := p.profiled(func() (Metrics, error) {
		runtime.GC()
		took, m := newMeter(), Metrics{}
		took.begin()
		for part := range slices.Chunk(changes, maxAnnounced) {
			s.Announce(part)
		}
		err := team.settled(ctx, p.N)
		took.end()
		took.per(p.N, m, "object")
		return m, err
	})
	return m, errors.Join(err, unchanged(s, team[0], before, p.N), team.stop())
}

// unchanged checks that the collector has taken n events more than before, and that it
// has written nothing.
func unchanged(s *server.Server, c Collector, before uint64, n int) error {
	counts := s.Counts()
	switch took := c.Events() - before; {
	case took < uint64(n):
		return fmt.Errorf("end state: %d events were taken, want %d", took, n)
	case s.Len() != n || counts.Patches+counts.Deletes > 0:
		return fmt.Errorf("end state: %d objects, want %d, %d writes, want 0", s.Len(), n, counts.Patches+counts.Deletes)
	}
	return nil
}
