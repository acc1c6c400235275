package sim

import (
	"slices"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/policy"
)

// phased has the objects that wait for a phase in one engine (RULES, G7), each with the objects
// for which it waits. The oracle knows no order.
type phased map[graph.Key]awaited

// awaited has the objects that the report of a held object names. A full report may lack some.
type awaited struct {
	named []graph.Key
	full  bool
}

// maxNamed is the number of lines that such a report has at most.
const maxNamed = 8

// phasedIn returns the objects of the store that wait for a phase in an engine, or in the one that
// has the object in its share.
func (s *sim) phasedIn(side int) phased {
	objects := s.w.Store.Objects()
	out := phased{}
	for i := range objects {
		h, ok := s.heldBy(side, objects[i].Key)
		if !ok || h.Reason != policy.NeedPhase {
			continue
		}
		x := awaited{full: len(h.Detail) >= maxNamed}
		for _, o := range objects {
			if o.Key != h.Key && slices.Contains(h.Detail, o.Key.String()) {
				x.named = append(x.named, o.Key)
			}
		}
		out[h.Key] = x
	}
	return out
}

// excuses reports whether the order explains that an object stays: it names other objects, and
// each of them is under way. The oracle judges each object that does not wait for a phase.
func (p phased) excuses(s *sim, k graph.Key) bool { return p.explains(s, k, nil) }

func (p phased) explains(s *sim, k graph.Key, path []graph.Key) bool {
	x := p[k]
	if len(x.named) == 0 || slices.Contains(path, k) {
		return false
	}
	path = append(path, k)
	return !slices.ContainsFunc(x.named, func(n graph.Key) bool { return !p.isUnderWay(s, n, x, path) })
}

// isUnderWay reports whether an object goes, or will go: it is marked, or waits for a phase and
// is excused, or one of the named owners is under way. A restricted object with a marked owner goes
// when a user ends the restriction (RULES, E4), and the order waits for that. It waits for a member of a
// marked holder, too, which the sweep deletes when it comes to it.
func (p phased) isUnderWay(s *sim, k graph.Key, x awaited, path []graph.Key) bool {
	if _, waits := p[k]; waits {
		return p.explains(s, k, path)
	}
	o, ok := s.w.Store.At(k)
	if !ok || o.Key != k || slices.Contains(path, k) {
		return false
	}
	path = append(path, k)
	marked := func(r graph.Owner) bool { a, ok := s.w.Store.At(r.Key); return ok && a.Key == r.Key && a.Deleting }
	switch {
	case o.Deleting, s.sweeps != nil && s.sweeps.IsAwaited(o), s.restricts(o) && slices.ContainsFunc(o.Owners, marked):
		return true
	}
	return slices.ContainsFunc(o.Owners, func(r graph.Owner) bool {
		return (x.full || slices.Contains(x.named, r.Key)) && p.isUnderWay(s, r.Key, x, path)
	})
}

// blocker returns an object that keeps a waiting owner from its end, and that nothing ends. The
// dependents of the owner are judged as before.
func blocker(o graph.Object) graph.Object {
	k := o.Key
	k.Name, k.UID = k.Name+".order", k.UID+".order"
	return graph.Object{Key: k, Deleting: true, Finalizers: []string{"kept"}, Owners: []graph.Owner{{Key: o.Key, Block: true}}}
}
