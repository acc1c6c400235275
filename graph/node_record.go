package graph

// node is the record of one object: 64 bytes, one cache line, without a pointer.
//
// It has the common parts of an object, each in the smallest exact form. A UUID takes
// 16 bytes, and a version that is a number takes eight. Kind and scope are one number. The
// one owner is the node of the owner, with the links of the owner's list. Rare parts are
// written behind the name (pack.go). The page has the lists of owners and the objects with
// several references.
//
// Space is reserved for later rules about guards and orders (RULES, Guards and Explanations). TestLayout
// checks the sizes:
//
//   - Two bits of each owner reference. The first reference has the two top bits of record,
//     since a page has at most 512 owner records. Every other reference has the bytes behind
//     edge.block.
//   - The root of a cascade, eight bytes, and the withheld mark of a node. Only full node states
//     need them: see State of package record. All bits of marks and of note are in use.
type node struct {
	uid     uid
	version uint64
	note    uint64 // the caller's: see Graph.SetNote

	place placeID
	owner NodeID // of the first reference that has an edge: see edge.go

	next, prev         edgeID // of that edge, among the owner's dependents
	nextKind, prevKind NodeID // in the list of all nodes of the kind

	text   uint16 // the place of its text in the page, +1
	record uint16 // the place of its owner record in the page, +1
	epoch  uint16 // the listing that last brought it
	marks  marks
}

// marks has a node's state, its role and its flags.
type marks uint16

const (
	stateMarks marks = 3 << (2 * iota)
	roleMarks
)

const (
	flawedMark      marks = 1 << (iota + 4)
	deletingMark          // it is marked for deletion
	blockMark             // its first edge blocks
	controllerMark        // its one plain reference is the controller's
	ownersMark            // the page has its references: see page.owners
	textUID               // its UID is no canonical UUID
	textVersion           // its version is no canonical number
	moreText              // it has finalizers, generations or a grace period
	longText              // its text stands apart from the page's: see page.long
	groupHeadMark         // the index leads to it, and others have its UID: see uid_group.go
	groupMemberMark       // the index leads to another node with its UID
	duplicateMark         // it has links to observed nodes with its UID
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

// Note returns the eight bytes that the caller keeps with a node, 0 for a new node.
func (g *Graph) Note(id NodeID) uint64 { return g.at(id).note }

// SetNote replaces the note. It means nothing to the graph. An event about the node has
// already fetched the cache line of the note.
func (g *Graph) SetNote(id NodeID, note uint64) { g.at(id).note = note }
