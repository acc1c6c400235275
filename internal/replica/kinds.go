package replica

import (
	"fmt"

	"github.com/ownergraph/ownergraph/graph"
)

// Kinds returns the served kinds, sorted by name. It returns sick kinds too.
func (s *State) Kinds() []graph.KindInfo {
	var out []graph.KindInfo
	for _, t := range s.tables.all() {
		if t.served {
			out = append(out, t.info)
		}
	}
	return out
}

// Serves reports whether the kind is served. A sick kind is served.
func (s *State) Serves(kind graph.Kind) bool {
	t, _ := s.tables.get(kind)
	return t.served
}

// Sick reports whether the kind is out of service, and the reason.
func (s *State) Sick(kind graph.Kind) (sick bool, reason string) {
	t, _ := s.tables.get(kind)
	return t.sick, t.reason
}

// AddKind serves a kind, or replaces the description of a served kind. A kind that was
// removed and is added again has its former objects. AddKind returns ErrRefused for an
// empty name. It returns ErrRefused too if a kind with objects would change between
// scoped and global.
func (s *State) AddKind(info graph.KindInfo) error {
	if info.Kind == "" {
		return fmt.Errorf("add kind: kind: empty: %w", graph.ErrRefused)
	}
	if field, cause := info.Container.Flaw(); field != "" {
		return fmt.Errorf("add kind %s: container.%s: %s: %w", info.Kind, field, cause, graph.ErrRefused)
	}
	t, known := s.tables.get(info.Kind)
	if !known {
		t = newTable(info)
	}
	if t.objects.root != nil && t.info.Scoped != info.Scoped {
		return fmt.Errorf("add kind %s: scoped: it has objects and was %t: %w", info.Kind, t.info.Scoped, graph.ErrRefused)
	}
	t.info, t.served = info, true
	s.tables = s.tables.put(info.Kind, t)
	return nil
}

// RemoveKind stops serving a kind, and clears its sickness. The state keeps the objects
// of the kind and hides them. RemoveKind returns ErrKindUnknown for a kind that is not
// served.
func (s *State) RemoveKind(kind graph.Kind) error {
	return s.alter("remove kind", kind, func(t *table) { t.served, t.sick, t.reason = false, false, "" })
}

// Sicken takes a kind out of service, with a reason. It returns ErrKindUnknown for a kind
// that is not served.
func (s *State) Sicken(kind graph.Kind, reason string) error {
	return s.alter("sicken kind", kind, func(t *table) { t.sick, t.reason = true, reason })
}

// Recover takes a kind into service again. A kind in service stays in service. Recover
// returns ErrKindUnknown for a kind that is not served.
func (s *State) Recover(kind graph.Kind) error {
	return s.alter("recover kind", kind, func(t *table) { t.sick, t.reason = false, "" })
}

func (s *State) alter(verb string, kind graph.Kind, change func(*table)) error {
	t, _ := s.tables.get(kind)
	if !t.served {
		return fmt.Errorf("%s %s: %w", verb, kind, graph.ErrKindUnknown)
	}
	change(&t)
	s.tables = s.tables.put(kind, t)
	return nil
}
