package lint

import (
	"fmt"
	"strings"

	"github.com/ownergraph/ownergraph/graph"
)

// references checks the owner references of the i-th object.
func (c *checker) references(i int) {
	o := c.objects[i]
	var seen map[graph.UID]int
	if len(o.Owners) > 1 {
		seen = make(map[graph.UID]int, len(o.Owners))
	}
	for j, r := range o.Owners {
		first, twice := seen[r.UID]
		if !twice && seen != nil {
			seen[r.UID] = j
		}
		switch {
		case r.Flawed():
			c.reference(Malformed, Error, i, j, "", fmt.Sprintf("The store reports a fault of the references: %s.", r.Name))
		case r.Kind == "" || r.Name == "" || r.UID == "":
			c.reference(Malformed, Error, i, j, "", "The reference lacks its kind, name or UID.")
		case c.isSelf(o, r):
			c.self(i, j)
		case r.OnDelete > graph.OnDeleteCascade:
			c.reference(Malformed, Error, i, j, "onDelete", fmt.Sprintf("The policy %s is unknown.", r.OnDelete))
		case twice && o.Owners[first].OnDelete != r.OnDelete:
			c.reference(Malformed, Error, i, j, "onDelete", fmt.Sprintf("The policy is %s, and owners[%d] has the policy %s for the same UID.", r.OnDelete, first, o.Owners[first].OnDelete))
		case twice && o.Owners[first].Same(r):
			c.reference(RepeatedReference, Warning, i, j, "uid", fmt.Sprintf("The reference is the same as owners[%d].", first))
		case twice:
			c.reference(TwoPlaces, Error, i, j, "uid", fmt.Sprintf("The UID stands at other coordinates in owners[%d].", first))
		default:
			c.owner(i, j)
		}
	}
	c.controllers(i)
}

// reference adds a finding about a field of the j-th reference.
func (c *checker) reference(code Code, s Severity, i, j int, field, message string) {
	if !c.admits(code, c.objects[i].Key) {
		return
	}
	at := fmt.Sprintf("owners[%d]", j)
	if field != "" {
		at += "." + field
	}
	c.add(code, s, i, at, c.fate(i), message)
	c.beside(c.lastFate)
	c.note(code, i, j)
}

// beside adds the end by the engine to the last finding, if the end by the collector of the
// store is another one.
func (c *checker) beside(fate Fate) {
	if c.lastEngine != fate {
		c.findings[len(c.findings)-1].Engine = c.lastEngine
	}
}

// self checks a reference to the object itself. On Kubernetes it keeps the object for ever,
// also if the collector drops other references.
func (c *checker) self(i, j int) {
	o, fate := c.objects[i], c.fate(i)
	if c.in.Kubernetes && !o.Deleting {
		fate = KeptForever
	}
	if c.admits(SelfReference, o.Key) {
		c.add(SelfReference, Error, i, fmt.Sprintf("owners[%d].uid", j), fate, "The object names itself as its owner.")
		c.beside(fate)
		c.note(SelfReference, i, j)
	}
	if r := o.Owners[j]; r.Block {
		c.blocker(i, j, r)
	}
}

// owner checks a reference that is complete and the first of its UID: first its kind,
// then its place.
func (c *checker) owner(i, j int) {
	o := c.objects[i]
	r := o.Owners[j]
	kind := c.kindNamed(r.Kind)
	name := short(r.Kind.Text())
	switch {
	case kind == nil && c.undiscovered(r.Kind) != nil:
		c.absent(i, j, r, c.undiscovered(r.Kind))
	case kind == nil:
		c.reference(UnservedKind, Error, i, j, "kind", fmt.Sprintf("The store does not serve the kind %q.", name))
	case !c.serves(kind, o, j):
		c.reference(UnservedVersion, Error, i, j, "version",
			fmt.Sprintf("The store does not serve the kind %q in the version %q.", name, short(o.OwnerVersions[j])))
	case kind.NoOwner:
		c.reference(BannedOwner, Error, i, j, "kind", fmt.Sprintf("Objects of the kind %q may not own.", name))
	case kind.Scoped && o.Scope == "":
		c.reference(ScopedOwner, Error, i, j, "scope", fmt.Sprintf("A global object cannot have an owner of the scoped kind %q.", name))
	case r.Unresolved && !kind.Listed && !kind.Unwatched:
		c.unlisted(i, j, r, kind)
	case r.Unresolved:
		c.reference(UnresolvedOwner, Warning, i, j, "scope", "The store could not resolve the owner's scope or kind.")
	case !kind.Scoped && r.Scope != "":
		c.reference(Malformed, Error, i, j, "scope", fmt.Sprintf("The reference names a scope, and the kind %q is global.", name))
	case kind.Scoped && r.Scope == "":
		c.reference(Malformed, Error, i, j, "scope", fmt.Sprintf("The reference names no scope, and the kind %q is scoped.", name))
	default:
		if kind.Kind != r.Kind {
			c.reference(LowerCaseKind, Note, i, j, "kind", fmt.Sprintf("The kind is %q, and Kubernetes takes the spelling %q for it.", short(kind.Kind.Text()), name))
			r.Kind = kind.Kind
		}
		c.place(i, j, r, kind)
	}
	if r.Block {
		c.blocker(i, j, r)
	}
}

// place checks the place of an owner whose kind can own the object.
func (c *checker) place(i, j int, r graph.Owner, kind *Kind) {
	o := c.objects[i]
	if r.Scope != "" && r.Scope != o.Scope {
		c.reference(OtherScope, Error, i, j, "scope", fmt.Sprintf("The owner's scope is %q, and the object's scope is %q.", short(r.Scope), short(o.Scope)))
		return
	}
	if n, ok := c.g.Lookup(r.Key); ok && n.State() == graph.Observed {
		return
	}
	alive, ok := c.g.Alive(r.UID)
	if !ok {
		c.absent(i, j, r, kind)
		return
	}
	at := alive.Key()
	if at.Scope != "" && at.Scope != o.Scope {
		c.reference(OtherScope, Error, i, j, "scope", fmt.Sprintf("The object with this UID is %s, in the scope %q.", short(at.Text()), short(at.Scope)))
	}
	if at.Name != r.Name {
		c.reference(OtherName, Error, i, j, "name", fmt.Sprintf("The object with this UID has the name %q.", short(at.Name)))
	}
	if at.Kind != r.Kind {
		c.reference(OtherKind, Error, i, j, "kind", fmt.Sprintf("The object with this UID has the kind %q.", short(at.Kind.Text())))
	}
}

// unlisted checks a reference to a kind of which the dump has neither the objects nor the
// scope. An object with the owner's UID and another name of its kind shows a wrong kind. The
// same name may be that of one object in two groups.
func (c *checker) unlisted(i, j int, r graph.Owner, kind *Kind) {
	last := func(k graph.Kind) graph.Kind { return k[strings.LastIndex(string(k), "/")+1:] }
	if at, ok := c.g.Alive(r.UID); ok && last(at.Kind()) != last(r.Kind) {
		c.reference(OtherKind, Error, i, j, "kind", fmt.Sprintf("The object with this UID has the kind %q.", short(at.Kind().Text())))
		return
	}
	c.absent(i, j, r, kind)
}

// absent checks a reference to a UID that the dump does not have.
func (c *checker) absent(i, j int, r graph.Owner, kind *Kind) {
	if kind.Listed && r.OnDelete == graph.OnDeleteRestrict {
		c.reference(RestrictsAbsent, Warning, i, j, "onDelete", fmt.Sprintf("No object has the UID of the owner %s, so the reference restricts nothing.", short(r.Key.Text())))
		return
	}
	if kind.Listed {
		c.reference(MissingOwner, Error, i, j, "uid", fmt.Sprintf("No object has the UID of the owner %s.", short(r.Key.Text())))
		return
	}
	cause := kind.Reason
	if cause == "" {
		cause = "no reason given"
	}
	c.reference(UnlistedOwner, Warning, i, j, "kind",
		fmt.Sprintf("The dump does not list the kind %q (%s), so the owner may exist.", short(r.Kind.Text()), short(cause)))
}

// controllers checks the references that name the controller of the i-th object.
func (c *checker) controllers(i int) {
	o := c.objects[i]
	first := -1
	for j, r := range o.Owners {
		switch {
		case !r.Controller:
			continue
		case first < 0:
			first = j
		case r.UID != o.Owners[first].UID:
			c.reference(TwoControllers, Error, i, j, "controller", fmt.Sprintf("owners[%d] is the controller already.", first))
			return
		}
	}
	if first < 0 || o.Deleting || len(o.Owners) == 1 || c.standing(i, first) != dangling {
		return
	}
	if fate := c.fate(i); fate == Trimmed || fate == Kept {
		c.reference(LostController, Warning, i, first, "controller", "The controller is gone, and another owner keeps the object.")
	}
}
