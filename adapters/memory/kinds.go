package memory

import (
	"fmt"

	"github.com/ownergraph/ownergraph/graph"
)

// Kinds returns the kinds that are served, sick ones too, sorted by name.
func (s *State) Kinds() []graph.KindInfo {
	var out []graph.KindInfo
	for _, sh := range s.shelves.all() {
		if sh.served {
			out = append(out, sh.info)
		}
	}
	return out
}

// AddKind serves a kind, or changes what is known of one that is served. The
// objects that it had when it was removed are back. ErrRefused for an empty
// name, or for a kind that has objects and changes between scoped and global.
func (s *State) AddKind(info graph.KindInfo) error {
	if info.Kind == "" {
		return fmt.Errorf("add kind: kind: empty: %w", graph.ErrRefused)
	}
	sh, known := s.shelves.get(info.Kind)
	if !known {
		sh = newShelf(info)
	}
	if sh.objects.root != nil && sh.info.Scoped != info.Scoped {
		return fmt.Errorf("add kind %s: scoped: it has objects and was %t: %w", info.Kind, sh.info.Scoped, graph.ErrRefused)
	}
	sh.info, sh.served = info, true
	s.shelves = s.shelves.put(info.Kind, sh)
	return nil
}

// RemoveKind stops serving a kind, and ends its sickness. Its objects are kept
// out of sight. ErrKindUnknown where it is not served.
func (s *State) RemoveKind(kind graph.Kind) error {
	return s.alter("remove kind", kind, func(sh *shelf) { sh.served, sh.sick, sh.reason = false, false, "" })
}

// Sicken takes a kind out of service and says why. ErrKindUnknown where it is
// not served.
func (s *State) Sicken(kind graph.Kind, reason string) error {
	return s.alter("sicken kind", kind, func(sh *shelf) { sh.sick, sh.reason = true, reason })
}

// Recover takes a kind into service again; one that is well stays so.
// ErrKindUnknown where it is not served.
func (s *State) Recover(kind graph.Kind) error {
	return s.alter("recover kind", kind, func(sh *shelf) { sh.sick, sh.reason = false, "" })
}

func (s *State) alter(verb string, kind graph.Kind, change func(*shelf)) error {
	sh, _ := s.shelves.get(kind)
	if !sh.served {
		return fmt.Errorf("%s %s: %w", verb, kind, graph.ErrKindUnknown)
	}
	change(&sh)
	s.shelves = s.shelves.put(kind, sh)
	return nil
}
