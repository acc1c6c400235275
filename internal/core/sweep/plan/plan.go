package plan

import (
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/ownergraph/ownergraph/finalizer"
	"github.com/ownergraph/ownergraph/graph"
)

// Plan is a sweep that was checked: pure answers to whose an object is, and what
// is to be deleted next. Use NewPlan. It is immutable and safe for concurrent
// use, as far as the sweep's functions are.
type Plan struct {
	sweep finalizer.Sweep
}

// members and phase are parts of the sweep, with the methods that interpret them.
type (
	members finalizer.Members
	phase   finalizer.Phase
)

func (p *Plan) members(i int) *members { return (*members)(&p.sweep.Members[i]) }

// Sweep returns the sweep of the plan. It is not to be changed.
func (p *Plan) Sweep() *finalizer.Sweep { return &p.sweep }

// DependsOnHolder reports whether a holder's own state says what belongs to it, by some
// Where: then every change of a holder has everything asked again.
func (p *Plan) DependsOnHolder() bool {
	return slices.ContainsFunc(p.sweep.Members, func(m finalizer.Members) bool { return m.Where != nil })
}

// IsHolder reports whether the object may hold members.
func (p *Plan) IsHolder(o graph.Object) bool {
	return o.Kind == p.sweep.Holder && (p.sweep.Holders == nil || p.sweep.Holders(o))
}

// Fit returns why nothing may be swept for a holder, or nil: its name holds a
// delimiter, so that it cannot be told from another's, or it would be a member
// of itself. The error wraps graph.ErrInvalid and names holder and cause. Held
// by TestFit and TestSweepExact.
func (p *Plan) Fit(holder graph.Object) error {
	bad := func(i int, cause string) error {
		return fmt.Errorf("sweep %s: members[%d]: %s: %w", holder.Key, i, cause, graph.ErrInvalid)
	}
	for i := range p.sweep.Members {
		m := p.members(i)
		d := m.Delimiter
		if d != "" && (m.Suffix && strings.LastIndex(d+holder.Name, d) != 0 || !m.Suffix && strings.Index(holder.Name+d, d) != len(holder.Name)) {
			return bad(i, fmt.Sprintf("the holder's name has the delimiter %q in it", d))
		}
	}
	for c := range p.Claims(holder) {
		m := p.members(c.Members)
		if c.Name == holder.Name && (c.Key.UID == "" || c.Key == holder.Key) && (m.Where == nil || m.Where(holder, holder)) {
			return bad(c.Members, "the holder is a member of itself")
		}
	}
	return nil
}

// Kinds returns the kinds that the sweep names, sorted: nothing may be swept
// before all of them are served. The caller owns the result.
func (p *Plan) Kinds() []graph.Kind {
	out := []graph.Kind{p.sweep.Holder}
	for i := range p.sweep.Members {
		out = append(out, p.sweep.Members[i].Kinds...)
	}
	for i := range p.sweep.Phases {
		out = append(out, p.sweep.Phases[i].Kinds...)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// Claim is one way in which an object names a holder: by its name, or, where it
// refers to the owner itself, by its key.
type Claim struct {
	// Members is the index of what names it in Sweep.Members.
	Members int
	// Name is the holder's name. Key, if it is set, says exactly who it is.
	Name string
	Key  graph.Key
	// Fixed says that it follows from the object's coordinates alone, so that no
	// change of the object can take it back.
	Fixed bool
	// Shadow says that somebody may read the object so: a later delimiter in it
	// would part this name from the rest. It makes the object nobody's member.
	// But if there is such a holder, the object is contested.
	Shadow bool
	// Rest says that the claim is a shadow that stands for all names which are too
	// long, or too many, to be yielded: Name is empty, and Holds compares the
	// holder's own name with the object. NamedByRest says of which holders that is
	// to be asked.
	Rest bool
}

// Claims yields what the object names as its holders. Whether there is such a
// holder, and whether it agrees, is for Holds to say. However long the object's name
// is, each of Members yields at most 33 claims by it. Held by TestClaimsAreBounded.
//
// What depends on labels claims nothing here: see ClaimsBy.
func (p *Plan) Claims(o graph.Object) iter.Seq[Claim] {
	return p.ClaimsBy(o, func(int) (string, bool) { return "", false })
}

// ClaimsBy is Claims for an object of which somebody knows the labels: for the
// index of Members that depend on them, what the object's value of Label is, and
// whether its labels match.
func (p *Plan) ClaimsBy(o graph.Object, labels func(members int) (value string, match bool)) iter.Seq[Claim] {
	return func(yield func(Claim) bool) {
		if p.excepted(o) {
			return
		}
		for i := range p.sweep.Members {
			m := p.members(i)
			if !p.may(m, o) {
				continue
			}
			value, match := "", true
			if m.labelled() {
				value, match = labels(i)
			}
			if match && !p.claims(i, m, o, value, yield) {
				return
			}
		}
	}
}

func (p *Plan) claims(i int, m *members, o graph.Object, label string, yield func(Claim) bool) bool {
	if m.By == finalizer.ByLabel {
		return label == "" || yield(Claim{Members: i, Name: label})
	}
	if m.By != finalizer.ByOwner {
		c := Claim{Members: i, Fixed: m.By < finalizer.ByOwner && m.Where == nil && p.sweep.Except == nil && !m.labelled()}
		for x := range m.cuts(o) {
			c.Name, c.Shadow, c.Rest = x.name, x.shadow, x.rest
			if !yield(c) {
				return false
			}
		}
		return true
	}
	for _, r := range o.Owners {
		if r.Kind == p.sweep.Holder && !r.Unresolved && !yield(Claim{Members: i, Name: r.Name, Key: r.Key}) {
			return false
		}
	}
	return true
}

// Holds reports whether the holder is the one that the claim of the object
// names, in a shadow of it too. It has to be one: see IsHolder.
func (p *Plan) Holds(holder, o graph.Object, c Claim) bool {
	m := p.members(c.Members)
	if c.Rest {
		if !m.names(o, holder.Name) {
			return false
		}
		c.Name = holder.Name
	}
	switch {
	case c.Name != holder.Name, c.Key.UID != "" && c.Key != holder.Key:
		return false
	case holder.Scope != "" && holder.Scope != o.Scope, holder.Key == o.Key:
		return false
	}
	return m.Where == nil || m.Where(holder, o)
}

// Member reports whether the object belongs to the holder, whatever its labels.
func (p *Plan) Member(holder, o graph.Object) bool {
	if !p.IsHolder(holder) {
		return false
	}
	for c := range p.Claims(o) {
		if !c.Shadow && p.Holds(holder, o, c) {
			return true
		}
	}
	return false
}

// Contests reports whether the holder has a claim on the object, if only by a
// shadow, and whatever its labels: as long as the holder is not deleted itself,
// nobody else's sweep takes it.
func (p *Plan) Contests(holder, o graph.Object) bool {
	if !p.IsHolder(holder) || holder.Deleting {
		return false
	}
	for c := range p.Claims(o) {
		if p.Holds(holder, o, c) {
			return true
		}
	}
	return false
}

// Phases returns how many phases there are: those of the sweep, and the last
// one, which takes what is left.
func (p *Plan) Phases() int { return len(p.sweep.Phases) + 1 }

// Phase returns the i-th phase. The last one is the zero Phase.
func (p *Plan) Phase(i int) finalizer.Phase {
	if i < len(p.sweep.Phases) {
		return p.sweep.Phases[i]
	}
	return finalizer.Phase{}
}

// PhaseOf returns the index of the phase that a member is in.
func (p *Plan) PhaseOf(o graph.Object) int {
	for i := range p.sweep.Phases {
		if (*phase)(&p.sweep.Phases[i]).takes(o) {
			return i
		}
	}
	return len(p.sweep.Phases)
}

// Open returns how many phases, from the first on, may delete their members,
// when so many are left in each.
func (p *Plan) Open(left []int) int {
	before := 0
	for i := range p.Phases() {
		if p.Phase(i).After && before > 0 {
			return i
		}
		before += left[i]
	}
	return p.Phases()
}

// may reports whether objects of the kind, and with or without a scope, may be
// members by m. Holders are members of others only where their kind is named.
func (p *Plan) may(m *members, o graph.Object) bool {
	named := o.Kind != p.sweep.Holder || slices.Contains(m.Kinds, o.Kind)
	return named && kindIn(m.Kinds, m.KindIs, o.Kind) && !(m.Global && o.Scope != "")
}

func (p *Plan) excepted(o graph.Object) bool { return p.sweep.Except != nil && p.sweep.Except(o) }

func kindIn(kinds []graph.Kind, is func(graph.Kind) bool, k graph.Kind) bool {
	return (len(kinds) == 0 || slices.Contains(kinds, k)) && (is == nil || is(k))
}

func (p *phase) takes(o graph.Object) bool {
	return kindIn(p.Kinds, p.KindIs, o.Kind) && (p.Where == nil || p.Where(o))
}

// all reports whether the phase takes everything.
func (p *phase) all() bool { return len(p.Kinds) == 0 && p.KindIs == nil && p.Where == nil }
