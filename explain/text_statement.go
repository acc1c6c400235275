package explain

import (
	"fmt"
	"slices"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/spell"
	"github.com/ownergraph/ownergraph/policy"
)

// statement says in a sentence or two how the object stands, and why.
func (s speech) statement() string {
	x := s.x
	switch x.State {
	case Gone:
		return s.gone()
	case Referred:
		c := Condition{Reason: x.Decision.Reason, Doubt: x.Decision.Doubt}
		return fmt.Sprintf("%s is not observed. References name it as an owner: %s.", s.key(x.Key), c.words())
	case StateUnset:
		return fmt.Sprintf("%s has no explanation.", s.key(x.Key))
	}
	if x.isContained() {
		return fmt.Sprintf("%s goes with its container %s, which is being deleted.", s.key(x.Key), spell.Text(x.Wait[0].Text))
	}
	return s.key(x.Key) + " " + s.decided() + "." + s.bar()
}

// decided returns the verb of the decision, with its cause.
func (s speech) decided() string {
	d := &s.x.Decision
	switch d.Reason {
	case policy.ReasonUnset:
		return d.act(s.x.Deleting)
	case policy.NoOwners:
		return "has no owner, so it stays until a user deletes it"
	case policy.OnlySelf:
		return "is kept: it is its own only owner"
	case policy.OwnerSolid, policy.OwnedInRing:
		return s.kept()
	case policy.OwnersGone, policy.OwnersWaiting:
		return "is garbage: " + s.lost()
	case policy.CascadeOwnerGone, policy.CascadeOwnerWaits:
		return s.cascade()
	case policy.OwnerReleases:
		return s.released()
	case policy.NoOwnerDeletes:
		return "is kept: it has only release and restrict references, so no end of an owner deletes it"
	case policy.Restricted:
		return s.restricted()
	case policy.OwnerUnknown:
		return d.act(s.x.Deleting) + s.unknown()
	case policy.NeedDependents:
		return d.act(s.x.Deleting) + s.awaited("dependents")
	case policy.NeedMembers:
		return d.act(s.x.Deleting) + s.awaited("members")
	case policy.NeedFinalizers, policy.HandlerRuns, policy.HandlerFailed:
		return d.act(s.x.Deleting) + ": " + s.finalizers()
	}
	return d.act(s.x.Deleting) + ": " + policy.Words(d.Reason, d.Doubt)
}

// act returns the verb of the decision.
func (d *Decision) act(deleting bool) string {
	switch d.Action {
	case policy.Keep:
		if deleting {
			return "is being deleted and stays"
		}
		return "is kept"
	case policy.Wait:
		if deleting {
			return "is being deleted and waits"
		}
		return "waits"
	case policy.Verify:
		return "waits for a read"
	case policy.Delete:
		return "has to be deleted"
	case policy.Trim:
		return "has to lose its references to former owners"
	case policy.Orphan:
		return "stays, and has to lose its references to owners that leave it"
	case policy.Unblock:
		return "is being deleted, and its references have to stop blocking it"
	case policy.Release:
		return "has to lose the finalizer " + spell.Line(d.Finalizer)
	case policy.Attach:
		return "has to get the finalizer " + spell.Line(d.Finalizer)
	}
	return "has no decision"
}

// bar says who writes, or why no write goes out now.
func (s speech) bar() string {
	d, writer := &s.x.Decision, "the store"
	switch d.Barred {
	case policy.ReasonUnset:
		return ""
	case policy.OtherShare:
		writer = "its share"
		fallthrough
	case policy.ObserveOnly:
		if d.Action == policy.Delete {
			return " The collector of " + writer + " deletes it."
		}
		return " The collector of " + writer + " does that."
	default:
		return fmt.Sprintf(" No write goes out now: %s.", d.Barred)
	}
}

// kept names the owners that keep the object, and the owners above a single one.
func (s speech) kept() string {
	if ring := s.ring(); len(ring) > 0 {
		return "is kept: " + s.keys(ring, 0) + " own each other"
	}
	list := waiters(s.x.Wait)
	switch len(list) {
	case 0:
		return "is kept: an owner exists"
	case 1:
		out := "is kept by its owner " + s.key(list[0])
		if up := &s.x.Wait[0]; up.Reason == policy.OwnerSolid && len(up.For) > 0 {
			if above := waiters(up.For); len(above) == 1 {
				out += ", which " + s.key(above[0]) + " keeps"
			}
		}
		return out
	}
	return "is kept by its owners " + s.keys(list, 0)
}

// ring returns the ring that keeps the object as a member.
func (s speech) ring() []graph.Key {
	for c := range s.x.Ends() {
		if c.End == Ring && slices.Contains(c.Ring, s.x.Key) {
			return c.Ring
		}
	}
	return nil
}

// lost names the owners that the object has lost.
func (s speech) lost() string {
	var gone, waiting []graph.Key
	owner := "owner"
	for i := range s.x.Owners {
		switch o := &s.x.Owners[i]; {
		case o.Self:
		case o.OnDelete != graph.OnDeleteUnset: // such owners do not count here
			owner = "unset owner"
		case o.Class == Waiting:
			waiting = append(waiting, o.Key)
		default:
			gone = append(gone, o.Key)
		}
	}
	switch cut := s.x.OwnersCut; {
	case len(gone)+len(waiting)+cut == 0:
		return s.x.Decision.Reason.String()
	case len(waiting) == 0 && len(gone) == 1 && cut == 0:
		return "its only " + owner + " " + s.key(gone[0]) + " is gone"
	case len(gone) == 0 && len(waiting) == 1 && cut == 0:
		return "its only " + owner + " " + s.key(waiting[0]) + " is being deleted and waits for it"
	case len(waiting) == 0:
		return "all its " + owner + "s are gone: " + s.keys(gone, cut)
	default:
		return "all its " + owner + "s are gone, or are being deleted and wait for it: " + s.keys(append(gone, waiting...), cut)
	}
}

// unknown names the first owner that keeps the object because of a doubt.
func (s speech) unknown() string {
	d := &s.x.Decision
	for i := range s.x.Owners {
		o := &s.x.Owners[i]
		if o.Class != Unknown || o.Doubt != d.Doubt || o.Doubt == graph.DoubtUnset {
			continue
		}
		out := " because of its owner " + s.key(o.Key) + ": " + s.doubt(o)
		at := o.Elsewhere.Scope
		if o.Doubt == graph.Misplaced || o.Doubt == graph.ForeignScope || at != "" && at != s.x.Key.Scope {
			out += ". An owner has to be in the scope of its dependent, or global"
		}
		return out
	}
	return ": " + policy.Words(d.Reason, d.Doubt)
}

// awaited names the dependents or members for which the object waits.
func (s speech) awaited(noun string) string {
	list := slices.DeleteFunc(waiters(s.x.Wait), func(k graph.Key) bool { return k == s.x.Key })
	if len(list) == 0 {
		return " for its " + noun
	}
	return " for its " + noun + ": " + s.keys(list, s.x.Cut)
}

// finalizers names the finalizers that hold the object, each with its actor.
func (s speech) finalizers() string {
	var names, handled []string
	for i := range s.x.Wait {
		switch c := &s.x.Wait[i]; {
		case c.Key != s.x.Key:
		case c.End == Controller:
			names = append(names, spell.Line(c.Actor))
		case c.End == Handler:
			handled = append(handled, c.handler())
		case len(c.For) > 0 || c.End == Writer:
			handled = append(handled, "its members have to go first")
		}
	}
	more := max(len(names)-spell.MaxNamed, 0)
	switch list := and(names[:len(names)-more], more); len(names) {
	case 0:
	case 1:
		handled = append(handled, "the finalizer "+list+" holds it")
	default:
		handled = append(handled, "the finalizers "+list+" hold it")
	}
	if len(handled) == 0 {
		return policy.Words(s.x.Decision.Reason, s.x.Decision.Doubt)
	}
	return and(handled, 0)
}

// waiters returns the objects of conditions, each once.
func waiters(all []Condition) (keys []graph.Key) {
	for i := range all {
		if k := all[i].Key; k != (graph.Key{}) && !slices.Contains(keys, k) {
			keys = append(keys, k)
		}
	}
	return keys
}
