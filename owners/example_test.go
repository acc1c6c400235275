package owners_test

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/ownergraph/ownergraph/adapters/memory"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/owners"
)

// A store has volumes without owners. One pass gives each volume to the tenant whose name it
// begins with. A volume of another owner stays with that owner, until a client moves it. Then a
// volume gets a second owner, and loses it again.
func Example() {
	ctx := context.Background()
	objects, _ := graph.Parse("tenant/red; tenant/blue; volume/red-data; volume/red-logs -> tenant/blue; volume/other")
	store, _ := memory.New(memory.Config{Objects: objects})
	red, _ := store.Get(ctx, graph.Key{Kind: "tenant", Name: "red"})
	blue, _ := store.Get(ctx, graph.Key{Kind: "tenant", Name: "blue"})

	report, err := owners.AdoptAll(ctx, store, func(o graph.Object) (graph.Owner, bool) {
		return graph.Owner{Key: red.Key}, o.Kind == "volume" && strings.HasPrefix(o.Name, "red-")
	})
	fmt.Println(report.Adopted, "adopted,", report.Already, "adopted before,", report.Left, "left", err)
	for _, err := range report.Errors {
		fmt.Println(errors.Is(err, owners.ErrOwned), err)
	}
	for _, kind := range report.Unlisted {
		fmt.Println("call AdoptAll again for kind", kind)
	}

	logs, data := graph.Key{Kind: "volume", Name: "red-logs"}, graph.Key{Kind: "volume", Name: "red-data"}
	show := func(key graph.Key, err error) {
		o, _ := store.Get(ctx, key)
		fmt.Println(key.Name, o.Owners, err)
	}
	show(logs, owners.Replace(ctx, store, blue.Key, graph.Owner{Key: red.Key}, logs))
	show(data, owners.Adopt(ctx, store, blue.ControllerRef(), data))
	show(data, owners.Remove(ctx, store, red.Key, data))
	// Output:
	// 1 adopted, 0 adopted before, 1 left <nil>
	// true adopt volume/red-logs: for tenant/red: tenant/blue has it: owned already
	// red-logs [tenant/red] <nil>
	// red-data [tenant/red tenant/blue!^] <nil>
	// red-data [tenant/blue!^] <nil>
}
