package etcdstore

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"time"
	"unicode/utf8"

	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/group"
)

// Group is a group.Coordinator on an etcd cluster, for collectors on any store. It is safe for
// concurrent use. Each member has a lease of etcd and one key under it. Only Renew keeps the
// lease alive, because a process that renews in the background and does not work holds its part
// for ever. So it is no session of package concurrency. Use NewGroup.
//
//test:by TestGroup TestGroupProcesses TestGroupBesideOther
type Group struct {
	client  *clientv3.Client
	kv      clientv3.KV
	prefix  string      // of the keys of members
	checked atomic.Bool // the server is etcd

	mu       sync.Mutex
	leases   map[group.Member]memberLease // of the members of this process
	seen     map[string]firstSeen         // of the last answer, by key
	revision int64                        // of that answer
	noted    time.Time                    // of that answer
}

// memberLease is a lease of etcd, and the time that Renew has asked for.
type memberLease struct {
	id  clientv3.LeaseID
	ttl int64
}

// membersPrefix begins the keys of members, after the prefix. No kind of a store has such keys.
const membersPrefix = ".members/"

var _ group.Coordinator = (*Group)(nil)

// NewGroup returns the group of a prefix. It makes no request. The prefix is that of a store
// (Config.Prefix), or it is outside of all stores. An empty one is "ownergraph/", as in Config.
// The keys begin with the prefix and ".members/", which no store uses. Each prefix has one group.
//
// The group uses the client's connection, as New does. The caller closes the client. The error
// wraps ErrInvalid, and names the wrong argument.
//
//test:by TestNewGroup TestGroupBesideStore
func NewGroup(client *clientv3.Client, prefix string) (*Group, error) {
	if prefix == "" {
		prefix = defaultPrefix
	}
	cause := ""
	switch {
	case client == nil:
		return nil, fmt.Errorf("new group: client: nil: %w", graph.ErrInvalid)
	case strings.Contains(prefix, membersPrefix):
		cause = fmt.Sprintf("it has %q, as the keys of another group", membersPrefix)
	case len(prefix) > maxGroupPrefix:
		cause = fmt.Sprintf("%d bytes, more than %d", len(prefix), maxGroupPrefix)
	case !utf8.ValidString(prefix):
		cause = "not UTF-8"
	default:
		return &Group{
			client: client, kv: clientv3.NewKV(client), prefix: prefix + membersPrefix,
			leases: map[group.Member]memberLease{}, seen: map[string]firstSeen{},
		}, nil
	}
	return nil, fmt.Errorf("new group: prefix %.200q: %s: %w", prefix, cause, graph.ErrInvalid)
}

const maxGroupPrefix = 1024

// Renew begins or renews the lease of a member (group.Coordinator). It costs a transaction that
// writes the member's key and reads all of them, and a request that keeps the lease alive. A
// lease has whole seconds, rounded up. Etcd lengthens one that is below its least, which is one
// and a half times its election timeout. In an outage a call waits until its context ends.
//
// Errors: group.ErrTaken, ErrInvalid, and ErrRefused without the right to the keys, for a member
// beyond group.MaxMembers, and on kine, which cannot renew a lease.
//
//test:by TestGroup TestGroupLostLease TestGroupRefused TestGroupLosesRight TestGroupRestart TestGroupRevisionFalls TestGroupForeignKeys TestGroupTooMany TestGroupOnKine
func (g *Group) Renew(ctx context.Context, self group.Member, lease time.Duration) ([]group.Member, error) {
	self.Age = 0 // it is a key of a map
	if err := group.ValidateRenewal(self, lease); err != nil {
		return nil, fmt.Errorf("renew %w", err)
	}
	now, err := g.renew(ctx, self, int64((lease+time.Second-1)/time.Second))
	if err != nil {
		return nil, groupFailed(ctx, "renew", self, err)
	}
	list, err := group.Result(self, g.inForce(now))
	if err != nil && len(now.all) > group.MaxMembers && !errors.Is(err, graph.ErrRefused) {
		return nil, groupFailed(ctx, "renew", self, fmt.Errorf("the group has other keys before it, more than %d: %w", group.MaxMembers, graph.ErrRefused))
	}
	if err != nil {
		return nil, fmt.Errorf("renew %w", err)
	}
	return list, nil
}

// Leave ends the lease of this instance at once (group.Coordinator). Errors: ErrInvalid, and
// ErrRefused without the right to the keys.
//
//test:by TestGroup TestGroupRefused
func (g *Group) Leave(ctx context.Context, self group.Member) error {
	self.Age = 0
	if err := group.ValidateMember(self); err != nil {
		return fmt.Errorf("leave %w", err)
	}
	if err := g.leave(ctx, self); err != nil {
		return groupFailed(ctx, "leave", self, err)
	}
	return nil
}

// groupFailed names the verb and the member. The end of the context is the first cause.
func groupFailed(ctx context.Context, verb string, self group.Member, err error) error {
	if ended := ctx.Err(); ended != nil && !errors.Is(err, ended) {
		err = fmt.Errorf("%w: %w", ended, err)
	}
	return fmt.Errorf("%s member %.200q: %w", verb, self.Name, err)
}

// check refuses kine, at the first use. Each answer of etcd names its cluster. The status of the
// server would name it too, but some versions show that to administrators only.
func (g *Group) check(ctx context.Context) error {
	if err := ctx.Err(); err != nil || g.checked.Load() {
		return err
	}
	r, err := g.kv.Get(ctx, g.prefix)
	switch {
	case err != nil:
		return refusal(err)
	case r.Header.GetClusterId() == 0:
		return fmt.Errorf("the server is no etcd, as kine: a group needs leases that can be renewed: %w", graph.ErrRefused)
	}
	g.checked.Store(true)
	return nil
}
