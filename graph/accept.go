package graph

import (
	"fmt"
	"slices"
	"strings"
)

// ignores reports whether a setting leaves the kind out.
func (g *Graph) ignores(k Kind) bool { return k != "" && slices.Contains(g.cfg.Ignore, k) }

// accept refuses the events that no store may send. These are an object without kind,
// name, UID or version, an object of a kind that is not served, and an object in a scope
// that its kind does not have. Two descriptions of one kind and the end of a listing that
// did not begin are such events, too.
func (g *Graph) accept(e *Event) error {
	switch e.Type {
	case KindsKnown:
		return acceptKinds(e)
	case Rewound:
		return nil
	case Put:
		if e.Object.Version == "" {
			return refused(e, subject(e.Object.Key), "version: empty")
		}
		return g.acceptKey(e, &e.Object.Key)
	case Gone:
		return g.acceptKey(e, &e.Key)
	}
	if e.Type == EventUnset || e.Type > Rewound {
		return refused(e, "event", "type: unknown")
	}
	return g.acceptKind(e)
}

// acceptKey: a store may serve a kind again with another scope. The gone of a known key
// is therefore accepted in any scope.
func (g *Graph) acceptKey(e *Event, k *Key) error {
	info := &g.kinds[g.kindNamed(k.Kind)]
	cause := ""
	switch {
	case k.Kind == "":
		cause = "kind: empty"
	case k.Name == "":
		cause = "name: empty"
	case k.UID == "":
		cause = "uid: empty"
	case !info.known:
		cause = "kind: not among the kinds known"
	case info.info.Scoped == (k.Scope != "") || e.Type == Gone && g.lookup(k) != 0:
	case info.info.Scoped:
		cause = "scope: empty, and the kind is scoped"
	default:
		cause = "scope: set, and the kind is global"
	}
	if cause == "" {
		return nil
	}
	return refused(e, subject(*k), cause)
}

// acceptKind: a kind may vanish twice, or after a set of kinds without it.
func (g *Graph) acceptKind(e *Event) error {
	k := &g.kinds[g.kindNamed(e.Kind)]
	switch {
	case e.Type == FencePassed && e.Kind == "":
		return nil
	case e.Kind == "":
		return refused(e, "event", "kind: empty")
	case !k.known && e.Type != KindVanished:
		return refused(e, kindSubject(e.Kind), "not among the kinds known")
	case e.Type == ListEnded && !k.listing:
		return refused(e, kindSubject(e.Kind), "no listing is under way")
	}
	return nil
}

func acceptKinds(e *Event) error {
	first := make(map[Kind]KindInfo, len(e.Kinds))
	for i, k := range e.Kinds {
		if k.Kind == "" {
			return refused(e, "event", fmt.Sprintf("kinds[%d].kind: empty", i))
		}
		if f, ok := first[k.Kind]; ok && f != k {
			return refused(e, kindSubject(k.Kind), fmt.Sprintf("kinds[%d]: two different descriptions", i))
		}
		if field, cause := k.Container.Flaw(); field != "" {
			return refused(e, kindSubject(k.Kind), fmt.Sprintf("kinds[%d].container.%s: %s", i, field, cause))
		}
		first[k.Kind] = k
	}
	return nil
}

// maxSubject bounds the coordinates in a message, in bytes.
const maxSubject = 200

// subject names the coordinates in a message, cut short where they are long.
func subject(k Key) string {
	text := k.String()
	if k.UID == "" {
		text = k.PlaceString()
	}
	if len(text) > maxSubject {
		text = strings.ToValidUTF8(text[:maxSubject], "") + "..."
	}
	return text
}

func kindSubject(k Kind) string { return fmt.Sprintf("kind %.200q", string(k)) }

func refused(e *Event, subject, cause string) error {
	return fmt.Errorf("apply %s: %s: %s: %w", e.Type, subject, cause, ErrInvalid)
}
