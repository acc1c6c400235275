package lint

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ownergraph/ownergraph/graph"
)

// Drops are the changes of objects that take exactly their wrong references off. It is a value.
type Drops struct {
	// Objects are in order of keys.
	Objects []Drop
	// Left are the wrong references that stay, in order of objects and references.
	Left []LeftReference
}

// Drop takes references off one object, in the state with the version. It is a value.
type Drop struct {
	Object  graph.Key
	Version graph.Version
	// Owners are the references, and Indexes their places among the owners of the object, ascending.
	Owners  []graph.Owner
	Indexes []int
}

// LeftReference is a wrong reference that stays, with the cause. It is a value.
type LeftReference struct {
	Object graph.Key
	Index  int
	Cause  string
}

// The causes for which a wrong reference stays.
const (
	leftUnlisted = "the owner's kind is not listed in full"
	leftOther    = "its kind or its name is wrong, too: correct it by hand"
	leftPolicy   = "it has a policy, and is no owner reference of the metadata: correct the annotation by hand"
	leftVersion  = "the version of the object is not known"
	leftRest     = "the owners that remain are not known to exist, and the collector may delete the object without the reference"
)

// CheckDrops is Check, and also returns the changes that take the wrong references off. A reference
// is wrong if its finding in the report is one of these: MissingOwner, OtherScope, ScopedOwner,
// SelfReference. A copy of a wrong reference is wrong, too. Every other reference stays. So does a
// wrong one whose owner's kind is not listed in full, one with a policy, and one whose loss may end
// its object. The input is a dump of Kubernetes.
//
// A dump is no proof of absence. Before the changes, the caller reads the places of the owners again
// (Drop.Places), and calls CheckDrops with the result.
//
// An error is that of Check. It also stands for a store that is not Kubernetes.
//
//test:by TestDrops
func CheckDrops(in Input, cfg Config) (Report, Drops, error) {
	if !in.Kubernetes {
		return Report{}, Drops{}, fmt.Errorf("check drops: the store is no Kubernetes server: %w", graph.ErrInvalid)
	}
	c, err := newChecker(in, cfg)
	if err != nil {
		return Report{}, Drops{}, err
	}
	c.wrong = map[int]wrongs{}
	c.run()
	return c.report(), c.drops(), nil
}

// Places returns the places where a collector looks for the owners of the references, with the UIDs of
// the references. A read proves the absence of those UIDs alone that were known before it (rule R2).
// The kinds are those of the input.
func (d Drop) Places(kinds []Kind) (list []graph.Key) {
	for _, r := range d.Owners {
		i := slices.IndexFunc(kinds, func(k Kind) bool { return k.Kind == r.Kind })
		if i < 0 {
			i = slices.IndexFunc(kinds, func(k Kind) bool { return strings.EqualFold(string(k.Kind), string(r.Kind)) })
		}
		if i < 0 || kinds[i].Scoped && d.Object.Scope == "" {
			continue
		}
		at := graph.Key{Kind: kinds[i].Kind, Name: r.Name, UID: r.UID}
		if kinds[i].Scoped {
			at.Scope = d.Object.Scope
		}
		list = append(list, at)
	}
	return list
}

// wrongs are the references of an object with a finding that says so, by their index. A bent one
// has a finding about its kind or its name.
type wrongs struct {
	code map[int]Code
	bent map[int]bool
}

// note keeps the code of a finding about a reference, if the caller asks for drops.
func (c *checker) note(code Code, i, j int) {
	if c.wrong == nil {
		return
	}
	w := c.wrong[i]
	if w.code == nil {
		w = wrongs{map[int]Code{}, map[int]bool{}}
	}
	switch code {
	case MissingOwner, OtherScope, ScopedOwner, SelfReference:
		w.code[j] = code
	case OtherKind, OtherName:
		w.bent[j] = true
	default:
		return
	}
	c.wrong[i] = w
}

// drops returns the changes for the wrong references.
func (c *checker) drops() (all Drops) {
	for i := range c.objects {
		if w := c.wrong[i]; len(w.code) > 0 {
			d, left := c.drop(i, w)
			if len(d.Owners) > 0 {
				all.Objects = append(all.Objects, d)
			}
			all.Left = append(all.Left, left...)
		}
	}
	return all
}

// claim is a reference without its flags.
type claim struct {
	key        graph.Key
	unresolved bool
}

// drop returns the change of the i-th object, and the wrong references that stay.
func (c *checker) drop(i int, w wrongs) (d Drop, left []LeftReference) {
	o := c.objects[i]
	d.Object, d.Version = o.Key, o.Version
	firsts := make(map[claim]int, len(o.Owners))
	keeps, rest, solids := false, 0, 0
	for j, r := range o.Owners {
		first, twice := firsts[claim{r.Key, r.Unresolved}]
		if !twice {
			first, firsts[claim{r.Key, r.Unresolved}] = j, j
		}
		code, wrong := w.code[first]
		cause := ""
		if wrong {
			cause = c.leftCause(o, r, w.bent[first])
		}
		switch {
		case wrong && cause == "":
			d.Owners, d.Indexes = append(d.Owners, r), append(d.Indexes, j)
			keeps = keeps || code != MissingOwner // a collector keeps the object because of it
			continue
		case wrong:
			left = append(left, LeftReference{o.Key, j, cause})
		case c.standing(i, j) == solid:
			solids++
		}
		rest++
	}
	if keeps && rest > 0 && solids == 0 {
		for _, j := range d.Indexes {
			left = append(left, LeftReference{o.Key, j, leftRest})
		}
		slices.SortFunc(left, func(a, b LeftReference) int { return a.Index - b.Index })
		d.Owners, d.Indexes = nil, nil
	}
	return d, left
}

// leftCause returns the cause for which a wrong reference stays, or "".
func (c *checker) leftCause(o *Object, r graph.Owner, bent bool) string {
	kind := c.kindNamed(r.Kind)
	switch {
	case r.OnDelete != graph.OnDeleteUnset:
		return leftPolicy
	case bent:
		return leftOther
	case kind == nil || !kind.Listed:
		return leftUnlisted
	case o.Version == "":
		return leftVersion
	}
	return ""
}
