package ownergraph_test

import (
	"context"
	"fmt"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/adapters/memory"
	"github.com/ownergraph/ownergraph/guard"
)

// A client deletes a tenant. The sweep deletes the objects whose names begin with the
// tenant's name and a dash. Another tenant, with a longer name, loses nothing.
func ExampleConfig_sweeps() {
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	store, _ := memory.New(memory.Config{Kinds: []ownergraph.KindInfo{{Kind: "tenant"}, {Kind: "volume"}}, UIDPrefix: "u"})
	for _, key := range []ownergraph.Key{
		{Kind: "tenant", Name: "111111"}, {Kind: "volume", Name: "111111-data"},
		{Kind: "tenant", Name: "1111112"}, {Kind: "volume", Name: "1111112-data"},
	} {
		_, _ = store.Create(ctx, ownergraph.Object{Key: key})
	}
	collector, err := ownergraph.New(store, ownergraph.Config{Sweeps: []guard.Sweep{{
		Finalizer: "example.org/tenant",
		Holder:    "tenant",
		Members:   []guard.Members{{By: guard.ByName, Delimiter: "-"}},
	}}})
	if err != nil {
		fmt.Println(err)
		return
	}
	ended := make(chan error, 1)
	go func() { ended <- collector.Run(ctx) }()
	_, _ = collector.WaitIdle(ctx) // both tenants carry the finalizer now

	_ = store.Delete(ctx, ownergraph.Key{Kind: "tenant", Name: "111111"}, ownergraph.DeleteOptions{})
	_, _ = collector.WaitIdle(ctx)
	for _, o := range store.Objects() {
		fmt.Println(o.Kind, o.Name, o.Finalizers)
	}
	stop()
	fmt.Println(<-ended)
	// Output:
	// tenant 1111112 [example.org/tenant]
	// volume 1111112-data []
	// <nil>
}

// A client deletes a tenant. The sweep deletes the objects that carry the tenant's name in a
// label, except those with the label "keep". Labels are no part of an object, so the engine
// asks the store.
func ExampleLabelSelector() {
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	store, _ := memory.New(memory.Config{Kinds: []ownergraph.KindInfo{{Kind: "tenant"}, {Kind: "volume"}}, UIDPrefix: "u"})
	_, _ = store.Create(ctx, ownergraph.Object{Key: ownergraph.Key{Kind: "tenant", Name: "acme"}})
	for name, labels := range map[string]map[string]string{
		"data": {"example.org/tenant": "acme"}, "backup": {"example.org/tenant": "acme", "keep": ""}, "other": {"example.org/tenant": "acme2"},
	} {
		o, _ := store.Create(ctx, ownergraph.Object{Key: ownergraph.Key{Kind: "volume", Name: name}})
		_, _ = store.Label(ctx, o.Key, ownergraph.Precondition{}, labels)
	}
	collector, err := ownergraph.New(store, ownergraph.Config{Sweeps: []guard.Sweep{{
		Finalizer: "example.org/tenant",
		Holder:    "tenant",
		Members:   []guard.Members{{By: guard.ByLabel, Label: "example.org/tenant", Selector: "!keep"}},
	}}})
	if err != nil {
		fmt.Println(err)
		return
	}
	ended := make(chan error, 1)
	go func() { ended <- collector.Run(ctx) }()
	_, _ = collector.WaitIdle(ctx)

	_ = store.Delete(ctx, ownergraph.Key{Kind: "tenant", Name: "acme"}, ownergraph.DeleteOptions{})
	_, _ = collector.WaitIdle(ctx)
	for _, o := range store.Objects() {
		fmt.Println(o.Kind, o.Name)
	}
	stop()
	fmt.Println(<-ended)
	// Output:
	// volume backup
	// volume other
	// <nil>
}

// A guard counts the objects that end with a tenant, and the deletion of more than one needs an
// approval. The volume shared is no member, and goes after its owner has gone.
// Afterwards a foreign finalizer holds one member. Sweeps reports the progress.
func ExampleCollector_Sweeps() {
	store := exampleStore("tenant/acme; volume/data -> tenant/acme; volume/logs[other.org/backup] -> tenant/acme; volume/shared -> tenant/acme")
	limit := 1
	collector, err := ownergraph.New(store, ownergraph.Config{
		Sweeps: []guard.Sweep{{
			Finalizer: "example.org/tenant",
			Holder:    "tenant",
			Members:   []guard.Members{{By: guard.ByOwner}},
			Except:    func(o ownergraph.Object) bool { return o.Name == "shared" },
		}},
		Guards: []guard.Guard{{Name: "tenants", Kinds: []ownergraph.Kind{"tenant"}, Above: &limit}},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- collector.Run(ctx) }()
	_, _ = collector.WaitIdle(ctx) // the tenant carries the finalizers of the guard and of the sweep
	report := func() {
		held, _ := collector.WaitIdle(ctx)
		for _, s := range collector.Sweeps(10) {
			fmt.Println(s.Holder, s.MembersGone, "of", s.Members, "members are gone, left:", s.Kinds, "held:", s.By)
		}
		fmt.Println(held)
	}

	acme, _ := store.Get(ctx, ownergraph.Key{Kind: "tenant", Name: "acme"})
	_ = store.Delete(ctx, acme.Key, ownergraph.DeleteOptions{})
	report()
	most := 3
	if err := collector.Approve(ctx, acme.Key, ownergraph.Approval{AtMost: &most}); err != nil {
		fmt.Println(err)
	}
	report()

	stop()
	<-ended
	// Output:
	// [tenant/acme: its deletion needs an approval (3 objects end, and the limit is 1, guard tenants)]
	// tenant/acme 1 of 2 members are gone, left: [{volume 1}] held: [volume/logs: finalizers hold it (other.org/backup)]
	// [tenant/acme: its members are not gone (volume: 1 left) volume/logs: finalizers hold it (other.org/backup)]
}
