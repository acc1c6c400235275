package linear

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/anishathalye/porcupine"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/adapters/storetest"
	"github.com/ownergraph/ownergraph/graph"
)

// Test makes stores by store.New, and calls each of them from several clients at
// once. It reports the first history that is not linearizable. The report has the
// object, the seed, and the shortest part of the history that shows the failure.
//
// The flag -rapid.checks is the number of histories: 100 by default, or a fifth of
// that with -short. Of store, Test reads only New and Kinds. It returns when every
// client is done.
//
//test:by TestMemoryIsLinearizable TestBrokenStores
func Test(t storetest.TB, store storetest.Config) {
	t.Helper()
	test(t, store, settings{})
}

func test(t storetest.TB, store storetest.Config, c settings) {
	t.Helper()
	if store.New == nil {
		t.Fatalf("linear: Config.New: nil: want a function that makes a store")
	}
	c, again := c.resolve()
	for i := range c.histories {
		seed := c.seed
		if !again {
			seed += uint64(i)
		}
		subject := store.New(t)
		kinds, err := served(t.Context(), subject.Store)
		if err == nil {
			kinds, err = selectKinds(kinds, store.Kinds)
		}
		if err != nil {
			t.Fatalf("linear: learn the kinds: %v", err)
		}
		if ownergraph.LevelOf(subject.Store) >= ownergraph.Level3 {
			withoutOwners(kinds)
		}
		r := recorder{subject: subject}
		for _, h := range split(r.play(t.Context(), drawPlan(seed, kinds))) {
			if !accept(t, h, seed, i) {
				return
			}
		}
	}
}

// withoutOwners takes the owners out of the plans. A store of level 3 refuses references to
// them, because they do not exist.
func withoutOwners(kinds []graph.KindInfo) {
	for i := range kinds {
		kinds[i].NoOwner = true
	}
}

// accept reports a history that is not linearizable, or cannot be judged.
func accept(t storetest.TB, h history, seed uint64, n int) bool {
	t.Helper()
	switch h.judge() {
	case porcupine.Ok:
		return true
	case porcupine.Unknown:
		t.Errorf("linear: %s: %d calls, not judged within %v: not proven: too many outcomes are unknown (history %d, -rapid.seed=%d)\n%s",
			withoutUID(graph.Object{Key: h[0].place}), len(h), maxJudging, n, seed, h)
	default:
		short := h.shrink()
		t.Errorf("linear: %s is not linearizable: no order of these calls explains the answers (history %d; %d of %d calls; to run the plan again: -rapid.seed=%d)\n%s",
			withoutUID(graph.Object{Key: h[0].place}), n, len(short), len(h), seed, short)
	}
	return false
}

var errKnown = errors.New("the kinds are known")

// served returns the kinds that the store's watch reports.
func served(ctx context.Context, store ownergraph.Store) ([]graph.KindInfo, error) {
	var kinds []graph.KindInfo
	err := store.Watch(ctx, func(batch []graph.Event) error {
		at := slices.IndexFunc(batch, func(e graph.Event) bool { return e.Type == graph.KindsKnown })
		if at < 0 {
			return nil
		}
		kinds = slices.SortedFunc(slices.Values(batch[at].Kinds), func(a, b graph.KindInfo) int { return cmp.Compare(a.Kind, b.Kind) })
		return errKnown
	})
	switch {
	case err == nil && kinds == nil:
		return nil, errors.New("the watch ended without an error and without KindsKnown")
	case len(kinds) > 0:
		return kinds, nil
	case err != nil && !errors.Is(err, errKnown):
		return nil, err
	}
	return nil, errors.New("the store serves none")
}

// selectKinds returns the named kinds. If none are named, it returns all.
func selectKinds(kinds []graph.KindInfo, named []graph.Kind) ([]graph.KindInfo, error) {
	if len(named) == 0 {
		return kinds, nil
	}
	var list []graph.KindInfo
	for i, kind := range named {
		at := slices.IndexFunc(kinds, func(info graph.KindInfo) bool { return info.Kind == kind })
		if at < 0 {
			return nil, fmt.Errorf("Config.Kinds[%d]: the store does not serve %q", i, kind)
		}
		list = append(list, kinds[at])
	}
	return list, nil
}
