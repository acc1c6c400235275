package run

import (
	"fmt"
	"slices"

	"github.com/ownergraph/ownergraph/adapters/clientgo"
	"github.com/ownergraph/ownergraph/engine"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/policy"
)

const maxServices = 4 // API services in one message

// behind names the API services of kinds that are not available.
//
//test:by TestBehind
func behind(kinds []graph.Kind, services []clientgo.UnavailableService) []string {
	return namesOf(slices.DeleteFunc(services, func(u clientgo.UnavailableService) bool { return !slices.ContainsFunc(kinds, u.Serves) }))
}

// namesOf names some of the API services, and counts the others.
func namesOf(services []clientgo.UnavailableService) (names []string) {
	for _, u := range services[:min(len(services), maxServices)] {
		names = append(names, u.String())
	}
	if more := len(services) - len(names); more > 0 {
		names = append(names, fmt.Sprintf("%d more API services are not available", more))
	}
	return names
}

// causes names the API services that hold a namespace. Its controller lists every group, also one
// whose kinds take no part in ownership. The detail of any other object has them already, in the
// reasons of the kinds that it waits for.
//
//test:by TestHeldByServices
func causes(h *engine.Held, services []clientgo.UnavailableService) []string {
	if h.Key.Kind != "Namespace" || h.Reason != policy.NeedFinalizers || !slices.Contains(h.Detail, clientgo.NamespaceFinalizer) {
		return nil
	}
	return namesOf(services)
}
