package graph_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ownergraph/ownergraph/graph"
)

// TestRefused: an event that no store may send changes nothing. The message names object
// and field once.
func TestRefused(t *testing.T) {
	for _, tc := range []struct{ event, want, reason string }{
		{"unset", "apply unset: event: type: unknown", "a zero event is a mistake"},
		{"next", "apply event(12): event: type: unknown", "nor is the first number beyond the known types"},
		{"bogus", "apply event(101): event: type: unknown", "an unknown event must not be skipped in silence"},
		{"kinds a pod+ a-", `apply kinds-known: kind "a": kinds[2]: two different descriptions`, "the order would decide between the two"},
		{`put ""/x`, `apply put: ""/x: kind: empty`, "an object has a kind"},
		{`put a/""`, `apply put: a/"": name: empty`, "an object has a name"},
		{`put a@""`, "apply put: a/a: uid: empty", "without a UID it is no incarnation"},
		{"put x", "apply put: x: kind: not among the kinds known", "an unserved kind has no objects"},
		{"put pod/x", "apply put: pod/x: scope: empty, and the kind is scoped", "it would be another object's place"},
		{"put a/s/x", "apply put: a/s/x: scope: set, and the kind is global", "it would be another object's place"},
		{"gone x", "apply gone: x: kind: not among the kinds known", "an unserved kind proves nothing"},
		{"gone pod/x", "apply gone: pod/x: scope: empty, and the kind is scoped", "no object is there that could end"},
		{`gone a@""`, "apply gone: a/a: uid: empty", "the end of some object with the name proves nothing of a UID"},
		{`gone ""/x@u`, `apply gone: ""/x@u: kind: empty`, "an end names what ended"},
		{"list x", `apply list-begun: kind "x": not among the kinds known`, "an unserved kind cannot be listed"},
		{"list", "apply list-begun: event: kind: empty", "a listing is of one kind"},
		{"end x", `apply list-ended: kind "x": not among the kinds known`, "an unserved kind cannot be listed"},
		{"end a", `apply list-ended: kind "a": no listing is under way`, "an end without a beginning proves no absence"},
		{"sick x", `apply kind-sick: kind "x": not among the kinds known`, "names of unserved kinds must not pile up"},
		{"recover x", `apply kind-recovered: kind "x": not among the kinds known`, "names of unserved kinds must not pile up"},
		{"progress x", `apply progress: kind "x": not among the kinds known`, "names of unserved kinds must not pile up"},
		{"fence x", `apply fence-passed: kind "x": not among the kinds known`, "a fence of what takes no part proves nothing"},
		{"vanish", "apply kind-vanished: event: kind: empty", "a kind vanishes, not all of them"},
	} {
		t.Run(tc.event, func(t *testing.T) {
			w := play(t, graph.Config{}, "kinds a b pod+; list a; end a; prune a; put a; put b -> a!")
			graphBefore, kindsBefore := w.String(), w.Kinds()
			d, err := w.Apply(event(t, tc.event))
			if !errors.Is(err, graph.ErrInvalid) || err.Error() != tc.want+": invalid" {
				t.Errorf("error %q, want %q: %s", err, tc.want+": invalid", tc.reason)
			}
			if diff := cmp.Diff(graph.Delta{}, d); diff != "" {
				t.Errorf("a refused event has a Delta: %s", diff)
			}
			if w.String() != graphBefore || !cmp.Equal(w.Kinds(), kindsBefore) || w.Check() != nil {
				t.Errorf("a refused event changed the graph:\n%s\n%s", graphBefore, w)
			}
		})
	}
}

// TestRefusedFields: the refused events that the notation cannot write.
func TestRefusedFields(t *testing.T) {
	long := strings.Repeat("n", 1<<20)
	for _, tc := range []struct {
		event        graph.Event
		want, reason string
	}{
		{graph.Event{Type: graph.Put, Object: graph.Object{Key: graph.Key{Kind: "a", Name: "x", UID: "u"}}},
			"apply put: a/x@u: version: empty: invalid", "without a version no write can be conditioned"},
		{graph.Event{Type: graph.Put, Object: graph.Object{Key: graph.Key{Kind: "a", Name: "zero", UID: "a/zero"}, Generation: 1}},
			"apply put: a/zero: version: empty: invalid", "version 0 is one, and no version is none"},
		{graph.Event{Type: graph.KindsKnown, Kinds: []graph.KindInfo{{Kind: "a"}, {}}},
			"apply kinds-known: event: kinds[1].kind: empty: invalid", "a kind has a name"},
		{graph.Event{Type: graph.Gone, Key: graph.Key{Kind: "x", Name: long, UID: "u"}},
			"apply gone: x/" + long[:198] + "...: kind: not among the kinds known: invalid", "the message must not grow with the name"},
		{graph.Event{Type: graph.KindSick, Kind: graph.Kind(long)},
			`apply kind-sick: kind "` + long[:200] + `": not among the kinds known: invalid`, "the message must not grow with the name"},
	} {
		w := play(t, graph.Config{}, "kinds a b; put b -> a; put a/zero#0%1/0")
		before, known := w.String(), w.Kinds()
		if _, err := w.Apply(tc.event); !errors.Is(err, graph.ErrInvalid) || err.Error() != tc.want {
			t.Errorf("error %.300q, want %.300q: %s", err, tc.want, tc.reason)
		}
		if w.String() != before || !cmp.Equal(w.Kinds(), known) {
			t.Errorf("a refused event changed the graph: %s", tc.reason)
		}
	}
}

// TestNotRefused: the graph accepts odd events that a store may send.
func TestNotRefused(t *testing.T) {
	for _, tc := range []struct{ before, event, after, reason string }{
		{"kinds a a", "put a", "a", "the same kind twice contradicts nothing"},
		{"kinds a", "vanish b", "", "the set of kinds may have said so before"},
		{"kinds a; vanish a", "vanish a", "", "twice is once"},
		{"kinds a; list a", "list a", "", "a listing that was cut off begins again"},
		{"kinds a; sick a", "sick a", "", "twice is once"},
		{"kinds pod+ b; put pod/s/x; put b -> pod/s/x; kinds pod b", "gone pod/s/x", "b -> pod/s/x {scoped}; absent pod/s/x <1/0>",
			"a kind that is served again without scope must be able to lose its objects"},
	} {
		w := play(t, graph.Config{}, tc.before+"; "+tc.event)
		if got := w.String(); got != tc.after {
			t.Errorf("%s; %s: %q, want %q: %s", tc.before, tc.event, got, tc.after, tc.reason)
		}
	}
}
