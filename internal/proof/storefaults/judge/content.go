package judge

import "github.com/ownergraph/ownergraph/graph"

// Change is one commit of one object.
type Change struct {
	// Gone says that the object was removed. Otherwise Object is its new state.
	Gone   bool
	Object graph.Object
	// Drawn is a number that the transaction drew when it had the locks of the change, so of
	// two changes that lock one row the first commit has the lower one. With 0 everywhere the
	// order of the changes is that of the commits.
	Drawn int64
}

// Row is a row of the user, or a payload.
type Row struct {
	UID  graph.UID
	Name string
}

// Entry is the record of an object that ended. Explicit says that a user deleted it, and Row that it has the row of the user.
type Entry struct {
	UID           graph.UID
	Explicit, Row bool
	Restored      graph.UID
}

// Content is everything that the database has at the end.
type Content struct {
	Objects []graph.Object
	// Changes is every state of every object since the database was empty, in the order
	// of the log.
	Changes []Change
	// Rows are the user's rows.
	Rows []Row
	// Worked are the objects for which a handler has done its work.
	Worked map[graph.UID]bool
	// Entries are those of the archive, and Archive says that the store has one.
	Entries []Entry
	Archive bool
	// Agents says that agents deleted objects, too: their deletions are not in the history.
	Agents bool
	// Strict says that the store promises level 3.
	Strict bool
	// Faults are contradictions between the tables of the store.
	Faults []string
}
