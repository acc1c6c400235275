package clientgo

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/policy"
)

// TestManyOwnersAreHeld: an object with more owners than the engine's limit is held as
// flawed. The server sets no limit, so the user can raise the engine's limit.
func TestManyOwnersAreHeld(t *testing.T) {
	const owners = 1025
	for _, c := range []struct {
		limits graph.Limits
		left   string
		reason string
	}{
		{graph.Limits{}, "many", "the default is 1,024"},
		{graph.Limits{Owners: 4096}, "", "the limit is the user's to raise"},
	} {
		synctest.Test(t, func(t *testing.T) {
			r := newRig(t, newFake(standardKinds()...), Config{})
			var refs []metav1.OwnerReference
			for i := range owners {
				refs = append(refs, ref("v1", "Node", fmt.Sprint("n", i), fmt.Sprint("gone-", i)))
			}
			r.create("ConfigMap", named("ns", "many", refs...))
			col, err := ownergraph.New(r.store, ownergraph.Config{Limits: c.limits})
			if err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithCancel(context.Background())
			ended := make(chan error, 1)
			go func() { ended <- col.Run(ctx) }()
			pass(time.Minute)
			held := col.Held(9)
			cancel()
			if err := <-ended; err != nil {
				t.Error(err)
			}
			left := ""
			if r.stored("ConfigMap", "ns", "many") != nil {
				left = "many"
			}
			if left != c.left || (left != "") != (len(held) == 1 && held[0].Reason == policy.ObjectFlawed) {
				t.Errorf("left %q, held %v: %s", left, held, c.reason)
			}
		})
	}
}
