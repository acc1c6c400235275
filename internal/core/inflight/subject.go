package inflight

import (
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/inside"
	"github.com/ownergraph/ownergraph/policy"
)

// Subject is the object of a decision, at the judged version. That version is the answer of
// a conflict's read or, without one, the graph's object (R1). Each method makes the text that
// it returns, so a caller asks once. A Subject is valid until the next event. It is a value.
type Subject struct {
	node  graph.Node
	retry *graph.Object // nil for the graph's object
}

// Subject returns the subject of a decision about an observed node.
func (t *Calls[C]) Subject(n graph.Node) Subject {
	if !t.HasRetry(n.ID()) {
		return Subject{node: n}
	}
	o := t.retries[n.ID()]
	return Subject{n, &o}
}

// Object returns the whole object.
func (s Subject) Object() graph.Object {
	if s.retry != nil {
		return *s.retry
	}
	return s.node.Object()
}

// Named returns the key and the version.
func (s Subject) Named() (graph.Key, graph.Version) {
	if s.retry != nil {
		return s.retry.Key, s.retry.Version
	}
	return s.node.Inside(inside.Key{}).Named()
}

// Owner returns the i-th owner reference.
func (s Subject) Owner(i int) graph.Owner {
	if s.retry != nil {
		return s.retry.Owners[i]
	}
	return s.node.OwnerAt(i)
}

// References returns the owner references with these indexes, nil for none.
func (s Subject) References(named []int) (out []graph.Owner) {
	for _, i := range named {
		out = append(out, s.Owner(i))
	}
	return out
}

// OwnersElsewhere returns the references whose UID lives at other coordinates, if the reason is
// the absence of owners: see the method of graph.Node. Such a decision needs the references
// of the graph's object.
func (s Subject) OwnersElsewhere(why policy.Reason) []graph.OwnerElsewhere {
	switch why {
	case policy.OwnersGone, policy.OwnersWaiting, policy.CascadeOwnerGone, policy.CascadeOwnerWaits:
		return s.node.Inside(inside.Key{}).OwnersElsewhere()
	}
	return nil
}

// AppendOwner appends the i-th owner reference as Node.AppendOwner of package observed does.
// It makes no text.
func (s Subject) AppendOwner(b []byte, i int) []byte {
	if s.retry != nil {
		return graph.Inside(inside.Key{}).AppendOwner(b, &s.retry.Owners[i])
	}
	return s.node.Inside(inside.Key{}).AppendOwner(b, i)
}
