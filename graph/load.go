package graph

import "fmt"

// Load returns the graph of one complete listing: the kinds that a store serves, and all objects
// of these kinds. Each kind counts as listed, so a reference to an object that is not among them
// is [Unknown] with the doubt [Unobserved]. The graph keeps no slice of the caller.
//
// The error wraps [ErrInvalid] and names the object and the field. It stands for objects and kinds
// that no store may have: see [Graph.Apply]. Two objects with one key are such objects.
//
//test:by TestLoad TestLoadErrors
func Load(cfg Config, kinds []KindInfo, objects []Object) (*Graph, error) {
	g := New(cfg)
	events := []Event{{Type: KindsKnown, Kinds: kinds}}
	for _, k := range kinds {
		events = append(events, Event{Type: ListBegun, Kind: k.Kind})
	}
	if err := g.applyAll(events); err != nil {
		return nil, err
	}
	for i := range objects {
		if n, ok := g.Lookup(objects[i].Key); ok && n.State() == Observed {
			return nil, fmt.Errorf("load %s: listed twice: %w", objects[i].Key, ErrInvalid)
		}
		if err := g.applyAll([]Event{{Type: Put, Object: objects[i]}}); err != nil {
			return nil, err
		}
	}
	for _, k := range g.Kinds() {
		if !k.Known {
			continue // a reference names it
		}
		if err := g.applyAll([]Event{{Type: ListEnded, Kind: k.Kind}}); err != nil {
			return nil, err
		}
		g.EndListing(k.Kind)
	}
	return g, nil
}

func (g *Graph) applyAll(events []Event) error {
	for i := range events {
		if _, err := g.inner().ApplyEvent(&events[i]); err != nil {
			return fmt.Errorf("load: %w", err)
		}
	}
	return nil
}

// EndListing ends a complete listing of a kind, after its [ListEnded]. It returns the keys of the
// objects that the listing did not bring, in the order of the kind's nodes. Their end is proven,
// and the caller applies a [Gone] of each. The kind counts as listed from then on. Without such a
// listing EndListing returns nil and changes nothing. The caller owns the result. The work is in
// proportion to the objects of the kind.
//
//test:by TestEndListing
func (g *Graph) EndListing(kind Kind) (gone []Key) {
	for {
		id, _, done := g.inner().Prune(kind, endSlice)
		switch {
		case done:
			return gone
		case id != 0 && g.inner().PendingPrune(id):
			gone = append(gone, g.key(id))
		}
	}
}

// endSlice is the number of nodes of one step of EndListing.
const endSlice = 1024
