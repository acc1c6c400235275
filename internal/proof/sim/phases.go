package sim

import (
	"slices"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/policy"
)

// phased has the objects that wait for a phase in one engine (RULES, G7), each with the objects
// for which it waits. The oracle knows no order.
type phased map[graph.Key][]graph.Key

// phasedIn returns the objects of the store that wait for a phase in an engine.
func (s *sim) phasedIn(e *ownergraph.Engine) phased {
	objects := s.w.Store.Objects()
	out := phased{}
	for _, h := range e.Held(len(objects)) {
		if h.Reason != policy.NeedPhase {
			continue
		}
		out[h.Key] = nil
		for _, o := range objects {
			if o.Key != h.Key && slices.Contains(h.Detail, o.Key.String()) {
				out[h.Key] = append(out[h.Key], o.Key)
			}
		}
	}
	return out
}

// excuses reports whether the order explains that an object stays: it names other objects, and
// each of them is marked, or waits for a phase and is excused. The oracle judges the marked ones.
func (p phased) excuses(s *sim, k graph.Key) bool { return p.reaches(s, k, nil) }

func (p phased) reaches(s *sim, k graph.Key, path []graph.Key) bool {
	named := p[k]
	if len(named) == 0 || slices.Contains(path, k) {
		return false
	}
	path = append(path, k)
	return !slices.ContainsFunc(named, func(n graph.Key) bool {
		o, ok := s.w.Store.At(n)
		if _, waits := p[n]; waits {
			return !p.reaches(s, n, path)
		}
		return !ok || o.Key != n || !o.Deleting
	})
}

// blocker returns an object that keeps a waiting owner from its end, and that nothing ends. The
// dependents of the owner are judged as before.
func blocker(o graph.Object) graph.Object {
	k := o.Key
	k.Name, k.UID = k.Name+".order", k.UID+".order"
	return graph.Object{Key: k, Deleting: true, Finalizers: []string{"kept"}, Owners: []graph.Owner{{Key: o.Key, Block: true}}}
}
