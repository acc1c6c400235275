package sqlstore

import (
	"maps"
	"slices"
	"testing"

	"github.com/ownergraph/ownergraph/adapters/storetest"
	"github.com/ownergraph/ownergraph/adapters/storetest/linear"
)

// TestKit runs the whole conformance kit on each database.
func TestKit(t *testing.T) {
	for _, name := range sortedNames(newDatabases) {
		t.Run(name, func(t *testing.T) { storetest.Test(t, kit(newDatabases[name], nil)) })
	}
}

func sortedNames[T any](m map[string]T) []string { return slices.Sorted(maps.Keys(m)) }

// TestKitStrict runs the whole kit on strict stores, at level 3, after the step of policies.
func TestKitStrict(t *testing.T) {
	for _, name := range sortedNames(newDatabases) {
		t.Run(name, func(t *testing.T) { storetest.Test(t, kit(newDatabases[name], acting)) })
	}
}

// TestLinearizable runs clients at once on each database.
func TestLinearizable(t *testing.T) {
	for _, name := range sortedNames(newDatabases) {
		t.Run(name, func(t *testing.T) { linear.Test(t, kit(newDatabases[name], nil)) })
	}
}
