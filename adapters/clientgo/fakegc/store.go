package fakegc

import (
	"context"
	"errors"
	"fmt"
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

// Store is a fake client as an ownergraph.Store of level 2. It is a Fencer and a
// Lister too. Use NewStore, and Client for everything that a test writes: what is
// written beside it is seen by watches that begin later. It is safe for
// concurrent use, and has no goroutine of its own.
//
// One lock makes each call of the client, the collector's too, one step. Only
// interceptors of the fake client run under it: they use the client and the
// context that they are given.
type Store struct {
	inner  client.WithWatch
	client client.WithWatch

	mu       sync.Mutex // guards what follows, and every call of inner
	kinds    map[graph.Kind]*kind
	renewals int // how often the kinds have changed
	uids     uint64
	given    map[types.UID]bool // UIDs that the store did not make
	watches  map[*watching]struct{}
	changed  chan struct{} // closed at the next change; nil if no watch waits
}

var (
	_ ownergraph.Store  = (*Store)(nil)
	_ ownergraph.Fencer = (*Store)(nil)
	_ ownergraph.Lister = (*Store)(nil)
)

// NewStore returns a store of what the fake client holds. Objects without a UID
// are given one. An error names the object that no server would hold: one with a
// namespace of a kind that has none, or the other way round.
func NewStore(fake client.WithWatch) (*Store, error) {
	if fake == nil {
		return nil, fmt.Errorf("new store: client: nil: %w", graph.ErrInvalid)
	}
	s := &Store{inner: fake, given: map[types.UID]bool{}, watches: map[*watching]struct{}{}}
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

// Client returns the fake client with UIDs, preconditions and propagation.
func (s *Store) Client() client.WithWatch { return s.client }

// holder is the key under which a context says whose lock its user has.
type holder struct{}

// lock begins a step, or goes on in the one that the context belongs to: an
// interceptor below may call the client above. The returned context goes with
// every call that the step makes.
func (s *Store) lock(ctx context.Context) (_ context.Context, unlock func()) {
	if ctx.Value(holder{}) == any(s) {
		return ctx, func() {}
	}
	s.mu.Lock()
	return context.WithValue(ctx, holder{}, s), s.mu.Unlock
}

// Get returns the live object at key's coordinates. Errors: ErrNotFound,
// ErrKindUnknown for a kind that the client's scheme does not know.
func (s *Store) Get(ctx context.Context, key graph.Key) (graph.Object, error) {
	ctx, k, unlock, err := s.begin(ctx, "get", key)
	if err != nil {
		return graph.Object{}, err
	}
	defer unlock()
	m, err := s.read(ctx, k, key.Scope, key.Name)
	if err != nil {
		return graph.Object{}, meaning("get", key, err)
	}
	return s.objectOf(k, m), nil
}

// Patch applies change to the object at key's coordinates, as finalizer.Patch
// says. Errors: those of Get, of finalizer.Patch, and what the fake client says.
func (s *Store) Patch(ctx context.Context, key graph.Key, pre graph.Precondition, change graph.Change) error {
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
	return meaning("patch", key, err)
}

// Delete deletes the object at key's coordinates, as finalizer.Delete says. A
// grace period is taken for none, since nobody ends one. Errors: those of Get, of
// finalizer.Delete, and what the fake client says.
func (s *Store) Delete(ctx context.Context, key graph.Key, opts graph.DeleteOptions) error {
	ctx, k, unlock, err := s.begin(ctx, "delete", key)
	if err != nil {
		return err
	}
	defer unlock()
	m, err := s.read(ctx, k, key.Scope, key.Name)
	if err == nil {
		err = s.remove(ctx, k, m, opts)
	}
	return meaning("delete", key, err)
}

// begin begins a step on one object.
func (s *Store) begin(ctx context.Context, verb string, key graph.Key) (context.Context, *kind, func(), error) {
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

func (s *Store) remove(ctx context.Context, k *kind, m *partial, opts graph.DeleteOptions) error {
	opts.GraceSeconds = nil
	return s.step(ctx, k, m, func(live graph.Object) (finalizer.Outcome, error) {
		return finalizer.Delete(live, opts, k.propagation)
	})
}

// step has rule say what becomes of the live object m, and carries that out.
func (s *Store) step(ctx context.Context, k *kind, m *partial, rule func(live graph.Object) (finalizer.Outcome, error)) error {
	out, err := rule(s.objectOf(k, m))
	if err != nil || out.Effect == finalizer.Unchanged {
		return err
	}
	defer s.touch(ctx, k, m.Namespace, m.Name)
	return s.commit(ctx, m, out)
}

// meaning returns what an API error means to an engine.
func meaning(verb string, key graph.Key, err error) error {
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

// named returns what stands for one object in a call of the fake client.
func named(k *kind, version, namespace, name string) *metav1.PartialObjectMetadata {
	m := &metav1.PartialObjectMetadata{}
	m.SetGroupVersionKind(k.gvk(version))
	m.Namespace, m.Name = namespace, name
	return m
}
