package ownergraph_test

import (
	"context"
	"fmt"
	"strings"

	"github.com/ownergraph/ownergraph"
)

// A store has volumes without owners. One pass gives each volume to the tenant whose name it
// begins with. A volume that belongs to another owner stays with that owner.
func ExampleAdoptAll() {
	ctx := context.Background()
	store := exampleStore("tenant/red; tenant/blue; volume/red-data; volume/red-logs -> tenant/blue; volume/other")
	red, _ := store.Get(ctx, ownergraph.Key{Kind: "tenant", Name: "red"})

	report, err := ownergraph.AdoptAll(ctx, store, func(o ownergraph.Object) (ownergraph.Owner, bool) {
		return ownergraph.Owner{Key: red.Key}, o.Kind == "volume" && strings.HasPrefix(o.Name, "red-")
	})
	fmt.Println(report.Adopted, "adopted,", report.Already, "adopted before,", report.Left, "left:", report.Errors, err)
	for _, kind := range report.Unlisted {
		fmt.Println("call AdoptAll again for kind", kind)
	}
	// Output:
	// 1 adopted, 0 adopted before, 1 left: [adopt volume/red-logs: for tenant/red: tenant/blue has it: owned already] <nil>
}

// A volume gets an owner, moves to another tenant, and is free in the end.
func ExampleAdopt() {
	ctx := context.Background()
	store := exampleStore("tenant/red; tenant/blue; volume/data")
	red, _ := store.Get(ctx, ownergraph.Key{Kind: "tenant", Name: "red"})
	blue, _ := store.Get(ctx, ownergraph.Key{Kind: "tenant", Name: "blue"})
	data := ownergraph.Key{Kind: "volume", Name: "data"}
	show := func(err error) {
		o, _ := store.Get(ctx, data)
		fmt.Println(o.Owners, err)
	}

	show(ownergraph.Adopt(ctx, store, ownergraph.Owner{Key: red.Key, Controller: true}, data))
	show(ownergraph.ReplaceOwner(ctx, store, red.Key, ownergraph.Owner{Key: blue.Key}, data))
	show(ownergraph.RemoveOwner(ctx, store, blue.Key, data))
	// Output:
	// [tenant/red^] <nil>
	// [tenant/blue] <nil>
	// [] <nil>
}
