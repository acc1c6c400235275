package sqlstore

import (
	"testing"
	"time"

	"github.com/ownergraph/ownergraph/adapters/storetest"
	"github.com/ownergraph/ownergraph/adapters/storetest/linear"
)

// TestKit runs the whole conformance kit on each database.
func TestKit(t *testing.T) {
	for _, name := range sortedNames(newDatabases) {
		t.Run(name, func(t *testing.T) { storetest.Test(t, kit(newDatabases[name], nil)) })
	}
}

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

// TestKitArchive runs the whole kit on strict stores with an archive. Its searches are short, because TestKitStrict has
// searched the same rules.
func TestKitArchive(t *testing.T) {
	for _, name := range sortedNames(newDatabases) {
		t.Run(name, func(t *testing.T) {
			c := kit(newDatabases[name], archiving)
			c.Search = 200 * time.Millisecond
			storetest.Test(t, c)
		})
	}
}

// TestKitSealed runs the kit on a store of Postgres that seals each payload, because the removals there take other statements
// then. Its searches are as short as those of TestKitArchive.
func TestKitSealed(t *testing.T) {
	c := kit(newPostgresDatabase, func(c *Config) {
		archiving(c)
		for _, info := range kindsOfTests() {
			sealing(append(c.Archive.Sealing.Kinds, info.Kind)...)(c)
		}
	})
	c.Search = 200 * time.Millisecond
	storetest.Test(t, c)
}
