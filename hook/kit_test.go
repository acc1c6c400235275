package hook_test

import (
	"context"
	"testing"
	"time"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/adapters/memory"
	"github.com/ownergraph/ownergraph/adapters/storetest"
	"github.com/ownergraph/ownergraph/hook"
	"github.com/ownergraph/ownergraph/internal/inside"
)

// users are the users of a memory store.
type users struct{ *memory.Store }

func (u users) Update(ctx context.Context, o ownergraph.Object) (ownergraph.Object, error) {
	return u.Store.Update(ctx, ownergraph.Object{Key: o.Key, Version: o.Version, Owners: o.Owners, Finalizers: o.Finalizers})
}

// TestKit: a wrapped store keeps the contract of Store, with all powers of the store.
func TestKit(t *testing.T) {
	kinds := []ownergraph.KindInfo{{Kind: "app", Scoped: true}, {Kind: "node"}, {Kind: "pod", Scoped: true}}
	storetest.Test(t, storetest.Config{
		New: func(tb storetest.TB) storetest.Subject {
			m, err := memory.New(memory.Config{Kinds: kinds, Strict: true})
			if err != nil {
				tb.Fatalf("new memory store: %v", err)
			}
			in := m.Inside(inside.Key{})
			return storetest.Subject{
				Store: hook.Store(m, &journal{}), Client: users{m},
				Compact: func(context.Context) error { in.Compact(); return nil },
				Backup: func(context.Context) (func(context.Context) error, error) {
					was := in.Snapshot()
					return func(context.Context) error { return in.Restore(was) }, nil
				},
				Sicken: func(_ context.Context, k ownergraph.Kind) (func(context.Context) error, error) {
					return func(context.Context) error { return in.Recover(k) }, in.Sicken(k, "taken out of reach")
				},
				Label: func(ctx context.Context, key ownergraph.Key, labels map[string]string) error {
					_, err := m.Label(ctx, key, ownergraph.Precondition{}, labels)
					return err
				},
			}
		},
		Patience: 10 * time.Second, Search: 50 * time.Millisecond,
		Without: []storetest.Promise{storetest.BrokenConnections, storetest.ChangingKinds, storetest.Durability, storetest.SecondHandles,
			storetest.Outages, storetest.FailedCommits},
	})
}
