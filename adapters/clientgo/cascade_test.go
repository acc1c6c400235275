package clientgo

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
)

// collect runs a collector on the rig's store until the test ends.
func (r *rig) collect() *ownergraph.Collector {
	return r.collectWith(ownergraph.Config{})
}

// collectWith is collect with settings of the engine.
func (r *rig) collectWith(config ownergraph.Config) *ownergraph.Collector {
	c, err := ownergraph.New(r.store, config)
	if err != nil {
		r.t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- c.Run(ctx) }()
	r.t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			r.t.Error(err)
		}
	})
	synctest.Wait()
	return c
}

// writes counts the calls of a cascade.
func writes(calls []string) (reads, patches, deletes int) {
	for _, c := range calls {
		verb, _, _ := strings.Cut(c, " ")
		switch verb {
		case "get":
			reads++
		case "patch":
			patches++
		case "delete":
			deletes++
		}
	}
	return
}

// TestCascade: the engine sends one write for each object that it deletes or frees, and
// no read, on any sort of server.
func TestCascade(t *testing.T) {
	const leaves = 40
	for _, streaming := range []bool{true, false} {
		for _, c := range []struct {
			p                graph.Propagation
			patches, deletes int
			left             int
		}{
			{graph.Background, 0, leaves, 0},
			{graph.Foreground, 1, leaves, 0},
			{graph.Orphan, leaves + 1, 0, leaves},
		} {
			t.Run(fmt.Sprint(c.p, " streaming ", streaming), func(t *testing.T) {
				bubble(t, newFake(standardKinds()...), Config{NoStreaming: !streaming, PageSize: 16}, func(r *rig) {
					d := r.create("apps/Deployment", named("ns", "owner"))
					for i := range leaves {
						r.create("ConfigMap", named("ns", fmt.Sprint("c", i), blocking(ref("apps/v1beta1", "Deployment", "owner", d.UID))))
					}
					col := r.collect()
					pass(time.Second)
					r.takeCalls()
					r.delete("apps/Deployment", "ns", "owner", c.p)
					pass(time.Minute)
					if held, err := col.WaitIdle(r.t.Context()); err != nil || len(held) != 0 {
						t.Errorf("held %v, %v", held, err)
					}
					if o := r.stored("apps/Deployment", "ns", "owner"); o != nil {
						t.Errorf("the owner is still present: %v", o)
					}
					left := 0
					r.locked(func() {
						for _, o := range r.kindOf("ConfigMap").objects {
							left++
							if len(o.OwnerReferences) > 0 {
								t.Errorf("%s still has its owner", o.Name)
							}
						}
					})
					if left != c.left {
						t.Errorf("%d dependents are left, want %d", left, c.left)
					}
					if reads, patches, deletes := writes(r.takeCalls()); reads != 0 || patches != c.patches || deletes != c.deletes {
						t.Errorf("%d reads, %d patches, %d deletes", reads, patches, deletes)
					}
				})
			})
		}
	}
}

// TestCascadeThroughOutage: a cascade ends after an outage and a compaction, with two
// collectors.
func TestCascadeThroughOutage(t *testing.T) {
	bubble(t, newFake(standardKinds()...), Config{}, func(r *rig) {
		d := r.create("apps/Deployment", named("ns", "owner"))
		for i := range 60 {
			r.create("ConfigMap", named("ns", fmt.Sprint("c", i), blocking(ref("apps/v1", "Deployment", "owner", d.UID))))
		}
		n := r.create("Node", named("", "n"))
		r.create("ConfigMap", named("ns", "kept", ref("apps/v1", "Deployment", "owner", d.UID), ref("v1", "Node", "n", n.UID)))
		r.collect()
		r.collect()
		pass(time.Second)
		r.delete("apps/Deployment", "ns", "owner", graph.Foreground)
		r.net.SetDown(true)
		pass(time.Minute)
		r.compact()
		r.net.SetDown(false)
		pass(10 * time.Minute)
		r.locked(func() {
			if k := r.kindOf("ConfigMap"); len(k.objects) != 1 || len(k.sorted()[0].OwnerReferences) != 1 {
				t.Errorf("%d dependents are left, %v", len(k.objects), k.sorted()[0].OwnerReferences)
			}
			if n := len(r.kindOf("apps/Deployment").objects); n != 0 {
				t.Error("the owner is still present")
			}
		})
	})
}

// TestCascadeOfDefinition: a definition goes, and the watch reports the removal of its
// objects. The engine deletes the dependents of the reported objects. It holds the
// dependents of the others.
func TestCascadeOfDefinition(t *testing.T) {
	bubble(t, newFake(definitionKinds()...), Config{}, func(r *rig) {
		r.carts()
		for _, cart := range r.kindOf("shop.example/Cart").sorted() {
			r.create("ConfigMap", named("ns", "of-"+cart.Name, ref("shop.example/v1", "Cart", cart.Name, cart.UID)))
		}
		r.create("ConfigMap", named("ns", "of-other", ref("other.example/v1", "Cart", "cart", "u")))
		r.collect()
		pass(time.Minute)
		r.delete("shop.example/Cart", "ns", "a", 0)
		r.undefine()
		r.hide(true)
		pass(time.Minute)
		r.locked(func() {
			var left []string
			for _, o := range r.kindOf("ConfigMap").sorted() {
				left = append(left, o.Name)
			}
			if fmt.Sprint(left) != "[of-b of-other]" {
				t.Errorf("left %v", left)
			}
		})
	})
}
