package explain

import (
	"fmt"
	"strings"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/spell"
	"github.com/ownergraph/ownergraph/policy"
)

// gone explains an object that is gone.
func (s speech) gone() string {
	out := s.key(s.x.Key) + " is gone"
	if !s.x.Changed.IsZero() {
		out += " since " + stamp(s.x.Changed)
	}
	d := s.x.Deletion
	if d == nil {
		return out + "."
	}
	if d.Unseen {
		out += " or earlier"
	}
	switch p := d.Proof; {
	case p == nil:
		out += ": another writer deleted it"
		if int(d.Garbage) < len(garbageTextNames) && d.Garbage != GarbageUnset {
			out += ", and " + garbageTextNames[d.Garbage]
		}
	case p.Certain:
		out += ": this engine deleted it, because " + s.cause(p)
	default:
		out += ": a delete of this engine without an answer, or another writer, ended it"
	}
	return out + "."
}

// cause returns the reason of a proof. It names the owners whose cascade references decided.
func (s speech) cause(p *Proof) string {
	switch p.Decision.Reason {
	case policy.CascadeOwnerGone, policy.CascadeOwnerWaits:
		if out := s.cascaded(p.Decision.Reason, p.Owners, true); out != "" {
			return out
		}
	}
	return policy.Words(p.Decision.Reason, p.Decision.Doubt)
}

// deletion writes the end of an object as lines.
func (s speech) deletion(b *strings.Builder, d *Deletion) {
	if d == nil {
		return
	}
	fmt.Fprintf(b, "It was seen last%s.\n", s.seen(&d.Object))
	if d.Cut > 0 {
		fmt.Fprintf(b, "Owners and finalizers left out: %d.\n", d.Cut)
	}
	if p := d.Proof; p != nil {
		s.proof(b, p)
	}
	if d.Proof != nil && d.Garbage != GarbageUnset {
		fmt.Fprintf(b, "At its end %s.\n", garbageTextNames[d.Garbage&3])
	}
	fmt.Fprintln(b, s.root(&d.Root))
}

// seen describes an object as the watch showed it last.
func (s speech) seen(o *graph.Object) string {
	var out string
	if o.Version != "" {
		out = " at version " + spell.Line(string(o.Version))
	}
	if o.Deleting {
		out += ", with a deletion mark"
	}
	owners := make([]graph.Key, 0, len(o.Owners))
	for _, r := range o.Owners {
		owners = append(owners, r.Key)
	}
	if len(owners) > 0 {
		out += ", owned by " + s.keys(owners, 0)
	}
	if len(o.Finalizers) > 0 {
		out += ", with the finalizers " + spell.Line(strings.Join(o.Finalizers, ", "))
	}
	return out
}

func (s speech) proof(b *strings.Builder, p *Proof) {
	fmt.Fprintf(b, "This engine judged version %s: %s", spell.Line(string(p.Version)), policy.Words(p.Decision.Reason, p.Decision.Doubt))
	if p.Decision.Propagation != graph.Unset {
		fmt.Fprintf(b, "; the propagation of the delete is %s", p.Decision.Propagation)
	}
	fmt.Fprintln(b, ".")
	s.owners(b, p.Owners, p.OwnersCut, Owner.then)
	if p.Holder != (graph.Key{}) {
		fmt.Fprintf(b, "Holder %s: its sweep deleted the object.\n", s.key(p.Holder))
	}
}

// root names the objects whose deletion began the cascade.
func (s speech) root(r *Root) string {
	switch list := s.keys(r.Keys, r.More); {
	case list == "":
		return "The root of its deletion is not known."
	case r.Nearest:
		return "The root of its deletion is not known. The nearest absent owners: " + list + "."
	default:
		return "The root of its deletion: " + list + "."
	}
}
