package draft

import (
	"fmt"
	"slices"
	"unicode/utf8"

	"github.com/ownergraph/ownergraph/graph"
)

// CheckDump returns an error if no store can have these kinds and objects. Partial names
// kinds of them. The error names the field and the object, and wraps graph.ErrInvalid. It
// leaves out what an engine checks in each event, such as empty names.
//
//test:by TestCheckDump
func CheckDump(kinds []graph.KindInfo, partial []graph.Kind, objects []graph.Object) error {
	known := make(map[graph.Kind]bool, len(kinds))
	for i, k := range kinds {
		switch {
		case known[k.Kind]:
			return bad("Kinds", i, "%q: twice", k.Kind)
		case !utf8.ValidString(string(k.Kind)):
			return bad("Kinds", i, "%q: not UTF-8", k.Kind)
		}
		known[k.Kind] = true
	}
	places, uids := make(map[graph.Key]int, len(objects)), make(map[graph.UID]int, len(objects))
	for i := range objects {
		o := &objects[i]
		known[o.Kind] = true
		if before, ok := places[o.Place()]; ok {
			return bad("Objects", i, "%s: at the place of Objects[%d]", o.Key, before)
		}
		if before, ok := uids[o.UID]; ok && o.UID != "" {
			return bad("Objects", i, "%s: has the UID of Objects[%d], which is %s", o.Key, before, objects[before].Key)
		}
		places[o.Place()], uids[o.UID] = i, i
		if cause := flaw(o); cause != "" {
			return bad("Objects", i, "%s: %s", o.Key, cause)
		}
	}
	for i, k := range partial {
		if !known[k] {
			return bad("Partial", i, "%q: not among the kinds", k)
		}
	}
	return nil
}

// DumpEvents returns the events of a watch that lists the dump. A kind of an object that is not
// among the kinds is one of them: it is scoped if the object has a scope. The caller owns the result.
func DumpEvents(kinds []graph.KindInfo, partial []graph.Kind, objects []graph.Object) []graph.Event {
	kinds = slices.Clone(kinds)
	of := make(map[graph.Kind][]graph.Object, len(kinds))
	for _, o := range objects {
		of[o.Kind] = append(of[o.Kind], o)
		if len(of[o.Kind]) == 1 && !slices.ContainsFunc(kinds, func(k graph.KindInfo) bool { return k.Kind == o.Kind }) {
			kinds = append(kinds, graph.KindInfo{Kind: o.Kind, Scoped: o.Scope != ""})
		}
	}
	events := []graph.Event{{Type: graph.KindsKnown, Kinds: kinds}}
	for _, k := range kinds {
		events = append(events, graph.Event{Type: graph.ListBegun, Kind: k.Kind})
		for _, o := range of[k.Kind] {
			if o.Version == "" { // no plan depends on it
				o.Version = "1"
			}
			events = append(events, graph.Event{Type: graph.Put, Object: o})
		}
		if !slices.Contains(partial, k.Kind) {
			events = append(events, graph.Event{Type: graph.ListEnded, Kind: k.Kind})
		}
	}
	return events
}

func bad(field string, i int, format string, args ...any) error {
	return fmt.Errorf("%s[%d]: %s: %w", field, i, fmt.Sprintf(format, args...), graph.ErrInvalid)
}

// flaw returns the fault of one object, or "".
func flaw(o *graph.Object) string {
	texts := append([]string{string(o.Version)}, keyTexts(o.Key)...)
	for _, r := range o.Owners {
		texts = append(texts, keyTexts(r.Key)...)
	}
	texts = append(texts, o.Finalizers...)
	i := slices.IndexFunc(texts, func(s string) bool { return !utf8.ValidString(s) })
	switch {
	case i >= 0:
		return fmt.Sprintf("%q: not UTF-8", texts[i])
	case o.GraceSeconds < 0:
		return "GraceSeconds: negative"
	}
	return ""
}

func keyTexts(k graph.Key) []string { return []string{string(k.Kind), k.Scope, k.Name, string(k.UID)} }
