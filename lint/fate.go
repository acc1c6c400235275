package lint

import (
	"strings"

	"github.com/ownergraph/ownergraph/graph"
)

// standing is the state of an owner as Kubernetes' collector finds it.
type standing uint8

const (
	// solid: the collector finds the owner.
	solid standing = iota
	// waiting: the owner waits for its dependents.
	waiting
	// dangling: the collector finds no such owner.
	dangling
	// failing: the collector cannot resolve the owner, and tries again later.
	failing
	// never: the collector gives the dependent up.
	never
	// unseen: the dump does not have the owner's kind, or the store did not resolve it.
	unseen
	// itself: the reference is to the object itself. The collector cannot lose such an owner.
	itself
)

// standing returns the state of the j-th owner of the i-th object on Kubernetes. Its
// collector reads the owner by version, kind and name, in the dependent's namespace.
func (c *checker) standing(i, j int) standing {
	o := c.objects[i]
	r := o.Owners[j]
	kind := c.kindNamed(r.Kind)
	switch {
	case c.isSelf(o, r):
		return itself
	case kind == nil || r.Name == "" || r.UID == "" || !c.serves(kind, o, j):
		return failing
	case kind.Scoped && o.Scope == "":
		return never
	case r.Unresolved:
		return unseen
	}
	if r.Key.Kind, r.Key.Scope = kind.Kind, ""; kind.Scoped {
		r.Key.Scope = o.Scope
	}
	n, found := c.g.Lookup(r.Key)
	switch {
	case found && n.State() == graph.Observed && n.Waiting():
		return waiting
	case found && n.State() == graph.Observed:
		return solid
	case !kind.Listed:
		return unseen
	}
	return dangling
}

// isSelf reports whether a reference is to its own object. A reference to the UID of the
// object under another name or kind is not: the collector does not find the object by it.
func (c *checker) isSelf(o *Object, r graph.Owner) bool {
	if r.UID != o.UID || r.Name != o.Name {
		return false
	}
	kind := c.kindNamed(r.Kind)
	return r.Kind == o.Kind || kind != nil && kind.Kind == o.Kind
}

// kindNamed returns the served kind of a reference, or nil. Kubernetes takes a name
// without capital letters, too, and no other store does.
func (c *checker) kindNamed(k graph.Kind) *Kind {
	if kind := c.kinds[k]; kind != nil {
		return kind
	}
	return c.lower[k]
}

// undiscovered returns the kind "group/*" of a kind's group, or nil. It stands for all kinds
// of a group that the store cannot describe now.
func (c *checker) undiscovered(k graph.Kind) *Kind {
	if all := c.kinds[k[:strings.LastIndex(string(k), "/")+1]+"*"]; all != nil && !all.Listed {
		return all
	}
	return nil
}

// observes reports whether the collector observes the objects of a kind, and whether that
// is known.
func (c *checker) observes(k graph.Kind) (seen, known bool) {
	kind := c.kinds[k]
	return kind != nil && !kind.Unwatched, kind != nil || c.undiscovered(k) == nil
}

// serves reports whether the store serves the version of the j-th reference, or does not
// tell its versions.
func (c *checker) serves(kind *Kind, o *Object, j int) bool {
	if kind.Versions == nil || j >= len(o.OwnerVersions) || o.OwnerVersions[j] == "" {
		return true
	}
	for _, v := range kind.Versions {
		if v == o.OwnerVersions[j] {
			return true
		}
	}
	return false
}

// fate returns the end of the i-th object by the collector of the store.
func (c *checker) fate(i int) Fate {
	c.judge(i)
	return c.lastFate
}

// judge judges the i-th object, unless it is the last one that was judged.
func (c *checker) judge(i int) {
	if c.judged == i+1 {
		return
	}
	c.judged, c.lastEngine = i+1, c.engine(i)
	if c.lastFate = c.lastEngine; c.in.Kubernetes {
		c.lastFate = c.kubernetes(i)
	}
}

// kubernetes returns the end of the i-th object by the rules of Kubernetes' collector. An
// owner that it cannot resolve leaves the object as it is.
func (c *checker) kubernetes(i int) Fate {
	o := c.objects[i]
	var n [itself + 1]int
	owners := 0
	for j := range min(len(o.Owners), maxJudged) {
		if r := o.Owners[j]; r.OnDelete == graph.OnDeleteUnset && !r.Flawed() { // the others are in an annotation there
			n[c.standing(i, j)]++
			owners++
		}
	}
	seen, known := c.observes(o.Kind)
	trims := n[dangling]+n[waiting] > 0
	switch {
	case o.Deleting:
		return Leaving
	case n[never] > 0 || owners == 0 || known && !seen:
		return KeptForever
	case n[itself] > 0 && (!trims || n[failing] > 0 || !known):
		return KeptForever // the other owners do not matter
	case !known:
		return NotKnown
	case n[failing] > 0:
		return KeptUntilKnown
	case n[solid]+n[itself] > 0 && trims:
		return Trimmed
	case n[solid] > 0:
		return Kept
	case n[unseen] > 0 || len(o.Owners) > maxJudged:
		return NotKnown
	}
	return Deleted
}

// maxJudged bounds the owners of one object that its fate looks at.
const maxJudged = 1024
