package follow

import (
	"fmt"

	"github.com/ownergraph/ownergraph/graph"
)

// Check verifies the invariants of Follower. It walks the graph.
func (f *Follower) Check(v View) error {
	for _, m := range f.sets() {
		if err := m.check(&v); err != nil {
			return fmt.Errorf("follow %s: %w", f.root, err)
		}
	}
	if f.isWalked(&v) {
		if err := f.set.checkReach(&v); err != nil {
			return fmt.Errorf("follow %s: %w", f.root, err)
		}
	}
	return nil
}

func (m *members) check(v *View) error {
	used, err := m.index.Check()
	if err != nil {
		return err
	}
	for c := range classes {
		used -= m.len(c)
		for i := range int32(m.len(c)) {
			x := *m.lists[c].At(i)
			if list, at, ok := m.place(x.id); !ok || list != c || at != i {
				return fmt.Errorf("1: node %d is in list %d at %d, and in another place by the index", x.id, c, i)
			}
			if err := m.checkMember(v, c, x); err != nil {
				return err
			}
		}
	}
	if used != 0 {
		return fmt.Errorf("1: %d entries more in the index than in the lists", used)
	}
	return nil
}

func (m *members) checkMember(v *View, c class, x member) error {
	if !v.InUse(x.id) {
		return fmt.Errorf("1: node %d is not in use", x.id)
	}
	n := v.Graph.Node(x.id)
	if exists := n.State() == graph.Observed; exists == (c == gone) || exists && c != classOf(v, x.id) {
		return fmt.Errorf("1: %s is %s and in list %d", n.Key(), n.State(), c)
	}
	if x.depth == 0 || m.suspect || !m.isDone(v) {
		return nil
	}
	if by, ok := m.support(v, n); !ok || by >= x.depth {
		return fmt.Errorf("2: %s at depth %d depends on depth %d, %v", n.Key(), x.depth, by, ok)
	}
	return nil
}

// checkReach compares the set with everything that can be reached from depth 0.
func (m *members) checkReach(v *View) error {
	for n := range v.Graph.Nodes() {
		if _, ok := m.support(v, n); n.State() == graph.Observed && ok && !m.has(n.ID()) {
			return fmt.Errorf("3: %s depends on a member and is none", n.Key())
		}
	}
	return nil
}
