package plan

import (
	"errors"
	"fmt"
	"slices"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/guard"
	"github.com/ownergraph/ownergraph/internal/core/selector"
)

// New checks a sweep and returns its plan. It names every fault with its field, in errors
// that wrap graph.ErrInvalid.
//
//test:by TestNewPlanRefuses
func New(s guard.Sweep) (*Plan, error) {
	c := &planCheck{sweep: s}
	c.holder()
	if len(s.Members) == 0 {
		c.bad("Members", "none")
	}
	for i := range s.Members {
		c.members(fmt.Sprintf("Members[%d]", i), (*members)(&s.Members[i]))
	}
	for i := range s.Phases {
		c.phase(i, fmt.Sprintf("Phases[%d]", i), (*phase)(&s.Phases[i]))
	}
	if len(c.errs) > 0 {
		return nil, errors.Join(c.errs...)
	}
	s.Members, s.Phases = slices.Clone(s.Members), slices.Clone(s.Phases)
	for i := range s.Members {
		s.Members[i].Kinds = slices.Clone(s.Members[i].Kinds)
	}
	for i := range s.Phases {
		s.Phases[i].Kinds = slices.Clone(s.Phases[i].Kinds)
	}
	return &Plan{s}, nil
}

type planCheck struct {
	sweep guard.Sweep
	errs  []error
}

func (c *planCheck) bad(field, cause string) {
	c.errs = append(c.errs, fmt.Errorf("plan sweep %q: %s: %s: %w", c.sweep.Finalizer, field, cause, graph.ErrInvalid))
}

// when adds a fault if the condition is met.
func (c *planCheck) when(is bool, field, cause string) {
	if is {
		c.bad(field, cause)
	}
}

func (c *planCheck) holder() {
	f := c.sweep.Finalizer
	c.when(f == "", "Finalizer", "empty")
	c.when(f == graph.FinalizerOrphan || f == graph.FinalizerForeground, "Finalizer", "it is a propagation's")
	c.when(graph.IsGuardFinalizer(f), "Finalizer", "it is a guard's")
	c.when(c.sweep.Holder == "", "Holder", "empty")
}

func (c *planCheck) members(at string, m *members) {
	cuts := m.By == guard.ByName || m.By == guard.ByKind || m.By == guard.ByScope
	c.when(m.By == guard.ByUnset || m.By > guard.ByLabel, at+".By", m.By.String()+" is no way to name a holder")
	c.when((m.By == guard.ByName || m.By == guard.ByKind) && m.Delimiter == "", at+".Delimiter", "empty: it would take every object whose name begins like the holder's")
	c.when(!cuts && (m.Delimiter != "" || m.AfterText != "" || m.TrimSuffix != "" || m.Suffix), at+".Delimiter", "nothing is cut by "+m.By.String())
	c.when(m.Delimiter == "" && (m.AfterText != "" || m.TrimSuffix != "" || m.Suffix), at+".Delimiter", "empty, with AfterText, TrimSuffix or Suffix")
	c.when(m.Suffix && m.AfterText != "", at+".AfterText", "it cannot go with Suffix")
	c.when(!m.Suffix && m.TrimSuffix != "", at+".TrimSuffix", "it cannot go without Suffix")
	c.when((m.By == guard.ByFunc) != (m.Named != nil), at+".Named", "it goes with by func, and only there")
	c.when(m.By == guard.ByScope && m.Global, at+".Global", "it cannot go with by scope")
	c.labels(at, m)
	c.kinds(at, m.Kinds)
}

// labels finds the faults in conditions on labels.
func (c *planCheck) labels(at string, m *members) {
	c.when((m.By == guard.ByLabel) != (m.Label != ""), at+".Label", "it goes with by label, and only there")
	c.when(m.Label != "" && !selector.ValidName(m.Label), at+".Label", fmt.Sprintf("%q is no label", m.Label))
	c.when(m.labelled() && slices.Contains(m.Kinds, c.sweep.Holder), at+".Kinds", "it has the holders' kind, and labels may match the holder itself")
	if m.Selector == "" {
		return
	}
	s, err := selector.Parse(m.Selector)
	if err != nil {
		c.errs = append(c.errs, fmt.Errorf("plan sweep %q: %s.Selector: %w", c.sweep.Finalizer, at, err))
		return
	}
	if both, err := selector.Parse(m.Selector + "," + m.Label); m.Label != "" && err == nil {
		s = both
	}
	if key := s.Impossible(); key != "" {
		c.bad(at+".Selector", fmt.Sprintf("it matches nothing: no object can have such a label %q", key))
	}
}

func (c *planCheck) kinds(at string, kinds []graph.Kind) {
	c.when(slices.Contains(kinds, ""), at+".Kinds", "an empty kind")
}

// phase finds the faults of a phase before any sweep, such as a phase that no member can
// enter.
func (c *planCheck) phase(i int, at string, p *phase) {
	c.kinds(at, p.Kinds)
	c.when(p.Propagation > graph.Orphan, at+".Propagation", p.Propagation.String()+" means nothing")
	c.when(p.GraceSeconds != nil && *p.GraceSeconds < 0, at+".GraceSeconds", "negative")
	c.when(p.After && i == 0, at+".After", "no phase is before it")
	for j := range c.sweep.Phases[:i] {
		if (*phase)(&c.sweep.Phases[j]).covers(p) {
			c.bad(at, fmt.Sprintf("it matches nothing: Phases[%d] takes all of it", j))
			return
		}
	}
	c.when(len(p.Kinds) > 0 && !slices.ContainsFunc(c.sweep.Members, func(m guard.Members) bool {
		return slices.ContainsFunc(p.Kinds, func(k graph.Kind) bool { return kindIn(m.Kinds, m.KindIs, k) })
	}), at+".Kinds", "it matches nothing: no member is of such a kind")
}

// covers reports whether p takes every member that q could take.
func (p *phase) covers(q *phase) bool {
	if p.all() {
		return true
	}
	if p.KindIs != nil || p.Where != nil || len(q.Kinds) == 0 {
		return false
	}
	return !slices.ContainsFunc(q.Kinds, func(k graph.Kind) bool { return !slices.Contains(p.Kinds, k) })
}
