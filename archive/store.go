package archive

import (
	"context"

	"github.com/ownergraph/ownergraph/graph"
)

// Store is the optional power of an ownergraph.Store to keep an entry of each object that ends, and to create the object
// anew from it (RULES, A1 to A6). The removal and the entry are one transaction, with each call that removes an
// object. ownergraph.As returns this power.
//
//test:by adapters/storetest.TestMutants
type Store interface {
	// HasArchive reports whether the store keeps entries, always the same. Without them the other methods return
	// ErrRefused or nothing.
	HasArchive() bool

	// Entries returns a page of the entries that a query selects, not older than the call.
	Entries(ctx context.Context, q Query) (Page, error)

	// RestoreEntries creates an object for each item, and notes it in the entry, in one transaction. It returns the
	// keys of the objects in the order of the items, with the new UIDs. An item whose entry was restored before
	// creates nothing, and gives the key of then. Errors: *TakenError, ErrNotFound for a purged entry, and
	// those of the creation of an object, such as ErrRefused for an owner that is gone. With an error nothing is
	// done, except with an unknown outcome.
	RestoreEntries(ctx context.Context, items []Item) ([]graph.Key, error)

	// HoldEntry puts a hold on an entry, or on a living object with its UID. EndHold takes it off.
	HoldEntry(ctx context.Context, key graph.Key, h Hold) error
	EndHold(ctx context.Context, key graph.Key, by string) error

	// PurgeEntries drops the entries of the objects, unless a hold is on one: ErrRefused then. Without UIDs it
	// drops the entries that may go by now (Ended), and the holds that are over. It returns the number of entries.
	PurgeEntries(ctx context.Context, uids []graph.UID) (n int, err error)

	// Extent returns the size of the archive.
	Extent(ctx context.Context) (Extent, error)
}
