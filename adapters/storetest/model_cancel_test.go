package storetest

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
)

// stuck is a store that answers old objects for ever after a call has left its
// transaction open.
type stuck struct {
	ownergraph.Store
	leaves func(ctx context.Context) bool // reports whether a call leaves it open
	open   guarded[map[ownergraph.Key]ownergraph.Object]
}

func (s *stuck) Unwrap() ownergraph.Store { return s.Store }

func (s *stuck) Get(ctx context.Context, key ownergraph.Key) (ownergraph.Object, error) {
	o, err := s.Store.Get(ctx, key)
	s.open.with(func(m *map[ownergraph.Key]ownergraph.Object) {
		if old, there := (*m)[key.Place()]; there && err == nil {
			o = old.Clone()
		} else if err == nil && *m != nil {
			(*m)[key.Place()] = o.Clone()
		}
		if s.leaves(ctx) && *m == nil {
			*m = map[ownergraph.Key]ownergraph.Object{}
		}
	})
	return o, err
}

// TestCancellationIsNamed checks that the steps name the cancellation of a call
// only if the bug needs it.
func TestCancellationIsNamed(t *testing.T) {
	for _, c := range []struct {
		name   string
		leaves func(ctx context.Context) bool
		named  bool
		reason string
	}{
		{"a cancelled read leaves a transaction open", func(ctx context.Context) bool { return ctx.Err() != nil }, true,
			"no rollback where the context has ended"},
		{"each read leaves a transaction open", func(context.Context) bool { return true }, false, "no rollback at all"},
	} {
		t.Run(c.name, func(t *testing.T) {
			message := find(t, 1, 100, modelTest(Config{New: func(tb TB) Subject {
				sub := memorySubject(tb)
				sub.Store = &stuck{Store: sub.Store, leaves: c.leaves}
				return sub
			}}))
			steps := stepsOf(message)
			if n := len(steps); n < 2 || n > 5 {
				t.Errorf("%d steps, want 2 to 5:\n%s", n, message)
			}
			if named := strings.Contains(strings.Join(steps, "\n"), "cancelled: "); named != c.named {
				t.Errorf("the cancellation is named: %t, want %t: %s\n%s", named, c.named, c.reason, message)
			}
		})
	}
}

// TestCancelledAnswerIsFound checks that the histories judge the answer to a write that was
// done although its context ended.
func TestCancelledAnswerIsFound(t *testing.T) {
	for _, lie := range []error{graph.ErrNotFound, graph.ErrConflict, graph.ErrRefused} {
		message := find(t, 1, 200, modelTest(Config{New: func(tb TB) Subject {
			return patching(func(sound ownergraph.Store) patchFunc {
				return func(ctx context.Context, key ownergraph.Key, pre ownergraph.Precondition, c ownergraph.Change) error {
					if err := ctx.Err(); err != nil {
						return err
					}
					err := sound.Patch(context.WithoutCancel(ctx), key, pre, c)
					select {
					case <-time.After(time.Millisecond):
					case <-ctx.Done():
						if err == nil {
							err = fmt.Errorf("patch %s: %w", key, lie)
						}
					}
					return err
				}
			})(tb, memorySubject(tb))
		}}))
		if !strings.Contains(message, "which is a lie") {
			t.Errorf("%v as the answer to a write that was done: %s", lie, message)
		}
	}
}
