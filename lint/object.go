package lint

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/inside"
)

// object checks the i-th object: itself, its references, and its part as an owner.
func (c *checker) object(i int) {
	o, n := c.objects[i], c.node(i)
	if c.kinds[o.Kind] == nil && c.undiscovered(o.Kind) == nil {
		c.whole(UnservedObject, Error, i, "kind", c.fate(i), "The store does not serve the object's own kind, so no collector can delete the object.")
	}
	if c.scopes.lack(o.Scope) && c.admits(AbsentContainer, o.Key) {
		c.add(AbsentContainer, Error, i, "scope", c.fate(i), c.scopes.absence(o.Scope))
		c.beside(c.lastFate)
	}
	if n.Inside(inside.Key{}).SharesUID() {
		c.sharedUID(i, n)
	}
	if !c.sound(o, n) {
		before := c.flaws()
		c.references(i)
		if n.Flaw() != nil && c.flaws() == before {
			c.whole(Malformed, Error, i, "object", FateUnset, fmt.Sprintf("The object breaks a rule of the model: %s.", n.Flaw()))
		}
	}
	if hasPolicy(o) {
		c.onDelete(i)
	}
	if len(o.Owners) == 0 && !o.Deleting && c.owned[o.Kind] {
		c.whole(LostOwner, Warning, i, "owners", KeptForever, "The object has no owner, and objects of its kind always have one.")
	}
	if n := n.Referring(); n > c.cfg.MaxDependents {
		c.whole(FanOut, Note, i, "dependents", FateUnset, fmt.Sprintf("%d references name the object as owner, more than %d.", n, c.cfg.MaxDependents))
	}
	if len(o.Finalizers) > 0 {
		c.finalizers(i)
	}
	if o.Deleting {
		c.mark(i, n)
	}
}

// sound reports whether the references of an object need no look: it has none, or the only
// one leads to a solid owner without a mark.
func (c *checker) sound(o *Object, n graph.Node) bool {
	switch {
	case n.Flaw() != nil || n.Owners() > 1:
		return false
	case n.Owners() == 0:
		return true
	}
	own, owner := c.kinds[o.Kind], c.kinds[o.Owners[0].Kind]
	r := n.Reference(0)
	return r.Class == graph.Solid && !r.Self && !c.g.Node(r.Owner).Deleting() && own != nil && !own.Unwatched && c.serves(owner, o, 0)
}

// hasPolicy reports whether a reference of an object has a policy.
func hasPolicy(o *Object) bool {
	return slices.ContainsFunc(o.Owners, func(r graph.Owner) bool { return r.OnDelete != graph.OnDeleteUnset })
}

// flaws counts the findings that say why an object is flawed.
func (c *checker) flaws() int {
	return c.counts[Malformed].Found + c.counts[TwoPlaces].Found + c.counts[TwoControllers].Found
}

// whole adds a finding about the whole object.
func (c *checker) whole(code Code, s Severity, i int, field string, fate Fate, message string) {
	if c.admits(code, c.objects[i].Key) {
		c.add(code, s, i, field, fate, message)
	}
}

// sharedUID tells one object under several kinds from different objects with one UID. The
// kinds of the former have the same last name, as with two API groups.
func (c *checker) sharedUID(i int, n graph.Node) {
	o := c.objects[i]
	first, _ := c.g.Alive(o.UID)
	if at := first.Key(); at != o.Key && at.Scope == o.Scope && at.Name == o.Name {
		c.whole(SeveralKinds, Note, i, "uid", FateUnset, fmt.Sprintf("The object is there under the kind %q, too.", short(at.Kind.Text())))
	} else if at != o.Key {
		c.whole(DuplicateUID, Error, i, "uid", FateUnset, fmt.Sprintf("%s has the same UID.", short(at.Text())))
	}
}

func (c *checker) finalizers(i int) {
	o := c.objects[i]
	if o.HasFinalizer(graph.FinalizerOrphan) && o.HasFinalizer(graph.FinalizerForeground) {
		c.whole(TwoPropagations, Error, i, "finalizers", FateUnset, "The object has the finalizers of both propagations, which contradict each other.")
	}
	if c.cfg.Handlers == nil {
		return
	}
	if list := c.unhandled(o); len(list) > 0 {
		s, fate := Warning, FateUnset
		if o.Deleting {
			s, fate = Error, KeptForever
		}
		c.whole(NoHandler, s, i, "finalizers", fate, fmt.Sprintf("No handler is known for %s.", c.list("finalizer", list)))
	}
}

// unhandled returns the finalizers without a handler.
func (c *checker) unhandled(o *Object) []string {
	return slices.DeleteFunc(foreign(o), func(f string) bool { return c.handlers[f] })
}

// foreign returns the finalizers that are not of a propagation.
func foreign(o *Object) []string {
	return slices.DeleteFunc(slices.Clone(o.Finalizers), func(f string) bool {
		return f == graph.FinalizerOrphan || f == graph.FinalizerForeground
	})
}

// mark checks the age of a deletion mark, and names the cause for which the object stays.
func (c *checker) mark(i int, n graph.Node) {
	o := c.objects[i]
	age := c.in.Now.Sub(o.MarkedAt)
	known := !o.MarkedAt.IsZero() && !c.in.Now.IsZero()
	if known && age <= c.cfg.MaxMarkAge || !c.admits(OldMark, o.Key) {
		return
	}
	s, text := Note, "The age of the deletion mark is not known."
	if known {
		s, text = Warning, fmt.Sprintf("The deletion mark is %s old, more than %s.", ageText(age), ageText(c.cfg.MaxMarkAge))
	}
	c.add(OldMark, s, i, "deleting", Leaving, text+" "+c.cause(o, n))
}

// cause returns the sentence that says why a marked object is still there.
func (c *checker) cause(o *Object, n graph.Node) string {
	var text []string
	if foreign := foreign(o); len(foreign) > 0 {
		text = append(text, "It keeps "+c.list("finalizer", foreign)+".")
	}
	if s := c.membersLeft(o); s != "" {
		text = append(text, s)
	}
	switch {
	case o.Waiting() && n.Blocking() > 0:
		text = append(text, fmt.Sprintf("It waits for the blocking references of its dependents (%d): %s.", n.Blocking(), c.blockers(n)))
	case o.Waiting() || o.Orphaning():
		text = append(text, fmt.Sprintf("The collector has not ended its %s deletion.", o.Propagation()))
	case len(o.Finalizers) == 0 && o.GraceSeconds > 0:
		text = append(text, fmt.Sprintf("Its grace period of %d s has no end by its agent.", o.GraceSeconds))
	case len(o.Finalizers) == 0:
		text = append(text, "It has no finalizer and no grace period, so the store should have removed it.")
	}
	return strings.Join(text, " ")
}

// blockers names dependents that block the foreground deletion of n. It looks at the
// newest dependents, in a bounded number.
func (c *checker) blockers(n graph.Node) string {
	var names []string
	uid, seen := n.Key().UID, 0
	for d := range n.Dependents() {
		if seen++; seen > c.cfg.MaxDependents {
			break
		}
		i := c.of(d.ID())
		if i >= 0 && slices.ContainsFunc(c.objects[i].Owners, func(r graph.Owner) bool { return r.Block && r.UID == uid }) {
			names = append(names, d.Key().Text())
		}
	}
	return c.names(slices.Compact(names))
}
