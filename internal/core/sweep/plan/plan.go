package plan

import (
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/guard"
)

// Plan is a checked sweep, with pure answers about holders and members. Use New. It is
// immutable and safe for concurrent use, as far as the sweep's functions are.
type Plan struct {
	sweep guard.Sweep
}

// members and phase are parts of the sweep, with the methods that interpret them.
type (
	members guard.Members
	phase   guard.Phase
)

func (p *Plan) members(i int) *members { return (*members)(&p.sweep.Members[i]) }

// Sweep returns the sweep of the plan. The caller does not change it.
func (p *Plan) Sweep() *guard.Sweep { return &p.sweep }

// DependsOnHolder reports whether the members of a holder depend on the holder's own
// state, by some Where. Then every change of a holder makes all answers void.
func (p *Plan) DependsOnHolder() bool {
	return slices.ContainsFunc(p.sweep.Members, func(m guard.Members) bool { return m.Where != nil })
}

// IsHolder reports whether the object may have members.
func (p *Plan) IsHolder(o graph.Object) bool {
	return o.Kind == p.sweep.Holder && (p.sweep.Holders == nil || p.sweep.Holders(o))
}

// Fit returns the cause for which the engine may sweep nothing for a holder, or nil. The
// holder's name may have a delimiter, so that it cannot be told from another's. Or the
// holder would be a member of itself. The error wraps graph.ErrInvalid and names holder
// and cause.
//
//test:by TestFit internal/core/sweep.TestSweepExact
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

// Kinds returns the kinds that the sweep names, sorted. The engine sweeps nothing before
// the store serves all of them. The caller owns the result.
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

// Claim is one way in which an object names a holder: by its name, or by its key in an
// owner reference.
type Claim struct {
	// Members is the index in Sweep.Members of the condition that names the holder.
	Members int
	// Name is the holder's name. Key, if it is set, is exactly the holder.
	Name string
	Key  graph.Key
	// Fixed says that the claim follows from the object's coordinates alone. No change of
	// the object can then take it back.
	Fixed bool
	// Shadow says that a reader may split the object's name at a later delimiter, and so
	// read this name. A shadow makes the object a member of no holder. If such a holder
	// exists, the object is contested.
	Shadow bool
	// Rest says that the claim is a shadow for all names that are too long, or too many,
	// to be yielded. Name is then empty, and Names compares the holder's own name with
	// the object. NamedByRest tells the holders for which that is needed.
	Rest bool
}

// Claims yields the holders that the object names. Names tells whether such a holder
// agrees. Each of Members yields at most 33 claims by the object's name, of any length.
// Conditions on labels yield no claim here: see ClaimsBy.
//
//test:by TestClaimsAreBounded
func (p *Plan) Claims(o graph.Object) iter.Seq[Claim] {
	return p.ClaimsBy(o, func(int) (string, bool) { return "", false })
}

// ClaimsBy is Claims for an object with known labels. For the index of Members that
// depend on labels, the function labels returns the object's value of Label, and whether
// its labels match.
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
	if m.By == guard.ByLabel {
		return label == "" || yield(Claim{Members: i, Name: label})
	}
	if m.By != guard.ByOwner {
		c := Claim{Members: i, Fixed: m.By < guard.ByOwner && m.Where == nil && p.sweep.Except == nil && !m.labelled()}
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

// Names reports whether the claim of the object names the holder, by a shadow too. The
// caller has checked IsHolder.
func (p *Plan) Names(holder, o graph.Object, c Claim) bool {
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

// Phases returns the number of phases: those of the sweep, and the last one, which takes
// the other members.
func (p *Plan) Phases() int { return len(p.sweep.Phases) + 1 }

// Phase returns the i-th phase. The last one is the zero Phase.
func (p *Plan) Phase(i int) guard.Phase {
	if i < len(p.sweep.Phases) {
		return p.sweep.Phases[i]
	}
	return guard.Phase{}
}

// PhaseOf returns the index of the phase that a member is in.
func (p *Plan) PhaseOf(o graph.Object) int { return PhaseOf(p.sweep.Phases, o) }

// Open returns the number of phases, from the first on, that may delete their members.
// The argument left counts the members of each phase.
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

// may reports whether m may select objects of the kind, with or without a scope. Holders
// are members of others only if their kind is named.
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

// all reports whether the phase takes every member.
func (p *phase) all() bool { return len(p.Kinds) == 0 && p.KindIs == nil && p.Where == nil }
