package clientgo

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/client-go/rest"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/group"
)

// GroupLabel is the label of the Leases of a group. Its value is the name of the group.
const GroupLabel = "ownergraph.github.io/group"

// Group keeps the leases of the members of one group (group.Coordinator). Each member has a Lease
// of coordination.k8s.io/v1, with the label GroupLabel and the name "GROUP-MEMBER". Its holder is
// the member's instance. Use NewGroup. It is safe for concurrent use, and runs no goroutine.
//
// A Group compares no clocks. A lease is over when the Group has seen no change of the Lease for
// the time that the Lease names, by its own monotonic clock. That time counts as one of 1 s to
// 1 h. So a new Group takes each Lease that it finds for one in force at first. The times in a
// Lease are for people.
//
// Each write is conditioned on the UID and the version. Without the UID a server would make a deleted
// Lease anew under its old version. A member whose Lease is gone makes a new one. A Renew deletes at
// most 8 Leases that are over, so that members with random names leave nothing behind.
//
//test:by TestGroupLeases TestGroupExpiry TestGroupHostile TestGroupDeletesDead
//test:by internal/proof/e2e.TestGroupLeases internal/proof/e2e.TestGroupRights internal/proof/e2e.TestShares
type Group struct {
	namespace, name string
	client          *client

	mu   sync.Mutex
	seen map[string]observed // by the name of the Lease
	own  map[string]lease    // as this Group wrote it, by its name
	// blind says that the last list failed. A member that cannot see the others has no part, so the
	// next Renew lists before it writes. Otherwise its Lease would hold its part for ever.
	blind bool
}

var _ group.Coordinator = (*Group)(nil)

const leaseTries = 3 // of a write that meets another one

var (
	errContested = errors.New("other writers change the Lease at the same time")
	errNoSelf    = errors.New("its Lease has gone since")
)

// NewGroup returns the group of a name, with its Leases in a namespace. It sends no request, and
// copies the config. It uses the config as New does. An error wraps graph.ErrInvalid: the
// namespace is none, or the name cannot be a label and begin the name of a Lease. It may be the
// error of client-go for the config.
//
//test:by TestGroupNames
func NewGroup(server *rest.Config, namespace, name string) (*Group, error) {
	wrong := func(field, cause string) (*Group, error) {
		return nil, fmt.Errorf("new group %q: %s: %s: %w", clip(name), field, cause, graph.ErrInvalid)
	}
	if server == nil {
		return wrong("rest config", "nil")
	}
	if why := validation.IsDNS1123Label(namespace); len(why) > 0 {
		return wrong("namespace", why[0])
	}
	if why := slices.Concat(validation.IsDNS1123Subdomain(name), validation.IsValidLabelValue(name)); len(why) > 0 {
		return wrong("name", why[0])
	}
	c, err := newClient(server, slog.New(slog.DiscardHandler))
	if err != nil {
		return nil, fmt.Errorf("new group %q: %w", name, err)
	}
	return &Group{namespace: namespace, name: name, client: c, seen: map[string]observed{}, own: map[string]lease{}}, nil
}

// Renew renews the Lease of a member, or begins one, and lists the Leases (group.Coordinator). It
// takes two requests, and a third one after a list that has failed. A time of at most 1 h counts in
// whole seconds, rounded up.
//
// Of more than 1,000 Leases the first by name count, for all members. Errors: group.ErrTaken,
// graph.ErrInvalid, and graph.ErrRefused without a right, without the namespace, and for a Lease
// beyond the first. Other errors may pass, and may have RetryAfter.
//
//test:by TestGroupLeases TestGroupTaken TestGroupErrors TestGroupBounds TestGroupCannotList
func (g *Group) Renew(ctx context.Context, self group.Member, duration time.Duration) ([]group.Member, error) {
	name, err := g.leaseName("renew", self)
	if err != nil {
		return nil, err
	}
	if duration <= 0 || duration > longestLease {
		return nil, fmt.Errorf("renew member %q: lease: %v, want more than 0 and at most %v: %w", self.Name, duration, longestLease, graph.ErrInvalid)
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if g.isBlind() {
		if _, _, err := g.look(ctx); err != nil {
			return nil, err
		}
	}
	if err := g.acquire(ctx, name, self, duration); err != nil {
		return nil, err
	}
	begun := time.Now()
	list, whole, err := g.look(ctx)
	if err != nil {
		return nil, err
	}
	members, expired := g.judge(list, begun)
	g.clean(ctx, expired)
	switch err := checkSelf(members, self); {
	case err == nil:
		return members, nil
	case whole || !errors.Is(err, errNoSelf):
		return nil, err
	}
	return nil, fmt.Errorf("renew member %q: more than %d Leases have the label %s=%s, and the own one is not among the first: %w",
		self.Name, maxLeases, GroupLabel, g.name, graph.ErrRefused)
}

// look lists the Leases, and notes whether that has failed.
func (g *Group) look(ctx context.Context) (list []lease, whole bool, err error) {
	list, whole, err = g.listLeases(ctx)
	g.mu.Lock()
	g.blind = err != nil
	g.mu.Unlock()
	if err != nil {
		return nil, false, g.leaseError(ctx, "list", g.name+"-*", err)
	}
	return list, whole, nil
}

func (g *Group) isBlind() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.blind
}

// acquire writes the member's Lease. After a write that meets another one it looks at the Lease.
func (g *Group) acquire(ctx context.Context, name string, self group.Member, duration time.Duration) error {
	live := g.owned(name, self.Instance)
	for range leaseTries {
		verb, next := "create", g.newLease(name)
		if live != nil {
			verb, next = "update", live
		}
		next.Spec = next.Spec.renewed(self.Instance, duration, time.Now())
		out, err := g.sendLease(ctx, next, live == nil)
		switch {
		case err == nil:
			g.keep(name, out)
			return nil
		case !movedLease(err, name):
			return g.leaseError(ctx, verb, name, err)
		}
		begun := time.Now()
		if live, err = g.findLease(ctx, name); err != nil {
			return g.leaseError(ctx, "list", name, err)
		}
		if err := g.free(live, self, begun); err != nil {
			return err
		}
	}
	return fmt.Errorf("renew Lease %s/%s: %w", g.namespace, name, errContested)
}

// newLease returns a Lease of the group that does not exist yet.
func (g *Group) newLease(name string) *lease {
	return &lease{
		TypeMeta:   metav1.TypeMeta{APIVersion: leasesAt().GroupVersion().String(), Kind: "Lease"},
		ObjectMeta: metav1.ObjectMeta{Namespace: g.namespace, Name: name, Labels: map[string]string{GroupLabel: g.name}},
	}
}

// free returns the reason why the member may not have an existing Lease.
func (g *Group) free(l *lease, self group.Member, begun time.Time) error {
	if l == nil {
		return nil
	}
	holder := l.Spec.HolderIdentity
	switch {
	case holder == self.Instance:
		if l.Labels == nil { // its label was taken off
			l.Labels = map[string]string{}
		}
		l.Labels[GroupLabel] = g.name
		return nil
	case !g.labelled(l):
		return fmt.Errorf("renew Lease %s/%s: it exists, and has not the label %s=%s: %w", g.namespace, l.Name, GroupLabel, g.name, graph.ErrInvalid)
	}
	if _, inForce := g.observe(l, begun, time.Now()); inForce && holder != "" {
		return fmt.Errorf("renew Lease %s/%s: %q holds it: %w", g.namespace, l.Name, clip(holder), group.ErrTaken)
	}
	return nil
}

// checkSelf returns an error unless the members have the member itself.
func checkSelf(members []group.Member, self group.Member) error {
	i := slices.IndexFunc(members, func(m group.Member) bool { return m.Name == self.Name })
	switch {
	case i < 0:
		return fmt.Errorf("renew member %q: %w", self.Name, errNoSelf)
	case members[i].Instance != self.Instance:
		return fmt.Errorf("renew member %q: %q holds its Lease: %w", self.Name, clip(members[i].Instance), group.ErrTaken)
	}
	return nil
}

// Leave deletes the member's Lease, if this instance holds it (group.Coordinator). Errors: those
// of Renew, without group.ErrTaken.
//
//test:by TestGroupLeave
func (g *Group) Leave(ctx context.Context, self group.Member) error {
	name, err := g.leaseName("leave", self)
	if err != nil {
		return err
	}
	live := g.owned(name, self.Instance)
	g.forget(name)
	for range leaseTries {
		if live == nil {
			if live, err = g.findLease(ctx, name); err != nil {
				return g.leaseError(ctx, "list", name, err)
			}
		}
		if live == nil || live.Spec.HolderIdentity != self.Instance {
			return nil
		}
		err := g.deleteLease(ctx, live)
		switch {
		case err == nil, errors.Is(sentinelOf(err, leasesAt().Resource, name), graph.ErrNotFound):
			return nil
		case !movedLease(err, name):
			return g.leaseError(ctx, "delete", name, err)
		}
		live = nil
	}
	return fmt.Errorf("leave Lease %s/%s: %w", g.namespace, name, errContested)
}

// owned returns a copy of the Lease that this Group wrote for an instance, or nil.
func (g *Group) owned(name, instance string) *lease {
	g.mu.Lock()
	defer g.mu.Unlock()
	l, ok := g.own[name]
	if !ok || l.Spec.HolderIdentity != instance {
		return nil
	}
	return &l
}

func (g *Group) keep(name string, l *lease) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.own[name] = *l
}

func (g *Group) forget(name string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	delete(g.own, name)
}
