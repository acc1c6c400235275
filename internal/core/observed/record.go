package observed

// node is the record of one object: 64 bytes, one cache line, without a pointer.
//
// It holds what most objects have, each thing in the smallest form that gives it
// back exactly: a UUID in 16 bytes, a version that is a number in eight, kind and
// scope as one interned pair, the one owner as the owner's node with the links
// of its list. What fewer have is written behind the name (see pack.go), or stands
// in the page: the lists of those that own (hub.go), several references (wide).
type node struct {
	uid     uid
	version uint64
	note    uint64 // the caller's: see Graph.SetNote

	place placeID
	owner NodeID // of the first reference that has an edge: see edge.go

	next, prev         edgeID // of that edge, among the owner's dependents
	nextKind, prevKind NodeID // all nodes of the kind

	text  uint16 // where its text stands in the page, +1
	hub   uint16 // where its dependents stand in the page, +1
	epoch uint16 // of the listing that last brought it
	marks marks
}

// marks holds a node's state, its role, and what else is true of it.
type marks uint16

const (
	stateMarks marks = 3 << (2 * iota)
	roleMarks
)

const (
	flawedMark     marks = 1 << (iota + 4)
	deletingMark         // it is marked for deletion
	blockMark            // its first edge blocks
	controllerMark       // its one plain reference is the controller's
	wideMark             // its references are not one plain one: see page.wide
	textUID              // its UID is no canonical UUID
	textVersion          // its version is no canonical number
	moreText             // it has finalizers, generations or a grace period
	longText             // its text stands outside of the page's: see page.long
	sharedMark           // others have its UID: see kin.go
	kinMark              // it is one of these others, and not in the index
	twinMark             // it has links to twins
)

func (x *node) is(m marks) bool { return x.marks&m != 0 }

func (x *node) set(m marks, on bool) {
	x.marks &^= m
	if on {
		x.marks |= m
	}
}

func (x *node) state() State { return State(x.marks & stateMarks) }

func (x *node) setState(s State) { x.marks = x.marks&^stateMarks | marks(s) }

func (x *node) role() role { return role(x.marks & roleMarks >> 2) }

func (x *node) setRole(r role) { x.marks = x.marks&^roleMarks | marks(r)<<2 }

// Note returns the eight bytes that the caller keeps with a node; 0 for a new one.
func (g *Graph) Note(id NodeID) uint64 { return g.at(id).note }

// SetNote replaces them. They mean nothing to the graph; they stand in the line
// of memory that an event about the node has brought anyway.
func (g *Graph) SetNote(id NodeID, note uint64) { g.at(id).note = note }
