package etcdstore

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/adapters/storetest"
	"github.com/ownergraph/ownergraph/graph"
	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.uber.org/zap"
	"google.golang.org/grpc"
	"google.golang.org/grpc/backoff"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// testKinds are the kinds of the tests.
func testKinds() []graph.KindInfo {
	return []graph.KindInfo{{Kind: "app", Scoped: true}, {Kind: "node"}, {Kind: "pod", Scoped: true}, {Kind: "event", Scoped: true, NoOwner: true}}
}

// rig is a store on a real server, behind a proxy of its own.
type rig struct {
	*Store
	tb      storetest.TB
	conf    Config
	client  *clientv3.Client
	proxy   *proxy
	commits *commits
}

// newRig makes an empty store with a prefix of its own. A zero field of conf is that of the
// tests.
func newRig(tb storetest.TB, conf Config) *rig {
	tb.Helper()
	to, err := address(conf.Kine)
	if err != nil {
		tb.Fatalf("%v", err)
	}
	p, err := newProxy(to)
	if err != nil {
		tb.Fatalf("%v", err)
	}
	tb.Cleanup(p.close)
	if conf.Prefix == "" {
		conf.Prefix = "test/" + rand.Text() + "/"
	}
	if conf.Kinds == nil {
		conf.Kinds = testKinds()
	}
	r := &rig{tb: tb, conf: conf, proxy: p, commits: &commits{}}
	r.connect()
	return r
}

// connect opens the store with a new client.
func (r *rig) connect() {
	r.tb.Helper()
	var err error
	r.client, err = clientv3.New(clientv3.Config{
		Logger: zap.NewNop(), Endpoints: []string{r.proxy.address}, MaxUnaryRetries: 3, BackoffWaitBetween: 5 * time.Millisecond,
		DialOptions: []grpc.DialOption{
			grpc.WithConnectParams(grpc.ConnectParams{
				Backoff:           backoff.Config{BaseDelay: 5 * time.Millisecond, Multiplier: 1.5, MaxDelay: 50 * time.Millisecond},
				MinConnectTimeout: 10 * time.Second,
			}),
			grpc.WithChainUnaryInterceptor(r.commits.intercept), grpc.WithChainStreamInterceptor(r.commits.interceptStream),
		},
	})
	if err != nil {
		r.tb.Fatalf("%v", err)
	}
	client := r.client
	r.tb.Cleanup(func() { _ = client.Close() })
	if r.Store, err = New(client, r.conf); err != nil {
		r.tb.Fatalf("%v", err)
	}
}

// another opens the same data with another client.
func (r *rig) another() *rig {
	r.tb.Helper()
	next := *r
	next.connect()
	return &next
}

// commits fails the transactions that write, or loses their answers. It counts the
// requests of keys. In a hurry, calls fail at once without a connection.
type commits struct {
	fail, lose, hurry atomic.Bool
	requests          atomic.Int64
	cuts              atomic.Int64 // streams to end after their next part of an answer
}

func (c *commits) intercept(ctx context.Context, method string, in, out any, conn *grpc.ClientConn, invoke grpc.UnaryInvoker, opts ...grpc.CallOption) error {
	if c.hurry.Load() { // etcd's client waits for a connection otherwise, until the context ends
		opts = append(opts, grpc.WaitForReady(false))
	}
	txn, isTxn := in.(*pb.TxnRequest)
	if _, isRange := in.(*pb.RangeRequest); isTxn || isRange {
		c.requests.Add(1)
	}
	if !isTxn || !writes(txn) {
		return invoke(ctx, method, in, out, conn, opts...)
	}
	if c.fail.Load() {
		return status.Error(codes.Unavailable, "the test fails the commit")
	}
	err := invoke(ctx, method, in, out, conn, opts...)
	if err == nil && c.lose.Load() {
		return status.Error(codes.Unavailable, "the test loses the answer")
	}
	return err
}

func (c *commits) interceptStream(ctx context.Context, desc *grpc.StreamDesc, conn *grpc.ClientConn, method string, open grpc.Streamer, opts ...grpc.CallOption) (grpc.ClientStream, error) {
	s, err := open(ctx, desc, conn, method, opts...)
	return &cutStream{ClientStream: s, commits: c}, err
}

// cutStream ends after a part of an answer.
type cutStream struct {
	grpc.ClientStream
	commits *commits
	cut     bool
}

func (s *cutStream) RecvMsg(m any) error {
	if s.cut {
		return status.Error(codes.Unavailable, "the test cuts the stream")
	}
	err := s.ClientStream.RecvMsg(m)
	if a, ok := m.(*pb.WatchResponse); ok && err == nil && a.Fragment && s.commits.cuts.Load() > 0 {
		s.commits.cuts.Add(-1)
		s.cut = true
	}
	return err
}

func writes(r *pb.TxnRequest) bool {
	for _, op := range append(r.Success, r.Failure...) {
		if op.GetRequestPut() != nil || op.GetRequestDeleteRange() != nil || op.GetRequestTxn() != nil && writes(op.GetRequestTxn()) {
			return true
		}
	}
	return false
}

func (r *rig) subject() storetest.Subject {
	return storetest.Subject{
		Store: r.Store, Client: users{r.Store},
		Compact: r.compact, Break: r.breakAll, Backup: r.backup, Label: r.label,
		Restart: r.second, Second: r.second, Outage: r.outage, FailCommits: r.failCommits,
	}
}

func (r *rig) compact(ctx context.Context) error {
	now, err := r.Store.identify(ctx)
	if err != nil {
		return err
	}
	if r.conf.Kine { // compaction up to the last removal would make its revision fall
		now.revision--
	}
	_, err = r.client.Compact(ctx, now.revision)
	if errors.Is(err, rpctypes.ErrCompacted) { // another test has compacted further
		return nil
	}
	return err
}

// breakAll returns when the client has a new connection, so that it breaks no call.
func (r *rig) breakAll(ctx context.Context) error {
	r.proxy.cut()
	return r.connected(ctx)
}

func (r *rig) connected(ctx context.Context) error {
	return r.poll(ctx, func() error { _, err := r.client.Get(ctx, r.conf.Prefix); return err })
}

func (r *rig) label(ctx context.Context, key graph.Key, labels map[string]string) error {
	_, err := r.Store.Label(ctx, key, graph.Precondition{}, labels)
	return err
}

func (r *rig) second(context.Context) (storetest.Subject, error) { return r.another().subject(), nil }

// outage ends all connections and refuses new ones. Its end returns when the client is
// connected again.
func (r *rig) outage(context.Context) (func(context.Context) error, error) {
	r.commits.hurry.Store(true)
	r.proxy.close()
	return func(ctx context.Context) error {
		if err := r.poll(ctx, r.proxy.listen); err != nil {
			return err
		}
		r.commits.hurry.Store(false)
		return r.connected(ctx)
	}, nil
}

// poll repeats a call until it succeeds.
func (r *rig) poll(ctx context.Context, call func() error) error {
	tick := time.NewTicker(2 * time.Millisecond)
	defer tick.Stop()
	for {
		err := call()
		if err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("%w: %w", ctx.Err(), err)
		case <-tick.C:
		}
	}
}

func (r *rig) failCommits(_ context.Context, done bool) (func(context.Context) error, error) {
	which := &r.commits.fail
	if done {
		which = &r.commits.lose
	}
	which.Store(true)
	return func(context.Context) error { which.Store(false); return nil }, nil
}

// backup copies all objects of the prefix. The function returned puts them back as an
// operator does, and then calls Restored.
func (r *rig) backup(ctx context.Context) (func(context.Context) error, error) {
	saved, err := r.contents(ctx)
	return func(ctx context.Context) error {
		now, err := r.contents(ctx)
		if err != nil {
			return err
		}
		for key := range now {
			if _, stays := saved[key]; !stays {
				if err := r.put(ctx, key, nil); err != nil {
					return err
				}
			}
		}
		for key, value := range saved {
			if err := r.put(ctx, key, []byte(value)); err != nil {
				return err
			}
		}
		return r.Restored(ctx)
	}, err
}

func (r *rig) contents(ctx context.Context) (map[string]string, error) {
	got, err := r.client.Get(ctx, r.conf.Prefix+objectsPrefix, clientv3.WithPrefix())
	if err != nil {
		return nil, err
	}
	out := map[string]string{}
	for _, kv := range got.Kvs {
		out[string(kv.Key)] = string(kv.Value)
	}
	return out, nil
}

// put writes a key past the store. A nil value removes the key. Kine takes no other shapes
// of transactions.
func (r *rig) put(ctx context.Context, key string, value []byte) error {
	got, err := r.client.Get(ctx, key)
	if err != nil {
		return err
	}
	revision, op := int64(0), clientv3.OpPut(key, string(value))
	if kv := only(got.Kvs); kv != nil {
		revision = kv.ModRevision
	}
	if value == nil {
		op = clientv3.OpDelete(key)
	}
	_, err = r.client.Txn(ctx).If(clientv3.Compare(clientv3.ModRevision(key), "=", revision)).Then(op).Else(clientv3.OpGet(key)).Commit()
	return err
}

// users is the client of the store's users.
type users struct{ s *Store }

func (u users) Create(ctx context.Context, o ownergraph.Object) (ownergraph.Object, error) {
	r, err := u.s.Create(ctx, Record{Object: o})
	return r.Object, err
}

func (u users) Update(ctx context.Context, o ownergraph.Object) (ownergraph.Object, error) {
	r, err := u.s.Update(ctx, Record{Object: ownergraph.Object{Key: o.Key, Version: o.Version, Owners: o.Owners, Finalizers: o.Finalizers}})
	return r.Object, err
}

func (u users) Delete(ctx context.Context, key ownergraph.Key, opts ownergraph.DeleteOptions) error {
	return u.s.Delete(ctx, key, opts)
}
