package e2e

import (
	"context"
	"errors"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/adapters/clientgo"
	"github.com/ownergraph/ownergraph/adapters/storetest"
	"github.com/ownergraph/ownergraph/graph"
)

// faulty stands in a conflict that the API server makes up: it compares the
// object's version with none.
const faulty = "ResourceVersion in precondition: ,"

// An object is held by nothing but the finalizer of a propagation, and a deletion
// with another propagation takes that away, under the object's version. It should
// succeed; kube-apiserver answers with a conflict, whatever the version. Ours
// never asks for that unless Config.Override is set, but the kit's histories do.
// Once this test fails, forgiving has to go.
func TestServerFault(t *testing.T) {
	w := begin(t)
	o := w.create(configMap, "held", finalizers("orphan"))
	opts := metav1.DeleteOptions{
		PropagationPolicy: new(background),
		Preconditions:     &metav1.Preconditions{UID: &o.uid, ResourceVersion: new(w.read(o).GetResourceVersion())},
	}
	if err := w.of(o).Delete(w.ctx, o.name, opts); err == nil || !strings.Contains(err.Error(), faulty) {
		t.Errorf("the server has no fault any more: %v", err)
	}
}

// forgiving is a subject whose deletions, where they meet that fault, are made
// again under the UID alone.
func forgiving(s storetest.Subject) storetest.Subject {
	s.Store = forgivingStore{s.Store.(*clientgo.Store)}
	s.Client = forgivingClient{s.Client}
	return s
}

type forgivingStore struct{ *clientgo.Store }

// Delete is the store's.
func (s forgivingStore) Delete(ctx context.Context, key ownergraph.Key, opts ownergraph.DeleteOptions) error {
	return forgive(ctx, key, opts, s.Store.Delete)
}

type forgivingClient struct{ storetest.Client }

// Delete is the client's.
func (c forgivingClient) Delete(ctx context.Context, key ownergraph.Key, opts ownergraph.DeleteOptions) error {
	return forgive(ctx, key, opts, c.Client.Delete)
}

func forgive(ctx context.Context, key ownergraph.Key, opts ownergraph.DeleteOptions, remove func(context.Context, ownergraph.Key, ownergraph.DeleteOptions) error) error {
	err := remove(ctx, key, opts)
	if errors.Is(err, graph.ErrConflict) && strings.Contains(err.Error(), faulty) {
		opts.Precondition.Version = ""
		return remove(ctx, key, opts)
	}
	return err
}
