package archive

import "github.com/ownergraph/ownergraph/graph"

// Plan is the forecast of a restore: its set, and the objects that stand in its way.
type Plan struct {
	Set
	// Taken are the members whose name another object has. Nothing is restored before they are renamed, unless the
	// restore has begun.
	Taken []Taken
	// Relinks are living objects that name the former UID of an object that is back. Their references move to the new
	// UID.
	Relinks []graph.Key
	// Waits are marked objects below the set. The restore ends after their end, because they become members.
	Waits []Waiting
}

// Taken is a member whose name another object has.
type Taken struct {
	Member graph.Key
	By     graph.Key
}

// Waiting is a marked object, with the finalizers that keep it.
type Waiting struct {
	Key        graph.Key
	Finalizers []string
}

// IsDone reports whether the plan has nothing left to do.
func (p *Plan) IsDone() bool {
	return len(p.Members)+len(p.Refused)+len(p.Relinks)+len(p.Waits) == 0
}

// Result is the outcome of a restore.
type Result struct {
	// Restored are the objects of the set, by the UID of their entry: those of this restore, and of earlier ones.
	Restored map[graph.UID]graph.Key
	// Created counts the objects that this call has created, and Relinked the living ones that it has moved. An object that another
	// restore creates at the same moment counts in both.
	Created, Relinked int
	// Left are the entries below the roots that stay.
	Left []Left
	// Held are the members that came to a taken name, with the name's owner, and the members that need them.
	Held []Taken
}

// Progress is a report of a restore under way.
type Progress struct {
	Created, Members int
	// Waits are marked objects whose end it waits for.
	Waits []Waiting
}
