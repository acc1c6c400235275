package storetest

import (
	"context"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
)

// TestLawsAreSound checks that each law has a name, a reason and a function, and
// rests on laws that come before it.
func TestLawsAreSound(t *testing.T) {
	form := regexp.MustCompile(`^[a-z0-9]+/[a-z0-9-]+$`)
	before := map[string]bool{}
	for _, l := range laws() {
		if !form.MatchString(l.name) || before[l.name] {
			t.Errorf("law %q: the name is not of the form subject/rule, or is there twice", l.name)
		}
		if l.why == "" || strings.HasSuffix(l.why, ".") || l.run == nil {
			t.Errorf("law %q: it has no reason, or no function", l.name)
		}
		for _, name := range l.basis() {
			if !before[name] && !strings.HasPrefix(l.name, "client/") {
				t.Errorf("law %q rests on %q, which is not tried before it", l.name, name)
			}
		}
		before[l.name] = true
	}
	t.Logf("%d laws", len(before))
}

// TestFenceInsideOfSink: a red line of fence/returns says that the fence began inside of a
// sink's call. Otherwise its author looks at the wrong moment.
func TestFenceInsideOfSink(t *testing.T) {
	for _, tc := range []struct {
		plant  func(tb TB, s Subject) Subject
		want   string
		reason string
	}{
		{func(_ TB, s Subject) Subject {
			s.Store = sinkLocks{s.Store, make(chan struct{}, 1)}
			return s
		}, "Fence, called while the sink of a watch has the first event", "the call waits for the watch"},
		{losing(func() func(ownergraph.Event) bool {
			return func(e ownergraph.Event) bool { return e.Type == graph.FencePassed && e.Kind == "" }
		}), "the fence began while the sink of this watch had the first event", "its report is lost"},
	} {
		synctest.Test(t, func(t *testing.T) {
			list := lawsAlone("fence/returns")
			r := judgeBy(t.Context(), list[len(list)-1:], Config{New: func(tb TB) Subject { return tc.plant(tb, memorySubject(tb)) }})
			if err := r.Err(); err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("the kit says %v, want %q: %s", err, tc.want, tc.reason)
			}
		})
	}
}

// sinkLocks is a store with a lock that a watch has while its sink runs, and that a fence needs.
type sinkLocks struct {
	ownergraph.Store
	lock chan struct{}
}

func (s sinkLocks) Watch(ctx context.Context, sink func([]ownergraph.Event) error) error {
	return s.Store.Watch(ctx, func(batch []ownergraph.Event) error {
		s.lock <- struct{}{}
		defer func() { <-s.lock }()
		return sink(batch)
	})
}

func (s sinkLocks) Fence(ctx context.Context) (uint64, error) {
	select {
	case s.lock <- struct{}{}:
		defer func() { <-s.lock }()
	case <-ctx.Done():
		return 0, ctx.Err()
	}
	f, _ := ownergraph.As[ownergraph.Fencer](s.Store)
	return f.Fence(ctx)
}
