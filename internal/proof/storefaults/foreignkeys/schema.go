package main

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// action is the ON DELETE of a foreign key.
type action uint8

const (
	actionUnset action = iota
	cascade
	setNull
	noAction
	restrict
)

var actionNames = [...]string{"unset", "CASCADE", "SET NULL", "NO ACTION", "RESTRICT"}

// String returns the action as SQL has it.
func (a action) String() string {
	if int(a) < len(actionNames) {
		return actionNames[a]
	}
	return fmt.Sprintf("action(%d)", uint8(a))
}

// keeps reports whether the key refuses the end of the row to which it refers.
func (a action) keeps() bool { return a == noAction || a == restrict }

// maxTables bounds the tables of a schema, and maxDrawn those of a schema at random. A world of Django has a
// table for each row.
const maxTables, maxDrawn = 8, 6

// schema has the actions of the foreign keys, by the table of the key and the table to which it refers. Each
// table has one row. The root is the row of table 0.
type schema struct {
	tables int
	keys   [maxTables][maxTables]action
}

// draw draws a schema. Few schemas in three have rings.
func draw(seed uint64) (s schema) {
	r := rand.New(rand.NewPCG(seed, 0))
	s.tables = 2 + r.IntN(maxDrawn-1)
	density, back := 2+r.IntN(4), r.IntN(3)
	for from := range s.tables {
		for to := range s.tables {
			if from == to || r.IntN(6) >= density || from < to && r.IntN(6) >= back {
				continue
			}
			s.keys[from][to] = action(1 + r.IntN(4))
			if r.IntN(3) == 0 {
				s.keys[from][to] = cascade
			}
		}
	}
	return s
}

// String writes each key as "t1 -> t0 CASCADE".
func (s schema) String() string {
	list := []string{fmt.Sprintf("%d tables", s.tables)}
	for from := range s.tables {
		for to, a := range s.keys[from][:s.tables] {
			if a != actionUnset {
				list = append(list, fmt.Sprintf("t%d -> t%d %s", from, to, a))
			}
		}
	}
	return strings.Join(list, "; ")
}

// withNoAction has NO ACTION in the place of each RESTRICT. In the stores both are restrict, so that their
// ends are the same.
func (s schema) withNoAction() schema {
	for from := range s.keys {
		for to, a := range s.keys[from] {
			if a == restrict {
				s.keys[from][to] = noAction
			}
		}
	}
	return s
}

// set is a set of tables.
type set [maxTables]bool

// ends returns the root and the rows that its cascade reaches.
func (s schema) ends() (in set) {
	in[0] = true
	for range s.tables {
		for from := range s.tables {
			for to, a := range s.keys[from] {
				in[from] = in[from] || a == cascade && in[to]
			}
		}
	}
	return in
}

// hasCascadeRing reports whether cascades are a ring, in the cascade of the root or outside. The rule of plans
// takes each owner above a ring for one that may stay, and the way to that owner may be a reference that is released.
func (s schema) hasCascadeRing() bool {
	var goes [maxTables]set
	for from := range s.tables {
		for to, a := range s.keys[from] {
			goes[from][to] = a == cascade
		}
	}
	s.close(&goes)
	for i := range s.tables {
		if goes[i][i] {
			return true
		}
	}
	return false
}

// close adds to a relation all that its chains lead to.
func (s schema) close(of *[maxTables]set) {
	for mid := range s.tables {
		for x := range s.tables {
			for y := range s.tables {
				of[x][y] = of[x][y] || of[x][mid] && of[mid][y]
			}
		}
	}
}

// class is a property of a schema that permits a difference.
type class uint8

const (
	classUnset class = iota
	// byAnotherPath: a key with RESTRICT joins two rows of the cascade. SQL refuses by the order in which it
	// meets them.
	byAnotherPath
	// ownCascade: a row of the root's own cascade keeps the root. The store refuses, and SQL need not.
	ownCascade
	// ring: rows of the cascade wait for each other, by a key that keeps and by further keys that keep or
	// cascade. SQL deletes them, and the store keeps and names them.
	ring
	// below: a row outside of the cascade keeps a row below the root. SQL refuses the whole deletion. Without
	// a guard the store deletes the root, and stops at the row below.
	below
	// ownProtect: a key with Django's PROTECT joins two rows of the cascade. Django refuses, and the store
	// exempts a row that goes by its own path.
	ownProtect
)

var classNames = [...]string{"none", "RESTRICT by another path", "a root that its own cascade restricts", "a ring of restrict", "a restriction below an unguarded root", "PROTECT inside of a cascade"}

// String returns what the class permits.
func (c class) String() string {
	if int(c) < len(classNames) {
		return classNames[c]
	}
	return fmt.Sprintf("class(%d)", uint8(c))
}

// classOf returns the first class of a schema. It reads no result.
func (s schema) classOf(guarded bool) class {
	in := s.ends()
	var another, own, under bool
	for from := range s.tables {
		for to, a := range s.keys[from][:s.tables] {
			another = another || a == restrict && in[from] && in[to]
			own = own || a.keeps() && in[from] && to == 0
			under = under || a.keeps() && !in[from] && in[to] && to != 0
		}
	}
	switch {
	case another:
		return byAnotherPath
	case own:
		return ownCascade
	case s.hasRing(in):
		return ring
	case under && !guarded:
		return below
	}
	return classUnset
}

// hasRing looks for a ring in the cascade: a row waits for one that keeps it, and for those whose cascade
// takes it along.
func (s schema) hasRing(in set) bool {
	var waits [maxTables]set
	for from := range s.tables {
		for to, a := range s.keys[from][:s.tables] {
			waits[from][to] = waits[from][to] || in[from] && in[to] && a == cascade
			waits[to][from] = waits[to][from] || in[from] && in[to] && a.keeps()
		}
	}
	s.close(&waits)
	for from := range s.tables {
		for to, a := range s.keys[from][:s.tables] {
			if a.keeps() && in[from] && in[to] && waits[from][to] {
				return true
			}
		}
	}
	return false
}

// end is the end of a deletion: the rows that are left, and their references.
type end struct {
	refused bool
	left    set
	refs    [maxTables]set
}

// whole is the end of a refused deletion.
func (s schema) whole() (e end) {
	e.refused = true
	for from := range s.tables {
		e.left[from] = true
		for to, a := range s.keys[from] {
			e.refs[from][to] = a != actionUnset
		}
	}
	return e
}

// String lists the rows with their references.
func (e end) String() string {
	if e.refused {
		return "refused"
	}
	list := []string{"left:"}
	for i, is := range e.left {
		if !is {
			continue
		}
		text := fmt.Sprintf("t%d", i)
		for to, is := range e.refs[i] {
			if is {
				text += fmt.Sprintf(">t%d", to)
			}
		}
		list = append(list, text)
	}
	return strings.Join(list, " ")
}
