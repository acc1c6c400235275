package etcdstore

import (
	"context"
	"errors"

	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/ownergraph/ownergraph/group"
)

// maxJoins bounds the tries to write a key that others write at the same time.
const maxJoins = 4

// renew writes the key of a member, and keeps its lease alive. If the lease or the key is gone,
// it makes them anew.
func (g *Group) renew(ctx context.Context, self group.Member, ttl int64) (now groupAnswer, err error) {
	if err := g.check(ctx); err != nil {
		return now, err
	}
	for range maxJoins {
		now, err = g.prolong(ctx, self, ttl)
		if err != nil || now.done {
			return now, err
		}
		if g.isTaken(now.own, self) {
			g.drop(ctx, self)
			return now, group.ErrTaken
		}
		if now, err = g.join(ctx, self, ttl, now.own.GetModRevision()); err != nil || now.done {
			return now, err
		}
	}
	return now, errContended
}

// prolong renews the lease that this process has for a member. It is not done if there is none, or
// one of another time. The write of the key comes first: everyone may keep a lease alive, and a
// member that has lost the right to its key holds no part.
func (g *Group) prolong(ctx context.Context, self group.Member, ttl int64) (now groupAnswer, err error) {
	g.mu.Lock()
	held := g.leases[self]
	g.mu.Unlock()
	if held.id == clientv3.NoLease || held.ttl != ttl {
		return g.read(ctx, self.Name)
	}
	now, err = g.write(ctx, self, held.id, clientv3.Compare(clientv3.LeaseValue(g.key(self.Name)), "=", held.id))
	if err == nil && now.done {
		_, err = g.client.KeepAliveOnce(ctx, held.id)
	}
	if errors.Is(err, rpctypes.ErrLeaseNotFound) { // it has ended meanwhile
		return g.read(ctx, self.Name)
	}
	return now, refusal(err)
}

// join begins a lease, and puts the member's key under it, if the key is at a revision. Then the
// former lease of the member is of no use.
func (g *Group) join(ctx context.Context, self group.Member, ttl, revision int64) (now groupAnswer, err error) {
	granted, err := g.client.Grant(ctx, ttl)
	if err != nil {
		return now, refusal(err)
	}
	now, err = g.write(ctx, self, granted.ID, clientv3.Compare(clientv3.ModRevision(g.key(self.Name)), "=", revision))
	if err != nil || !now.done {
		g.revoke(ctx, granted.ID)
		return now, err
	}
	g.drop(ctx, self)
	g.mu.Lock()
	defer g.mu.Unlock()
	g.leases[self] = memberLease{granted.ID, ttl}
	return now, nil
}

// drop forgets the lease that this process has for a member, and ends it.
func (g *Group) drop(ctx context.Context, self group.Member) {
	g.mu.Lock()
	held := g.leases[self]
	delete(g.leases, self)
	g.mu.Unlock()
	g.revoke(ctx, held.id)
}

// revoke ends a lease that has no key of a member. After an error it ends by itself.
func (g *Group) revoke(ctx context.Context, id clientv3.LeaseID) {
	if id != clientv3.NoLease {
		_, _ = g.client.Revoke(ctx, id)
	}
}

// leave removes the key of this instance, whichever process has written it.
func (g *Group) leave(ctx context.Context, self group.Member) error {
	if err := g.check(ctx); err != nil {
		return err
	}
	key := g.key(self.Name)
	for range maxJoins {
		r, err := g.kv.Get(ctx, key)
		if err != nil {
			return refusal(err)
		}
		kv := only(r.Kvs)
		if !g.isOf(kv, self) {
			g.drop(ctx, self)
			return nil
		}
		answer, err := g.kv.Txn(ctx).If(clientv3.Compare(clientv3.ModRevision(key), "=", kv.ModRevision)).Then(clientv3.OpDelete(key)).Commit()
		if err != nil {
			return refusal(err)
		}
		if answer.Succeeded {
			g.drop(ctx, self)
			return nil
		}
	}
	return errContended
}
