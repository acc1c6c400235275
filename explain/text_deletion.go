package explain

import (
	"fmt"
	"strings"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/policy"
)

// goneSentence explains an object that is gone.
func (x *Explanation) goneSentence() string {
	s := fmt.Sprintf("%s is gone", x.Key)
	if !x.Changed.IsZero() {
		s += " since " + stamp(x.Changed)
	}
	d := x.Deletion
	if d == nil {
		return s + "."
	}
	if d.Unseen {
		s += " or earlier"
	}
	switch p := d.Proof; {
	case p == nil:
		s += ": another writer deleted it"
		if int(d.Garbage) < len(garbageTextNames) && d.Garbage != GarbageUnset {
			s += ", and " + garbageTextNames[d.Garbage]
		}
	case p.Certain:
		s += ": this engine deleted it, because " + policy.Words(p.Decision.Reason, p.Decision.Doubt)
	default:
		s += ": a delete of this engine with an unknown outcome, or another writer, ended it"
	}
	return s + "."
}

// write writes the end of an object as lines.
func (d *Deletion) write(b *strings.Builder) {
	if d == nil {
		return
	}
	fmt.Fprintf(b, "last seen as %s\n", d.Object)
	if d.Cut > 0 {
		fmt.Fprintf(b, "owners and finalizers left out: %d\n", d.Cut)
	}
	if p := d.Proof; p != nil {
		p.write(b)
	}
	if d.Proof != nil && d.Garbage != GarbageUnset {
		fmt.Fprintf(b, "at its end %s\n", garbageTextNames[d.Garbage&3])
	}
	fmt.Fprintln(b, d.Root.line())
}

func (p *Proof) write(b *strings.Builder) {
	fmt.Fprintf(b, "judged at version %s: %s", p.Version, policy.Words(p.Decision.Reason, p.Decision.Doubt))
	if p.Decision.Propagation != graph.Unset {
		fmt.Fprintf(b, ", propagation %s", p.Decision.Propagation)
	}
	fmt.Fprintln(b)
	for i := range p.Owners {
		o := &p.Owners[i]
		fmt.Fprintf(b, "owner %s", o.head())
		if !o.Self && !o.At.IsZero() {
			fmt.Fprintf(b, ", known since %s", stamp(o.At))
		}
		fmt.Fprintln(b)
	}
	if p.OwnersCut > 0 {
		fmt.Fprintf(b, "and %s\n", number(p.OwnersCut, "more owner"))
	}
	if p.Holder != (graph.Key{}) {
		fmt.Fprintf(b, "holder %s\n", p.Holder)
	}
}

// line names the roots.
func (r *Root) line() string {
	names := make([]string, len(r.Keys))
	for i, k := range r.Keys {
		names[i] = k.String()
	}
	s := strings.Join(names, ", ")
	if r.More > 0 {
		s += fmt.Sprintf(" and %d more", r.More)
	}
	switch {
	case len(r.Keys) == 0 && r.More == 0:
		return "root unknown"
	case r.Nearest:
		return "root unknown, nearest absent owners: " + strings.TrimPrefix(s, " and ")
	}
	return "root " + strings.TrimPrefix(s, " and ")
}
