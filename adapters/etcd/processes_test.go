package etcdstore

import (
	"context"
	"crypto/rand"
	"errors"
	"testing"
	"time"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/group"
	"github.com/ownergraph/ownergraph/internal/proof/processes"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.uber.org/zap"
)

// TestGroupProcesses: three processes on etcd divide the objects. One is killed, one is stopped for
// longer than its lease, and one comes. The history of etcd is the judge.
func TestGroupProcesses(t *testing.T) { processes.Prove(t, newProcessSite(t), processes.SizeOfTests()) }

// TestGroupBesideOther: a process without a share works beside two members.
func TestGroupBesideOther(t *testing.T) {
	processes.Beside(t, newProcessSite(t), processes.Size{Cascades: 10, Dependents: 30, Lease: 2 * time.Second, Patience: 2 * time.Minute})
}

// serveTask is the main function of a process.
func serveTask(task processes.Task) error {
	client, err := clientv3.New(clientv3.Config{Logger: zap.NewNop(), Endpoints: []string{task.Address}})
	if err != nil {
		return err
	}
	defer client.Close()
	store, err := New(client, Config{Prefix: task.Space, Kinds: testKinds()})
	if err != nil {
		return err
	}
	return task.ServeNoted(store, func() (group.Coordinator, error) { return NewGroup(client, task.Space) })
}

// processSite is an etcd with processes.
type processSite struct {
	t       *testing.T
	store   *Store
	client  *clientv3.Client
	address string
	dir     string
	prefix  string
	begun   int64 // the revision at which the history begins
}

const processScope = "ns"

func newProcessSite(t *testing.T) *processSite {
	t.Helper()
	to, err := address(false)
	if err != nil {
		t.Fatal(err)
	}
	s := &processSite{t: t, address: to, dir: t.TempDir(), prefix: "test/" + rand.Text() + "/"}
	if s.client, err = clientv3.New(clientv3.Config{Logger: zap.NewNop(), Endpoints: []string{to}}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.client.Close() })
	if s.store, err = New(s.client, Config{Prefix: s.prefix, Kinds: testKinds()}); err != nil {
		t.Fatal(err)
	}
	return s
}

func (s *processSite) Kinds() (owner, dependent graph.Kind, scope string) {
	return "app", "pod", processScope
}

func (s *processSite) Create(ctx context.Context, o graph.Object) (graph.Object, error) {
	made, err := s.store.Create(ctx, Record{Object: o})
	return made.Object, err
}

func (s *processSite) Delete(ctx context.Context, key graph.Key, how graph.Propagation) error {
	return s.store.Delete(ctx, key, graph.DeleteOptions{Propagation: how, Precondition: graph.Precondition{UID: key.UID}})
}

func (s *processSite) Start(ctx context.Context, name string, r processes.Role, z processes.Size) (*processes.Process, error) {
	return processes.Launch(ctx, processes.Task{Address: s.address, Space: s.prefix, Name: name, Dir: s.dir, Role: r, Size: z})
}

func (s *processSite) Writes(context.Context) ([]processes.Write, error) {
	return processes.ReadWrites(s.dir)
}

func (s *processSite) Mark(ctx context.Context) error {
	r, err := s.client.Get(ctx, s.prefix, clientv3.WithCountOnly())
	if err == nil {
		s.begun = r.Header.Revision
	}
	return err
}

func (s *processSite) List(ctx context.Context) ([]graph.Object, error) { return s.at(ctx, 0) }

// at returns the objects at a revision, 0 for now.
func (s *processSite) at(ctx context.Context, revision int64) (out []graph.Object, err error) {
	all, err := s.client.Get(ctx, s.prefix+objectsPrefix, clientv3.WithPrefix(), clientv3.WithRev(revision))
	if err != nil {
		return nil, err
	}
	for _, kv := range all.Kvs {
		o, err := s.object(kv.Key, kv.Value)
		if err != nil {
			return nil, err
		}
		out = append(out, o)
	}
	return out, nil
}

// object reads a value of the default codec.
func (s *processSite) object(key, value []byte) (graph.Object, error) {
	codec := s.store.conf.Codec
	place, err := codec.Place(string(key[len(s.prefix):]))
	if err != nil {
		return graph.Object{}, err
	}
	r, err := codec.Decode(place, value)
	return r.Object, err
}

// Past reads the history of etcd, which no test compacts before.
func (s *processSite) Past(ctx context.Context) (before []graph.Object, changes []graph.Event, err error) {
	if before, err = s.at(ctx, s.begun); err != nil {
		return nil, nil, err
	}
	end, err := s.client.Put(ctx, s.prefix+objectsPrefix+"~", "")
	if err != nil {
		return nil, nil, err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	for part := range s.client.Watch(ctx, s.prefix+objectsPrefix, clientv3.WithPrefix(), clientv3.WithRev(s.begun+1), clientv3.WithPrevKV()) {
		if err := part.Err(); err != nil {
			return nil, nil, err
		}
		for _, e := range part.Events {
			if e.Kv.ModRevision >= end.Header.Revision {
				_, err := s.client.Delete(ctx, s.prefix+objectsPrefix+"~")
				return before, changes, err
			}
			change, err := s.change(e)
			if err != nil {
				return nil, nil, err
			}
			changes = append(changes, change)
		}
	}
	return nil, nil, errors.New("the watch has ended")
}

func (s *processSite) change(e *clientv3.Event) (graph.Event, error) {
	if e.Type == clientv3.EventTypeDelete {
		o, err := s.object(e.PrevKv.Key, e.PrevKv.Value)
		return graph.Event{Type: graph.Gone, Key: o.Key}, err
	}
	o, err := s.object(e.Kv.Key, e.Kv.Value)
	return graph.Event{Type: graph.Put, Object: o}, err
}
