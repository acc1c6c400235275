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

// faulty is a part of a conflict's text that proves a defect of the API server. It
// compares the object's version with none.
const faulty = "ResourceVersion in precondition: ,"

// TestServerFault: only the finalizer of a propagation holds an object. A deletion with
// another propagation removes it, under the object's version. It should succeed, but
// kube-apiserver answers with a conflict at any version. Our engine makes such a
// deletion only with Config.Override, but the kit's histories make it always. Once this
// test fails, remove forgiving.
func TestServerFault(t *testing.T) {
	w := begin(t)
	o := w.create(configMap, "held", finalizers("orphan"))
	opts := metav1.DeleteOptions{
		PropagationPolicy: new(background),
		Preconditions:     &metav1.Preconditions{UID: &o.uid, ResourceVersion: new(w.read(o).GetResourceVersion())},
	}
	if err := w.of(o).Delete(w.ctx, o.name, opts); err == nil || !strings.Contains(err.Error(), faulty) {
		t.Errorf("the server no longer has a fault: %v", err)
	}
}

// forgiving is a subject that repeats a deletion under the UID alone after that
// conflict.
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
