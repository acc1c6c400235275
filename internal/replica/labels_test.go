package replica

import (
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/ownergraph/ownergraph/graph"
)

// selected returns the objects that match, on one line.
func selected(t testing.TB, s *State, kind graph.Kind, selector, after string) string {
	t.Helper()
	matches, err := s.Select(kind, selector, after)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for m := range matches {
		out = append(out, fmt.Sprintf("%s#%s=%s", m.Key, m.Version, m.Labels["of"]))
	}
	return strings.Join(out, " ")
}

// TestLabel: labels are not a part of an object. A change of them gives the object a
// new version. They go with the object, and a restore brings them back.
func TestLabel(t *testing.T) {
	s := newState(t, "pod/ns/p@p#5; volume/v@v#6")
	p := key(t, "pod/ns/p")
	set := map[string]string{"of": "a", "x.io/n": ""}
	e, o, err := apart(s.Label(p, graph.Precondition{UID: "p", Version: "5"}, set))
	if err != nil || e.Type != graph.Put || o.Version != "7" || o.String() != "pod/ns/p@p#7" {
		t.Fatalf("%v, %s, %v", e, o, err)
	}
	set["of"] = "mine"
	got, err := s.Labels(p)
	if err != nil || !maps.Equal(got, map[string]string{"of": "a", "x.io/n": ""}) {
		t.Errorf("%v, %v: the state keeps no part of its arguments", got, err)
	}
	got["of"] = "mine"
	if e, o, err = apart(s.Label(p, graph.Precondition{}, map[string]string{"of": "a", "x.io/n": ""})); err != nil || e.Type != 0 || o.Version != "7" {
		t.Errorf("%v, %s, %v: nothing has changed, and the state shares no memory", e, o, err)
	}
	before := s.Snapshot()
	many := map[string]string{}
	for i := range maxLabels + 1 {
		many[fmt.Sprint("l", i)] = ""
	}
	for _, tc := range []struct {
		key    string
		pre    graph.Precondition
		labels map[string]string
		want   string
		reason string
		is     []error
	}{
		{"pod/ns/p", graph.Precondition{Version: "5"}, nil, "label pod/ns/p: precondition: uid \"\", version \"5\"", "a stale version", []error{graph.ErrConflict}},
		{"pod/ns/q", graph.Precondition{}, nil, "label pod/ns/q", "absent", []error{graph.ErrNotFound}},
		{"none/ns/q", graph.Precondition{}, nil, "label none/ns/q", "no such kind", []error{graph.ErrKindUnknown}},
		{"pod/ns/p", graph.Precondition{}, map[string]string{"a b": ""}, `label pod/ns/p: labels["a b"]: it or "" is none`, "a blank is invalid", []error{graph.ErrRefused, graph.ErrInvalid}},
		{"pod/ns/p", graph.Precondition{}, map[string]string{"a": "b c"}, `label pod/ns/p: labels["a"]: it or "b c" is none`, "a blank is invalid", []error{graph.ErrRefused, graph.ErrInvalid}},
		{"pod/ns/p", graph.Precondition{}, many, "label pod/ns/p: labels: more than 256", "labels are bounded", []error{graph.ErrRefused, graph.ErrInvalid}},
	} {
		_, err := s.Label(key(t, tc.key), tc.pre, tc.labels)
		refused(t, "Label", err, tc.want, tc.reason, tc.is...)
	}
	if _, err := s.Delete(p, graph.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Create(fresh(t, "pod/ns/p")); err != nil {
		t.Fatal(err)
	}
	if got, err := s.Labels(p); err != nil || len(got) > 0 {
		t.Errorf("%v, %v: a new object has no labels", got, err)
	}
	if err := s.Restore(before); err != nil {
		t.Fatal(err)
	}
	if got := selected(t, s, "pod", "of=a", ""); got != "pod/ns/p@p#11=a" {
		t.Errorf("%s, want the labels of before", got)
	}
}

func TestSelect(t *testing.T) {
	s := newState(t, `pod/a/p@1#1; pod/a/q@2#2; pod/b/p@3#3; pod/b/"x y"@4#4; node/n@5#5`)
	for _, k := range []string{"pod/a/p", "pod/a/q", `pod/b/"x y"`, "node/n"} {
		if _, err := s.Label(key(t, k), graph.Precondition{}, map[string]string{"of": "a"}); err != nil {
			t.Fatal(err)
		}
	}
	for _, tc := range []struct {
		kind                          graph.Kind
		selector, after, want, reason string
	}{
		{"pod", "of in (a,b)", "", `pod/a/p@1#6=a pod/a/q@2#7=a pod/b/"x y"@4#8=a`, "all of them"},
		{"pod", "of in (a,b)", "pod/a/q@2", `pod/b/"x y"@4#8=a`, "those after a key"},
		{"pod", "!of", "", "pod/b/p@3#3=", "an object without labels"},
		{"rs", "of", "", "", "an empty kind"},
	} {
		if got := selected(t, s, tc.kind, tc.selector, tc.after); got != tc.want {
			t.Errorf("select %s of %s after %q: %s, want %s: %s", tc.selector, tc.kind, tc.after, got, tc.want, tc.reason)
		}
	}
	if err := s.Sicken("node", "down"); err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		kind                          graph.Kind
		selector, after, want, reason string
		is                            []error
	}{
		{"none", "a", "", `select none`, "no such kind", []error{graph.ErrKindUnknown}},
		{"node", "a", "", `select node: down`, "it is sick", []error{ErrSick}},
		{"pod", "", "", `select pod`, "an empty selector would match every object", []error{graph.ErrRefused, graph.ErrInvalid}},
		{"pod", "a", "(", `select pod: After`, "no key", []error{graph.ErrRefused, graph.ErrInvalid}},
	} {
		_, err := s.Select(tc.kind, tc.selector, tc.after)
		refused(t, "Select", err, tc.want, tc.reason, tc.is...)
	}
}
