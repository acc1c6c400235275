// A project goes with its team, in etcd.
package main

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"

	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/ownergraph/ownergraph"
	etcdstore "github.com/ownergraph/ownergraph/adapters/etcd"
)

func main() {
	if err := run(context.Background()); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context) error {
	client, err := clientv3.New(clientv3.Config{Endpoints: []string{os.Getenv("ETCD")}})
	if err != nil {
		return err
	}
	defer client.Close()
	store, err := etcdstore.New(client, etcdstore.Config{Prefix: "released/", Kinds: []ownergraph.KindInfo{{Kind: "team"}, {Kind: "project"}}})
	if err != nil {
		return err
	}
	team, err := store.Create(ctx, etcdstore.Record{Object: ownergraph.Object{Key: ownergraph.Key{Kind: "team", Name: "blue"}}})
	if err != nil {
		return err
	}
	site, err := store.Create(ctx, etcdstore.Record{Object: ownergraph.Object{
		Key:    ownergraph.Key{Kind: "project", Name: "site"},
		Owners: []ownergraph.Owner{{Key: team.Object.Key}},
	}})
	if err != nil {
		return err
	}
	collector, err := ownergraph.New(store, ownergraph.Config{})
	if err != nil {
		return err
	}
	ctx, stop := context.WithCancel(ctx)
	ended := make(chan error, 1)
	go func() { ended <- collector.Run(ctx) }()
	defer func() { stop(); <-ended }()
	if err := store.Delete(ctx, team.Object.Key, ownergraph.DeleteOptions{}); err != nil {
		return err
	}
	if _, err := collector.WaitIdle(ctx); err != nil {
		return err
	}
	_, err = store.Get(ctx, site.Object.Key)
	fmt.Println("gone:", errors.Is(err, ownergraph.ErrNotFound))
	return nil
}
