package brake

import (
	"fmt"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/inside"
)

// Check verifies the invariants of Machine.
func (m *Machine) Check(g *graph.Graph) error {
	live, window, called := map[slot]int{}, 0, 0
	full, promised := [len(m.full)]int{}, 0
	for id, w := range m.waits {
		if !g.Inside(inside.Key{}).InUse(id) {
			return fmt.Errorf("brake: 1: node %d waits, and is not in the graph", id)
		}
		for _, s := range w.slots {
			if s != 0 {
				live[s]++
			}
		}
		switch {
		case w.called && w.answer == NeedRoom:
			promised += int(w.need)
		case w.answer == NeedRoom:
			full[w.need]++
		case w.called:
			called++
		case w.answer == NeedToken:
			window++
		}
	}
	if window != m.window.live || called != m.called {
		return fmt.Errorf("brake: 2: %d nodes wait for a token and %d are called, counted are %d and %d", window, called, m.window.live, m.called)
	}
	for n := range full {
		if full[n] != m.full[n].live {
			return fmt.Errorf("brake: 2: %d nodes wait for %d places, and %d are counted", full[n], n, m.full[n].live)
		}
	}
	unrecorded, free := 0, 0
	for i := range m.cascades {
		c := &m.cascades[i]
		if c.unrecorded {
			unrecorded++
		}
		if i > 0 && c.hasEnded() {
			free++
		}
		if c.free && !c.listed {
			return fmt.Errorf("brake: 6: the cascade %s may be forgotten, and is in no list", c.key)
		}
	}
	if free != m.free || promised != m.promised {
		return fmt.Errorf("brake: 6: %d cascades may be forgotten and %d places are promised, counted are %d and %d", free, promised, m.free, m.promised)
	}
	if unrecorded != m.unrecorded {
		return fmt.Errorf("brake: 5: the record lacks %d cascades, and %d are counted", unrecorded, m.unrecorded)
	}
	calls := map[slot]int{}
	for _, shares := range m.calls {
		for _, x := range shares {
			if x.slot != 0 {
				calls[x.slot]++
			}
		}
	}
	for k, s := range m.index {
		switch c := m.at(s); {
		case c.key != k:
			return fmt.Errorf("brake: the slot of %s has %s", k, c.key)
		case c.held.live != live[s]:
			return fmt.Errorf("brake: 2: %d nodes wait for %s, and %d are counted", live[s], k, c.held.live)
		case c.underWay != calls[s]:
			return fmt.Errorf("brake: 3: %d calls of %s are under way, and %d are counted", calls[s], k, c.underWay)
		case c.handed > m.set.PerCascade:
			return fmt.Errorf("brake: 4: %d deletes of %s, the limit is %d", c.handed, k, m.set.PerCascade)
		}
	}
	return nil
}
