package memory

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/ownergraph/ownergraph/group"
)

// Group is a group.Coordinator for the members of one process, for tests and examples. It is
// safe for concurrent use. A lease is measured by the monotonic clock of the process, and it is
// over exactly at its end. Use NewGroup.
//
//test:by TestGroup
type Group struct {
	mu      sync.Mutex
	members map[string]membership
}

// membership is the lease of the member of one name.
type membership struct {
	instance       string
	renewed, until time.Time
}

var _ group.Coordinator = (*Group)(nil)

// NewGroup returns a group without members.
func NewGroup() *Group { return &Group{members: map[string]membership{}} }

// Renew begins or renews the lease of a member (group.Coordinator). Errors: group.ErrTaken,
// graph.ErrInvalid, graph.ErrRefused for a member beyond group.MaxMembers, and that of an ended
// context.
//
//test:by TestGroup
func (g *Group) Renew(ctx context.Context, self group.Member, lease time.Duration) ([]group.Member, error) {
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("renew member %q: %w", self.Name, err)
	}
	err := group.ValidateRenewal(self, lease)
	var inForce []group.Member
	if err == nil {
		inForce, err = g.renew(self, lease)
	}
	if err == nil {
		inForce, err = group.Result(self, inForce)
	}
	if err != nil {
		return nil, fmt.Errorf("renew %w", err)
	}
	return inForce, nil
}

func (g *Group) renew(self group.Member, lease time.Duration) ([]group.Member, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	now := time.Now()
	for name, m := range g.members {
		if !now.Before(m.until) {
			delete(g.members, name)
		}
	}
	if m, ok := g.members[self.Name]; ok && m.instance != self.Instance {
		return nil, fmt.Errorf("member %q: %w", self.Name, group.ErrTaken)
	}
	g.members[self.Name] = membership{self.Instance, now, now.Add(lease)}
	inForce := make([]group.Member, 0, len(g.members))
	for name, m := range g.members {
		inForce = append(inForce, group.Member{Name: name, Instance: m.instance, Age: now.Sub(m.renewed)})
	}
	return inForce, nil
}

// Leave ends the lease of this instance at once (group.Coordinator). Errors: graph.ErrInvalid,
// and that of an ended context.
//
//test:by TestGroup
func (g *Group) Leave(ctx context.Context, self group.Member) error {
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("leave member %q: %w", self.Name, err)
	}
	if err := group.ValidateMember(self); err != nil {
		return fmt.Errorf("leave %w", err)
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.members[self.Name].instance == self.Instance {
		delete(g.members, self.Name)
	}
	return nil
}
