package oracle

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ownergraph/ownergraph/graph"
)

// Verb is the sort of a user's action.
type Verb uint8

const (
	// VerbUnset does nothing.
	VerbUnset Verb = iota
	// Foreground, Background and Orphan delete with that propagation. They also apply
	// to a marked object (W1).
	Foreground
	Background
	Orphan
	// Strip removes the propagation finalizers.
	Strip
	// Finish removes the other finalizers, except those of guards.
	Finish
	// Touch makes a new version. A state does not show it.
	Touch
	// AddRef adds a reference, unless one has the same key and resolution.
	AddRef
	// DropRef removes the references with this key. Flip inverts their Block.
	DropRef
	Flip
	// Create makes a new object. Recreate makes the next incarnation of a name: a bare
	// object with the first unspent UID of the row a, a', a'' (W3).
	Create
	Recreate
	// Grace0 ends the grace period of a marked object.
	Grace0
	// Approve takes graph.FinalizerHold off. Protect puts graph.FinalizerProtect on an
	// unmarked object, and Unprotect takes it off.
	Approve
	Protect
	Unprotect
	// Repolicy gives the references with this key the policy of the action's reference.
	Repolicy
	// Restore brings an object that ended back, with the objects that its deletion took along. Without
	// Config.Archives it does nothing.
	Restore
)

var verbNames = [...]string{"unset", "fg", "bg", "orphan", "strip", "finish", "touch", "addref", "dropref", "flip", "create", "recreate", "grace0", "approve", "protect", "unprotect", "repolicy", "restore"}

// String returns the verb as actions spell it.
func (v Verb) String() string {
	if int(v) < len(verbNames) {
		return verbNames[v]
	}
	return fmt.Sprintf("verb(%d)", uint8(v))
}

// deletes reports whether the verb is a deletion.
func (v Verb) deletes() bool { return v == Foreground || v == Background || v == Orphan || v == Grace0 }

// takesRef reports whether the verb acts on one reference.
func (v Verb) takesRef() bool { return v == AddRef || v == DropRef || v == Flip || v == Repolicy }

// Action is one write of a user. It is a value; treat it as read-only.
type Action struct {
	Verb Verb
	// Object is the target of the action: a key alone. AddRef, DropRef, Flip and
	// Repolicy have a key with one reference, and Create has the new object. Foreground,
	// Background and Orphan may have a mark, whose grace period is that of the deletion.
	Object graph.Object
}

// String returns the action in one line, as ParseAction reads it.
func (a Action) String() string {
	switch {
	case a.Verb == Create, a.Object.Deleting:
		return a.Verb.String() + " " + a.Object.String()
	case a.Verb.takesRef() && len(a.Object.Owners) == 1:
		return a.Verb.String() + " " + a.Object.Key.String() + "->" + a.Object.Owners[0].String()
	}
	return a.Verb.String() + " " + a.Object.Key.String()
}

// ParseAction parses an action: a verb and its target in the notation of package
// graph.
//
//	fg a         bg a          orphan a      touch a     grace0 a    fg a~30
//	strip a      finish a      recreate a    create b[x.io/y] -> a!
//	addref b->a! dropref b->a  flip b->a
//	approve a    protect a     unprotect a  repolicy b->a:release
//	restore a
//
// An error wraps graph.ErrInvalid.
func ParseAction(s string) (Action, error) {
	name, rest, _ := strings.Cut(strings.TrimSpace(s), " ")
	verb := slices.Index(verbNames[:], name)
	if verb <= int(VerbUnset) {
		return Action{}, fmt.Errorf("parse action: verb: %q is not one of %s: %w", name, strings.Join(verbNames[1:], ", "), graph.ErrInvalid)
	}
	a := Action{Verb: Verb(verb)}
	var err error
	if a.Object, err = graph.ParseObject(rest); err != nil {
		return Action{}, fmt.Errorf("parse action %s: %w", a.Verb, err)
	}
	if cause := a.wrong(); cause != "" {
		return Action{}, fmt.Errorf("parse action %s: %s: %s: %w", a.Verb, a.Object, cause, graph.ErrInvalid)
	}
	return a, nil
}

// ParseActions parses actions with ";" between them. Blank text has no action.
func ParseActions(s string) ([]Action, error) {
	if strings.TrimSpace(s) == "" {
		return nil, nil
	}
	var out []Action
	for {
		end := separator(s)
		a, err := ParseAction(s[:end])
		if err != nil {
			return nil, err
		}
		out = append(out, a)
		if end == len(s) {
			return out, nil
		}
		s = s[end+1:]
	}
}

// separator returns the index of the first ";" outside of quotes, or the end.
func separator(s string) int {
	quoted, escaped := false, false
	for i := range len(s) {
		switch {
		case escaped:
			escaped = false
		case s[i] == '\\':
			escaped = quoted
		case s[i] == '"':
			quoted = !quoted
		case s[i] == ';' && !quoted:
			return i
		}
	}
	return len(s)
}

// wrong returns the fault of the object for the verb, or "".
func (a Action) wrong() string {
	if a.Verb == Create {
		if a.Object.Deleting || a.Object.GraceSeconds != 0 {
			return "a new object is not marked"
		}
		return ""
	}
	bare := graph.Object{Key: a.Object.Key}
	if a.Verb == Foreground || a.Verb == Background || a.Verb == Orphan {
		bare.Deleting, bare.GraceSeconds = a.Object.Deleting, a.Object.GraceSeconds
	}
	if !a.Verb.takesRef() {
		if !a.Object.Equal(bare) {
			return "want a key alone"
		}
		return ""
	}
	if bare.Owners = a.Object.Owners; len(bare.Owners) != 1 || !a.Object.Equal(bare) {
		return "want a key and one reference"
	}
	r := bare.Owners[0]
	plain := graph.Owner{Key: r.Key}
	if a.Verb == Repolicy {
		plain.OnDelete = r.OnDelete
	}
	if a.Verb != AddRef && r != plain {
		return "want a reference without flags"
	}
	return ""
}
