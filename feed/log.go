package feed

import (
	"context"

	"github.com/ownergraph/ownergraph/graph"
)

// Log is the part of a store that its author writes: a log of changes in his database, and
// the objects beside it. Package documentation has its laws, under "Laws".
//
// A Feed calls the methods from the goroutines of its callers, several at once, and has no
// lock meanwhile. Values that a method returns belong to the Feed, which hands them to sinks.
// So a Log keeps no reference to them. A method returns soon after the end of its context.
// Every error ends the watch or the call that met it, which wraps the error.
//
//test:by TestMutants
type Log interface {
	// ReadLog returns the entries at position from and behind it, in the order of their
	// positions. It returns at most limit entries, and one at least if there is one. All fields
	// of the page are of one snapshot, which is not older than the call.
	ReadLog(ctx context.Context, from uint64, limit int) (LogPage, error)

	// ReadObjects returns objects of the kind in the order of their places (graph.Key.Compare):
	// those behind the place after, at most limit of them. The place before the first object
	// has the kind, and neither scope nor name. Marked objects belong to the page. A page
	// without objects is the end. A kind that is not served is an error.
	ReadObjects(ctx context.Context, kind graph.Kind, after graph.Key, limit int) (ObjectPage, error)

	// AppendFence appends an entry with the token in a transaction of its own, and returns the
	// position of the entry. The entry is behind every commit from before the call.
	AppendFence(ctx context.Context, token uint64) (position uint64, err error)
}

// LogPage is a part of the log, with the state of the store at that moment.
type LogPage struct {
	// Kinds is the complete set of served kinds, in any order.
	Kinds []graph.KindInfo
	// Epoch names the newest restore of the database, "" before the first. The restore draws
	// it at random, in the transaction that restores.
	Epoch string
	// First is the position of the oldest entry that the log still has, or Next if it has
	// none. A log that keeps all entries leaves it 0.
	First uint64
	// Next is the position behind the newest entry. A later entry has this position or a
	// higher one.
	Next uint64
	// Entries belong to the Feed.
	Entries []Entry
}

// ObjectPage is a part of a listing.
type ObjectPage struct {
	// Objects have the states that the next read of them returns. They belong to the Feed.
	Objects []graph.Object
	// Next is LogPage.Next of the snapshot that has these objects.
	Next uint64
}

// Entry is one entry of the log: a write of an object, or a fence. Its JSON form has all of
// it except the position, so a log may keep the text of json.Marshal. The form is stable.
//
//test:by TestEntryJSON
type Entry struct {
	// Position is unique, and positions grow in the order of the commits. They may have gaps.
	// The lowest is 1.
	Position uint64 `json:"-"`
	// Object is the state that the write stored, or the last state of a removed object.
	Object graph.Object `json:"object,omitzero"`
	// Removed says that the write removed the object. Only the Key of Object counts then.
	Removed bool `json:"removed,omitempty"`
	// Fence is the token of a fence, 0 for a write. An entry of a fence has no object.
	Fence uint64 `json:"fence,omitempty"`
}
