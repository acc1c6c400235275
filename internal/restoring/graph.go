package restoring

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/ownergraph/ownergraph/graph"
)

// Graph shows the objects that a collector has observed.
type Graph struct {
	// Observe waits until every commit before the call is in the graph.
	Observe func(ctx context.Context) error
	// Look calls a function with the graph, which changes nothing and returns soon.
	Look func(read func(g *graph.Graph))
	// Get reads an object of a kind that the store serves, and that the collector does not observe, as Store.Get does. Nil stands
	// for no such kinds.
	Get func(ctx context.Context, key graph.Key) (graph.Object, error)
}

// unobserved adds the states of those objects whose kind the collector leaves out (Config.Ignore). Without them an owner that
// lives looks as one that is gone, and its reference would be left out for good.
//
//test:by restore.TestIgnoredKinds restore.TestIgnoredGone
func (g Graph) unobserved(ctx context.Context, keys []graph.Key, into map[graph.UID]state) error {
	if g.Get == nil {
		return nil
	}
	hidden := map[graph.Kind]bool{}
	g.Look(func(now *graph.Graph) {
		for _, k := range now.Kinds() {
			hidden[k.Kind] = k.Known && !k.TakesPart()
		}
	})
	asked := map[graph.Key]bool{}
	for _, k := range keys {
		if _, known := into[k.UID]; known || !hidden[k.Kind] || asked[k] {
			continue
		}
		asked[k] = true
		o, err := g.Get(ctx, k)
		switch {
		case errors.Is(err, graph.ErrNotFound), err == nil && o.UID != k.UID:
		case err != nil:
			return fmt.Errorf("read %s, whose kind is not observed: %w", k, err)
		default:
			into[k.UID] = state{o.Key, o.Deleting}
		}
	}
	return nil
}

// perLook is the number of objects that one look reads.
const perLook = 512

// states returns the objects with some UIDs that are there, by UID.
func (g Graph) states(uids []graph.UID) map[graph.UID]state {
	out := make(map[graph.UID]state, len(uids))
	for some := range slices.Chunk(uids, perLook) {
		g.Look(func(now *graph.Graph) {
			for _, uid := range some {
				if n, ok := now.Alive(uid); ok && n.State() == graph.Observed {
					out[uid] = state{n.Key(), n.Deleting()}
				}
			}
		})
	}
	return out
}

// state is that of an object that is there.
type state struct {
	key    graph.Key
	marked bool
}

// object returns the object with a key, or the zero Object.
func (g Graph) object(k graph.Key) (o graph.Object) {
	g.Look(func(now *graph.Graph) {
		if n, ok := now.Lookup(k); ok && n.State() == graph.Observed {
			o = n.Object()
		}
	})
	return o
}

// occupants returns the object at each place, the zero Key for none.
func (g Graph) occupants(places []graph.Key) []graph.Key {
	out := make([]graph.Key, 0, len(places))
	for some := range slices.Chunk(places, perLook) {
		g.Look(func(now *graph.Graph) {
			for _, place := range some {
				var by graph.Key
				for n := range now.At(place) {
					if n.State() == graph.Observed {
						by = n.Key()
					}
				}
				out = append(out, by)
			}
		})
	}
	return out
}

// naming returns the objects that name one of the UIDs, each once, sorted by key.
func (g Graph) naming(uids []graph.UID) (out []graph.Object) {
	for at := 0; at < len(uids); {
		g.Look(func(now *graph.Graph) {
			for room := perLook; at < len(uids) && room > 0; at++ {
				room--
				for n := range now.DependentsByUID(uids[at]) {
					if room--; n.State() == graph.Observed {
						out = append(out, n.Object())
					}
				}
			}
		})
	}
	slices.SortFunc(out, func(a, b graph.Object) int { return a.Key.Compare(b.Key) })
	return slices.CompactFunc(out, func(a, b graph.Object) bool { return a.Key == b.Key })
}
