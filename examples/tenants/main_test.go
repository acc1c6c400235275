package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"slices"
	"testing"
	"testing/synctest"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/engine"
	"github.com/ownergraph/ownergraph/examples/tenants/tenancy"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/guard"
)

func Example() {
	if err := run(context.Background(), os.Stdout); err != nil {
		fmt.Println(err)
	}
	// Output:
	//   attach  tenants.example.org/Tenant 111111: its members have to go before it
	//   attach  tenants.example.org/Tenant 1111112: its members have to go before it
	//   attach  tenants.example.org/Tenant 222222: its members have to go before it
	// 34 objects; a user deletes tenant 111111
	//   delete  apiextensions.k8s.io/CustomResourceDefinition widgets.111111-shop.org: its holder is being deleted
	//   delete  111111-shop.org/Widget blue: its holder is being deleted
	//   delete  ConfigMap 111111-web/settings: its holder is being deleted
	//   delete  PersistentVolume 111111-one: its holder is being deleted
	//   delete  Pod 111111-web/server: its holder is being deleted
	//   delete  admissionregistration.k8s.io/ValidatingWebhookConfiguration 111111-one: its holder is being deleted
	//   delete  scheduling.k8s.io/PriorityClass 111111-one: its holder is being deleted
	//   delete  system.example.org/Quota 111111-one: its holder is being deleted
	//   delete  Namespace 111111-web: its holder is being deleted
	//   release tenants.example.org/Tenant 111111: its members are gone
	// 24 objects are left, without a tenant or of 1111112 and 222222, and none of them has changed
	// 9 members are gone with 9 deletes; 0 objects are held
}

// TestReportFinds: report finds an object that the sweep has left, and an object that
// the sweep should not have changed.
func TestReportFinds(t *testing.T) {
	store, err := fill(t.Context(), "111111", "222222")
	if err != nil {
		t.Fatal(err)
	}
	all := store.Objects()
	own := func(o graph.Object) bool { return whose(o.Key) == "111111" }
	right := slices.DeleteFunc(slices.Clone(all), own)
	touched := slices.Clone(right)
	touched[0].Version += "1"
	for _, tc := range []struct {
		after  []graph.Object
		ok     bool
		reason string
	}{
		{right, true, "the right result"},
		{all, false, "no object is gone"},
		{right[1:], false, "one object too many is gone"},
		{touched, false, "one object has changed"},
	} {
		var out bytes.Buffer
		if err := report(&out, all, tc.after, nil, engine.Stats{}); (err == nil) != tc.ok {
			t.Errorf("report: %v: %s", err, tc.reason)
		}
	}
}

// TestWithoutContents: if another controller ends namespaces, the sweep deletes only
// objects without a scope.
func TestWithoutContents(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store, err := fill(t.Context(), "111111", "222222")
		if err != nil {
			t.Fatal(err)
		}
		c, err := ownergraph.New(store, ownergraph.Config{Sweeps: []guard.Sweep{tenancy.Tenants(tenant, false)}})
		if err != nil {
			t.Fatal(err)
		}
		ctx, stop := context.WithCancel(context.Background())
		ended := make(chan error, 1)
		go func() { ended <- c.Run(ctx) }()
		if _, err := c.WaitIdle(ctx); err != nil {
			t.Fatal(err)
		}
		if err := store.Delete(ctx, graph.Key{Kind: tenant, Name: "111111"}, graph.DeleteOptions{}); err != nil {
			t.Fatal(err)
		}
		if _, err := c.WaitIdle(ctx); err != nil {
			t.Fatal(err)
		}
		left := slices.DeleteFunc(store.Objects(), func(o graph.Object) bool { return whose(o.Key) != "111111" })
		if got := len(left); got != 2 || left[0].Scope != "111111-web" || left[1].Scope != "111111-web" {
			t.Errorf("%v is left, want the objects in the namespace", left)
		}
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
}
