package view

import (
	"slices"

	"github.com/ownergraph/ownergraph/graph"
)

// The bounds of a picture.
const (
	defaultLimit = 1000 // nodes, for a limit of 0
	maxLimit     = 5000 // nodes, for any limit
	maxFanOut    = 40   // nodes of one kind below one owner, and owners of one node
	edgesPerNode = 4    // edges for each node of the limit
	maxSameUID   = 5    // objects with one identity that a reference leads to
)

// Picture is a bounded picture of objects and their owners. The functions of this package
// make pictures, and nothing changes a picture afterwards. So it is safe for concurrent
// use. The zero value is the empty picture.
//
//test:by TestPictureIgnoresOrder TestHostile
type Picture struct {
	title string
	nodes []node // by kind, rank and key
	edges []edge // by upper, then by lower
	// summary has the lines below the picture, without the counts of the parts left out.
	summary []string
	limit   int
	open    bool // the caller gave a limit, so each node has a line of text
	below   int  // objects below the subject, drawn or not
	omitted int  // objects that are not drawn
	cut     int  // edges between drawn objects that are not drawn
	waves   int  // of a plan
}

// Below returns the number of objects below the subject of Tree, drawn or not. Each counts
// once, and the subject does not count. Of other pictures it returns 0.
//
//test:by TestBelow
func (p Picture) Below() int { return p.below }

// Partial returns the picture of a part of the objects around its subject. Its text counts the
// objects below the subject as a least number.
//
//test:by TestPartial
func (p Picture) Partial() Picture {
	p.summary = slices.Clone(p.summary)
	for i, line := range p.summary {
		if line == p.belowLine() {
			p.summary[i] = "at least " + line
		}
	}
	return p
}

// belowLine is the line of the summary that counts the objects below the subject.
func (p *Picture) belowLine() string { return numbered(p.below, "object") + " below it" }

// node is an object, an absent owner, or an actor at the end of a chain of conditions.
type node struct {
	key     graph.Key
	actor   string // of an actor, which has no key
	class   class
	notes   []string      // the reason in words
	refs    []graph.Owner // of an object with known references
	subject bool
	maybe   bool // the class is possible, and not certain
	wave    int  // of a plan; 0 is none
	rank    int  // higher ranks come first among siblings of one kind
	// group counts the objects that the node stands for, dependents of one kind of another object.
	group int
	of    graph.Key
	// more counts the dependents that are not drawn, by kind. owners counts the owners.
	more   []count
	owners int
}

type count struct {
	kind  graph.Kind
	n     int
	plain map[string]int // of these, the plain ones by their remark: see plain
}

// edge leads from an upper node down to a lower one: from an owner to its dependent, or
// from a waiting node to the node for which it waits.
type edge struct {
	upper, lower int
	owns         bool // the lower node has a reference to the upper one
	member       bool // the lower node is a member of the upper one, a container
	block        bool
	controller   bool
	policies     policies
	notes        []string // flaws of the reference
}

// waits reports whether the edge leads to a node waited for.
func (e *edge) waits() bool { return !e.owns && !e.member }

// class is the class of a node. It decides shape, colour and word.
type class uint8

const (
	classUnset class = iota
	live
	marked
	waiting
	orphaning
	absent
	unknown
	kept
	held
	protected
	going
	actor
)

var classNames = [...]string{"unset", "live", "being deleted", "being deleted, waits for its dependents",
	"being deleted, leaves its dependents", "absent", "unknown", "stays", "held", "protected", "goes", "next actor"}

// bound returns the limit in force.
func bound(limit int) int {
	if limit <= 0 {
		return defaultLimit
	}
	return min(limit, maxLimit)
}
