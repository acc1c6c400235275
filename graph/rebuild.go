package graph

import (
	"fmt"
	"iter"
)

// Rebuild returns a graph of the objects, with kinds in these states, and with the ends that a watch
// has shown. An end without a reference to its object leaves the graph at once. A listing under way
// is one in the result, too, and the objects count as brought by it. The objects may have any order.
//
//test:by internal/core/excerpt.TestWholeMeanwhile
func (insider) Rebuild(cfg Config, kinds []KindState, objects iter.Seq[Object], ended []Key) (*Graph, error) {
	g := New(cfg)
	all, served := make([]KindInfo, len(kinds)), make([]KindInfo, 0, len(kinds))
	for i, k := range kinds {
		if all[i] = k.KindInfo; k.Known {
			served = append(served, k.KindInfo)
		}
	}
	if err := g.applyAll(append([]Event{{Type: KindsKnown, Kinds: all}}, listings(kinds)...)); err != nil {
		return nil, err
	}
	for _, k := range served {
		g.EndListing(k.Kind)
	}
	if err := g.applyAll(states(kinds)); err != nil {
		return nil, err
	}
	for o := range objects {
		if o.Kind == "" || o.Name == "" || o.UID == "" || o.Version == "" {
			return nil, fmt.Errorf("rebuild %s: no object of a graph: %w", o.Key, ErrInvalid)
		}
		e := Event{Type: Put, Object: o}
		if g.delta.reset(); !g.applyRepeat(&o) { // accept would judge the object by the present scope of its kind
			g.apply(&e)
			g.freeUnused(&e)
		}
	}
	for _, k := range ended {
		if err := g.applyAll([]Event{{Type: Gone, Key: k}}); err != nil {
			return nil, err
		}
	}
	return g, g.applyAll([]Event{{Type: KindsKnown, Kinds: served}})
}

// listings returns the complete listings of an empty store.
func listings(kinds []KindState) (out []Event) {
	for _, k := range kinds {
		if k.Known && k.Listed {
			out = append(out, Event{Type: ListBegun, Kind: k.Kind}, Event{Type: ListEnded, Kind: k.Kind})
		}
	}
	return out
}

// states returns the listings under way, and the kinds that are sick.
func states(kinds []KindState) (out []Event) {
	for _, k := range kinds {
		if k.Known && k.Listing {
			out = append(out, Event{Type: ListBegun, Kind: k.Kind})
		}
		if k.Known && k.Sick {
			out = append(out, Event{Type: KindSick, Kind: k.Kind})
		}
	}
	return out
}
