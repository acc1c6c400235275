package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.uber.org/zap"

	etcdstore "github.com/ownergraph/ownergraph/adapters/etcd"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/proof/storespeed/bare"
	"github.com/ownergraph/ownergraph/internal/proof/storespeed/tree"
	"github.com/ownergraph/ownergraph/internal/servers"
	server "github.com/ownergraph/ownergraph/internal/servers/etcd"
)

const (
	oursAlone = "ours, one a transaction"
	loopAlone = "bare loop, one a transaction"
	// etcdClients is the number of clients of each side.
	etcdClients = 8
	etcdBatch   = 127
)

// etcdBed is a server of one member, and the keys of the trees.
type etcdBed struct {
	server *servers.Server
	client *clientv3.Client
	copies int
}

func (e *etcdBed) close() error { return errors.Join(e.client.Close(), e.server.Stop()) }

// onEtcd starts the server at the first call. Every commit is durable on disk.
func (b *bed) onEtcd(ctx context.Context) (*etcdBed, error) {
	if b.etcd != nil {
		return b.etcd, nil
	}
	s, err := server.Start(ctx, server.Config{Fsync: true, Flags: []string{"--quota-backend-bytes=8589934592"}})
	if err != nil {
		return nil, err
	}
	client, err := clientv3.New(clientv3.Config{Endpoints: []string{s.Address()}, Logger: zap.NewNop()})
	if err != nil {
		return nil, errors.Join(err, s.Stop())
	}
	b.etcd = &etcdBed{server: s, client: client}
	return b.etcd, nil
}

func (b *bed) etcdRow() row {
	return row{
		name: "etcd, cascade", n: b.n,
		sides: []side{
			{ours, func(ctx context.Context) (sample, error) { return b.etcdOurs(ctx, b.n, true) }},
			{loop, func(ctx context.Context) (sample, error) { return b.etcdBare(ctx, b.n, etcdBatch) }},
			{oursAlone, func(ctx context.Context) (sample, error) { return b.etcdOurs(ctx, b.single, false) }},
			{loopAlone, func(ctx context.Context) (sample, error) { return b.etcdBare(ctx, b.single, 1) }},
		},
		goals: []goal{
			{side: ours, beside: loop, atLeast: 0.85}, {side: ours, beside: oursAlone, atLeast: 5},
			{side: oursAlone, beside: loopAlone, atLeast: 0.85},
		},
	}
}

// tree writes a tree of n objects behind a new prefix.
func (e *etcdBed) tree(ctx context.Context, n int) (prefix string, err error) {
	e.copies++
	prefix = fmt.Sprintf("copy-%d/", e.copies)
	nodes := tree.Nodes(n)
	uids, names, values := make([]graph.UID, n), make([]string, n), make([]string, n)
	for i := range nodes {
		var owner graph.UID
		if p := nodes[i].Parent; p >= 0 {
			owner = uids[p]
		}
		o := tree.Object(nodes, i, owner)
		uids[i] = graph.UID(rand.Text())
		o.UID = uids[i]
		name, err := etcdstore.JSON{}.Key(o.Place())
		if err != nil {
			return "", err
		}
		value, err := etcdstore.JSON{}.Encode(etcdstore.Record{Object: o})
		if err != nil {
			return "", err
		}
		names[i], values[i] = name, string(value)
	}
	return prefix, bare.Put(ctx, e.client, prefix, names, values)
}

// clean fails if keys of objects are left, and drops the history.
func (e *etcdBed) clean(ctx context.Context, prefix string) error {
	r, err := e.client.Get(ctx, prefix+"objects/", clientv3.WithPrefix(), clientv3.WithCountOnly())
	if err != nil {
		return err
	}
	if r.Count != 0 {
		return fmt.Errorf("%d keys are left", r.Count)
	}
	_, err = e.client.Compact(ctx, r.Header.Revision, clientv3.WithCompactPhysical())
	return err
}

func (b *bed) etcdOurs(ctx context.Context, n int, batches bool) (got sample, err error) {
	e, err := b.onEtcd(ctx)
	if err != nil {
		return got, err
	}
	prefix, err := e.tree(ctx, n)
	if err != nil {
		return got, err
	}
	s, err := etcdstore.New(e.client, etcdstore.Config{Kinds: tree.Kinds(), Prefix: prefix})
	if err != nil {
		return got, err
	}
	got, err = collect(ctx, s, n, etcdClients, batches)
	return got, errors.Join(err, e.clean(ctx, prefix))
}

func (b *bed) etcdBare(ctx context.Context, n, batch int) (got sample, err error) {
	e, err := b.onEtcd(ctx)
	if err != nil {
		return got, err
	}
	prefix, err := e.tree(ctx, n)
	if err != nil {
		return got, err
	}
	keys, err := bare.Keys(ctx, e.client, prefix)
	if err != nil {
		return got, err
	}
	got, err = timed(n, func() error { return bare.DeleteKeys(ctx, e.client, keys, etcdClients, batch) })
	return got, errors.Join(err, e.clean(ctx, prefix))
}
