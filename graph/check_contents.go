package graph

import (
	"fmt"
	"slices"
)

// checkContents counts the lists of scopes, and looks for each container.
func (g *Graph) checkContents() error {
	listed, places := 0, 0
	for scope, id := range g.contents.scopes {
		prev := placeID(0)
		for ; id != 0; id = g.places[id].next {
			if at := &g.places[id]; at.scope != scope || at.prev != prev || at.used == 0 {
				return fmt.Errorf("I10: place %d stands in the list of scope %q", id, scope)
			}
			prev = id
			listed++
		}
	}
	for i := range g.places {
		if g.places[i].scope != "" {
			places++
		}
	}
	if listed != places {
		return fmt.Errorf("I10: %d places with a scope, %d in lists", places, listed)
	}
	if err := g.checkDefinitions(); err != nil {
		return err
	}
	return g.checkContainers()
}

func (g *Graph) checkDefinitions() error {
	listed, kinds := 0, 0
	for name, list := range g.contents.definitions {
		for i, id := range list {
			if int(id) >= len(g.kinds) || g.kinds[id].info.Definition != name || g.kinds[id].defined != i {
				return fmt.Errorf("I10: kind %d stands in the list of definition %q", id, name)
			}
			listed++
		}
	}
	for i := range g.kinds {
		if g.kinds[i].info.Definition != "" {
			kinds++
		}
	}
	if listed != kinds {
		return fmt.Errorf("I10: %d kinds with a definition, %d in lists", kinds, listed)
	}
	return nil
}

func (g *Graph) checkContainers() error {
	found, containers := 0, 0
	for k, list := range g.contents.containers {
		for _, id := range list {
			if !g.inner().InUse(id) || (Node{g, id}).inner().Content() != k {
				return fmt.Errorf("I10: node %d is no container %q", id, k.Name)
			}
			found++
		}
		if !slices.IsSorted(list) || len(list) == 0 {
			return fmt.Errorf("I10: the containers %q are out of order", k.Name)
		}
	}
	for id := range g.ids() {
		if g.at(id).state() == Observed && (Node{g, id}).inner().Container().Members != MembershipUnset {
			containers++
		}
	}
	if found != containers {
		return fmt.Errorf("I10: %d containers, %d found", containers, found)
	}
	return nil
}
