package fakegc

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/finalizer"
	"github.com/ownergraph/ownergraph/graph"
)

// store is a fake client as an ownergraph.Store of level 2. It is a Fencer and a Lister
// too. A test writes through its client. A watch reports writes beside the client only
// if it begins later. A store is safe for concurrent use and has no goroutine of its
// own.
//
// One lock makes each call of the client one step, also the collector's calls. Only
// interceptors of the fake client run under it. They must use the client and the
// context that they get.
//
//test:by TestConformance TestConformanceInBubble
type store struct {
	inner  client.WithWatch
	client client.WithWatch

	mu       sync.Mutex // guards the fields below, and every call of inner
	kinds    map[graph.Kind]*kind
	renewals int // counts the changes of the kinds
	uids     uint64
	token    uint64             // of the last fence; it begins at a random number
	given    map[types.UID]bool // UIDs that the store did not make
	watches  map[*watch]struct{}
	changed  chan struct{} // closed at the next change; nil if no watch is idle
}

var (
	_ ownergraph.Store  = (*store)(nil)
	_ ownergraph.Fencer = (*store)(nil)
	_ ownergraph.Lister = (*store)(nil)
)

// newStore returns a store of the fake client's objects. It gives an object without a
// UID a new one. The error names an object whose namespace contradicts its kind.
func newStore(fake client.WithWatch) (*store, error) {
	if fake == nil {
		return nil, fmt.Errorf("new store: client: nil: %w", graph.ErrInvalid)
	}
	s := &store{inner: fake, given: map[types.UID]bool{}, watches: map[*watch]struct{}{}, token: rand.Uint64() / 2}
	s.kinds = s.schemeKinds()
	s.client = interceptor.NewClient(fake, s.funcs())
	ctx, unlock := s.lock(context.Background())
	defer unlock()
	for _, k := range s.sortedKinds() {
		if _, err := s.list(ctx, k); err != nil {
			return nil, fmt.Errorf("new store: %w", err)
		}
	}
	return s, nil
}

// holder is the key of the context's lock holder.
type holder struct{}

// lock begins a step, or continues the step of the context. An interceptor below the
// store may call the client above it. The step passes the returned context to all its
// calls.
func (s *store) lock(ctx context.Context) (_ context.Context, unlock func()) {
	if ctx.Value(holder{}) == any(s) {
		return ctx, func() {}
	}
	s.mu.Lock()
	return context.WithValue(ctx, holder{}, s), s.mu.Unlock
}

// Get returns the live object at key's coordinates. Errors: ErrNotFound, and
// ErrKindUnknown for a kind that the client's scheme lacks.
func (s *store) Get(ctx context.Context, key graph.Key) (graph.Object, error) {
	ctx, k, unlock, err := s.begin(ctx, "get", key)
	if err != nil {
		return graph.Object{}, err
	}
	defer unlock()
	m, err := s.read(ctx, k, key.Scope, key.Name)
	if err != nil {
		return graph.Object{}, sentinel("get", key, err)
	}
	return s.objectOf(k, m), nil
}

// Patch applies change to the object at key's coordinates, by the rules of
// finalizer.Patch. Errors: those of Get, of finalizer.Patch and of the fake client.
func (s *store) Patch(ctx context.Context, key graph.Key, pre graph.Precondition, change graph.Change) error {
	ctx, k, unlock, err := s.begin(ctx, "patch", key)
	if err != nil {
		return err
	}
	defer unlock()
	if r := change.AddOwner; r != nil && s.kinds[r.Kind] == nil {
		return fmt.Errorf("patch %s: addOwner.kind %q: not served: %w", key, r.Kind, graph.ErrRefused)
	}
	m, err := s.read(ctx, k, key.Scope, key.Name)
	if err == nil {
		err = s.step(ctx, k, m, func(live graph.Object) (finalizer.Outcome, error) { return finalizer.Patch(live, pre, change) })
	}
	return sentinel("patch", key, err)
}

// Delete deletes the object at key's coordinates, by the rules of finalizer.Delete. It
// ignores a grace period, because no agent ends one. Errors: those of Get, of
// finalizer.Delete and of the fake client.
func (s *store) Delete(ctx context.Context, key graph.Key, opts graph.DeleteOptions) error {
	ctx, k, unlock, err := s.begin(ctx, "delete", key)
	if err != nil {
		return err
	}
	defer unlock()
	m, err := s.read(ctx, k, key.Scope, key.Name)
	if err == nil {
		err = s.remove(ctx, k, m, opts)
	}
	return sentinel("delete", key, err)
}

// begin begins a step on one object.
func (s *store) begin(ctx context.Context, verb string, key graph.Key) (context.Context, *kind, func(), error) {
	if err := ctx.Err(); err != nil {
		return nil, nil, nil, err
	}
	ctx, unlock := s.lock(ctx)
	k := s.kinds[key.Kind]
	if k == nil {
		unlock()
		return nil, nil, nil, fmt.Errorf("%s %s: kind: %w", verb, key, graph.ErrKindUnknown)
	}
	return ctx, k, unlock, nil
}

func (s *store) remove(ctx context.Context, k *kind, m *partial, opts graph.DeleteOptions) error {
	opts.GraceSeconds = nil
	return s.step(ctx, k, m, func(live graph.Object) (finalizer.Outcome, error) {
		return finalizer.Delete(live, opts, k.propagation)
	})
}

// step applies a rule to the live object m, and commits its outcome.
func (s *store) step(ctx context.Context, k *kind, m *partial, rule func(live graph.Object) (finalizer.Outcome, error)) error {
	out, err := rule(s.objectOf(k, m))
	if err != nil || out.Effect == finalizer.Unchanged {
		return err
	}
	defer s.touch(ctx, k, m.Namespace, m.Name)
	return s.commit(ctx, m, out)
}

// sentinel returns an API error as an error of the engine.
func sentinel(verb string, key graph.Key, err error) error {
	for _, said := range []error{nil, graph.ErrNotFound, graph.ErrConflict, graph.ErrRefused, context.Canceled, context.DeadlineExceeded} {
		if errors.Is(err, said) {
			return err
		}
	}
	switch {
	case apierrors.IsNotFound(err):
		return fmt.Errorf("%s %s: %w", verb, key, graph.ErrNotFound)
	case apierrors.IsConflict(err):
		return fmt.Errorf("%s %s: %w: %w", verb, key, graph.ErrConflict, err)
	case apierrors.IsForbidden(err), apierrors.IsInvalid(err), apierrors.IsBadRequest(err), apierrors.IsMethodNotSupported(err):
		return fmt.Errorf("%s %s: %w: %w", verb, key, graph.ErrRefused, err)
	}
	return fmt.Errorf("%s %s: %w", verb, key, err)
}

// named returns an object's address for a call of the fake client.
func named(k *kind, version, namespace, name string) *metav1.PartialObjectMetadata {
	m := &metav1.PartialObjectMetadata{}
	m.SetGroupVersionKind(k.gvk(version))
	m.Namespace, m.Name = namespace, name
	return m
}
