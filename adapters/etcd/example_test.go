package etcdstore_test

import (
	"context"
	"errors"
	"fmt"
	"log"

	"github.com/ownergraph/ownergraph"
	etcdstore "github.com/ownergraph/ownergraph/adapters/etcd"
	"github.com/ownergraph/ownergraph/graph"
	clientv3 "go.etcd.io/etcd/client/v3"
)

// A team owns a project. The project goes with its team, and the payload with its object.
func Example() {
	address, err := etcdstore.EtcdAddress()
	if err != nil {
		log.Fatal(err)
	}
	client, err := clientv3.New(clientv3.Config{Endpoints: []string{address}})
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close()
	store, err := etcdstore.New(client, etcdstore.Config{
		Prefix: "example/",
		Kinds:  []graph.KindInfo{{Kind: "team"}, {Kind: "project", Scoped: true}},
	})
	if err != nil {
		log.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	if err := cascade(ctx, store); err != nil {
		log.Fatal(err)
	}
	// Output:
	// stored "a site" at example/objects/project/blue/site
	// project/blue/site is gone
}

func cascade(ctx context.Context, store *etcdstore.Store) error {
	team, err := store.Create(ctx, etcdstore.Record{Object: graph.Object{Key: graph.Key{Kind: "team", Name: "blue"}}})
	if err != nil {
		return err
	}
	site := graph.Object{Key: graph.Key{Kind: "project", Scope: "blue", Name: "site"}, Owners: []graph.Owner{{Key: team.Object.Key}}}
	made, err := store.Create(ctx, etcdstore.Record{Object: site, Payload: []byte("a site")})
	if err != nil {
		return err
	}
	fmt.Printf("stored %q at example/objects/%s\n", made.Payload, made.Object.PlaceString())

	collector, err := ownergraph.New(store, ownergraph.Config{})
	if err != nil {
		return err
	}
	runCtx, stop := context.WithCancel(ctx)
	done := make(chan error, 1)
	go func() { done <- collector.Run(runCtx) }()
	defer func() {
		stop()
		<-done
	}()
	if err := store.Delete(ctx, team.Object.Key, graph.DeleteOptions{Propagation: graph.Background}); err != nil {
		return err
	}
	return waitGone(ctx, store, site.Key)
}

// waitGone watches until the object is gone.
func waitGone(ctx context.Context, store *etcdstore.Store, key graph.Key) error {
	errGone := errors.New("gone")
	err := store.Watch(ctx, func([]graph.Event) error {
		if _, err := store.Get(ctx, key); errors.Is(err, graph.ErrNotFound) {
			return errGone
		}
		return nil
	})
	if !errors.Is(err, errGone) {
		return err
	}
	fmt.Println(key.PlaceString(), "is gone")
	return nil
}
