package clientgo

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/ownergraph/ownergraph/group"
)

const (
	maxExpired = 8 // Leases that one Renew deletes
	// expiredTimeout bounds the deletion of Leases that are over, which may not delay a renewal.
	expiredTimeout = time.Second
)

// observed is the state of a Lease, and the time at which it was seen first.
type observed struct {
	spec leaseSpec
	at   time.Time
}

// observe notes a Lease, and returns the time since its last change and whether it is in force.
// begun is before the request, so that the judgement is about a moment at which the server had
// this state. ended is after the answer, so that no renewal is later than it was noted.
func (g *Group) observe(l *lease, begun, ended time.Time) (age time.Duration, inForce bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	o, known := g.seen[l.Name]
	if !known || o.spec != l.Spec {
		o = observed{l.Spec, ended}
		g.seen[l.Name] = o
	}
	return max(0, ended.Sub(o.at)), begun.Sub(o.at) < l.Spec.duration()
}

// judge divides the listed Leases into the members and the Leases that are over. It forgets the
// Leases that are not in the list.
func (g *Group) judge(list []lease, begun time.Time) (members []group.Member, expired []lease) {
	ended, listed := time.Now(), map[string]bool{}
	for i := range list {
		l := &list[i]
		m, ok := g.memberOf(l)
		if !ok {
			continue
		}
		listed[l.Name] = true
		age, inForce := g.observe(l, begun, ended)
		switch m.Age = age; {
		case !inForce && l.DeletionTimestamp == nil:
			expired = append(expired, *l)
		case inForce && m.Instance != "":
			members = append(members, m)
		}
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	for name := range g.seen {
		if !listed[name] {
			delete(g.seen, name)
		}
	}
	slices.SortFunc(members, func(a, b group.Member) int { return strings.Compare(a.Name, b.Name) })
	return members, expired
}

// clean deletes some of the Leases that are over. An error leaves them to the next Renew, or to
// another member: a missing right may not stop the living ones.
func (g *Group) clean(ctx context.Context, expired []lease) {
	if len(expired) == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, expiredTimeout)
	defer cancel()
	for i := range expired[:min(len(expired), maxExpired)] {
		_ = g.deleteLease(ctx, &expired[i])
	}
}
