package main

import (
	"context"
	"errors"
	"strings"

	clientv3 "go.etcd.io/etcd/client/v3"

	etcdstore "github.com/ownergraph/ownergraph/adapters/etcd"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/group"
)

// etcdRecords keeps an object and its payload in one value.
type etcdRecords struct {
	client  *clientv3.Client
	objects *etcdstore.Store
	prefix  string
}

func openEtcd(address string, use use) (records, error) {
	if use.undo > 0 {
		return nil, errors.New("-undo: etcd has no archive of deleted objects: want 0, or an SQL store")
	}
	host, prefix, _ := strings.Cut(address, "/")
	client, err := clientv3.New(clientv3.Config{Endpoints: []string{"http://" + host}})
	objects, invalid := etcdstore.New(client, etcdstore.Config{Kinds: kinds(), Prefix: prefix + "/", Policies: use.policies})
	return &etcdRecords{client, objects, prefix + "/"}, errors.Join(err, invalid)
}

func (s *etcdRecords) store() store { return s.objects }
func (s *etcdRecords) close() error { return s.client.Close() }

func (s *etcdRecords) group(context.Context) (group.Coordinator, error) {
	return etcdstore.NewGroup(s.client, s.prefix)
}

func (s *etcdRecords) create(ctx context.Context, r record) (record, error) {
	made, err := s.objects.Create(ctx, etcdstore.Record{Object: r.Object, Payload: r.Spec})
	return record{made.Object, made.Payload}, err
}

func (s *etcdRecords) read(ctx context.Context, key graph.Key) (record, error) {
	found, err := s.objects.Read(ctx, key)
	return record{found.Object, found.Payload}, err
}
