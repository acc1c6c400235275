package envtestgc

import (
	"context"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"
	"unique"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/replica"
)

func TestMain(m *testing.M) {
	_ = unique.Make("x").Value() // starts its goroutine outside of any bubble
	os.Exit(m.Run())
}

// rig is a server and its collector.
type rig struct {
	*server
	*testing.T
	gc *Collector
}

// bubble runs a test with a collector of an empty server.
func bubble(t *testing.T, c Config, test func(*rig)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		s, at := serve(t)
		gc, err := Start(at, c)
		if err != nil {
			t.Fatal(err)
		}
		defer func() {
			if err := gc.Stop(); err != nil {
				t.Error(err)
			}
		}()
		test(&rig{s, t, gc})
	})
}

// create makes a ConfigMap with blocking references.
func (r *rig) create(name string, finalizers []string, owners ...graph.Object) graph.Object {
	r.Helper()
	o := graph.Object{Key: graph.Key{Kind: "ConfigMap", Scope: "default", Name: name}, Finalizers: finalizers}
	for _, owner := range owners {
		o.Owners = append(o.Owners, graph.Owner{Key: owner.Key, Block: true})
	}
	out, err := r.write(func(m *replica.State) (replica.Commit, error) { return m.Create(o) })
	if err != nil {
		r.Fatal(err)
	}
	return out
}

func (r *rig) delete(o graph.Object, p graph.Propagation) {
	r.Helper()
	opts := graph.DeleteOptions{Propagation: p}
	if _, err := r.write(func(m *replica.State) (replica.Commit, error) { return m.Delete(o.Key, opts) }); err != nil {
		r.Fatal(err)
	}
}

// drop removes a finalizer, as its operator does.
func (r *rig) drop(o graph.Object, finalizer string) {
	_, err := r.write(func(m *replica.State) (replica.Commit, error) {
		return m.Patch(o.Key, graph.Precondition{}, graph.Change{DropFinalizer: finalizer})
	})
	if err != nil {
		r.Error(err)
	}
}

// names returns the objects of the server.
func (r *rig) names() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	var out []string
	for _, o := range r.state.Objects() {
		out = append(out, o.Name)
	}
	return strings.Join(out, " ")
}

func (r *rig) want(names string) {
	r.Helper()
	if got := r.names(); got != names {
		r.Errorf("the server has %q, want %q", got, names)
	}
}

// soon returns a context for a wait that ends at once or never.
func (r *rig) soon() (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.Background(), 3*time.Second)
}
