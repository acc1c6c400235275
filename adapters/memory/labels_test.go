package memory

import (
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
)

func selected(t testing.TB, s interface {
	Select(ownergraph.Selection) (ownergraph.Selected, error)
}, q ownergraph.Selection) string {
	t.Helper()
	page, err := s.Select(q)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, o := range page.Objects {
		out = append(out, fmt.Sprintf("%s#%s=%s", o.Key, o.Version, o.Value))
	}
	return strings.Join(out, " ") + ">" + page.More
}

// TestLabel: labels are no part of an object, but a change of them is a change,
// they go with it and come back with it.
func TestLabel(t *testing.T) {
	s := newState(t, "pod/ns/p@p#5; volume/v@v#6")
	p := key(t, "pod/ns/p")
	set := map[string]string{"of": "a", "x.io/n": ""}
	e, o, err := s.Label(p, graph.Precondition{UID: "p", Version: "5"}, set)
	if err != nil || e.Type != graph.Put || o.Version != "7" || o.String() != "pod/ns/p@p#7" {
		t.Fatalf("%v, %s, %v", e, o, err)
	}
	set["of"] = "mine"
	got, err := s.Labels(p)
	if err != nil || !maps.Equal(got, map[string]string{"of": "a", "x.io/n": ""}) {
		t.Errorf("%v, %v: the store keeps nothing of what it is given", got, err)
	}
	got["of"] = "mine"
	if e, o, err = s.Label(p, graph.Precondition{}, map[string]string{"of": "a", "x.io/n": ""}); err != nil || e.Type != 0 || o.Version != "7" {
		t.Errorf("%v, %s, %v: nothing has changed, and it gives nothing away", e, o, err)
	}
	before := s.Snapshot()
	many := map[string]string{}
	for i := range mostLabels + 1 {
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
		{"pod/ns/p", graph.Precondition{Version: "5"}, nil, "label pod/ns/p: precondition: uid \"\", version \"5\"", "it is older", []error{graph.ErrConflict}},
		{"pod/ns/q", graph.Precondition{}, nil, "label pod/ns/q", "there is none", []error{graph.ErrNotFound}},
		{"none/ns/q", graph.Precondition{}, nil, "label none/ns/q", "no such kind", []error{graph.ErrKindUnknown}},
		{"pod/ns/p", graph.Precondition{}, map[string]string{"a b": ""}, `label pod/ns/p: labels["a b"]: it or "" is none`, "a blank", []error{graph.ErrRefused, graph.ErrInvalid}},
		{"pod/ns/p", graph.Precondition{}, map[string]string{"a": "b c"}, `label pod/ns/p: labels["a"]: it or "b c" is none`, "a blank", []error{graph.ErrRefused, graph.ErrInvalid}},
		{"pod/ns/p", graph.Precondition{}, many, "label pod/ns/p: labels: more than 256", "it may not fill the memory", []error{graph.ErrRefused, graph.ErrInvalid}},
	} {
		_, _, err := s.Label(key(t, tc.key), tc.pre, tc.labels)
		refused(t, "Label", err, tc.want, tc.reason, tc.is...)
	}
	if _, _, err := s.Delete(p, graph.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	if _, _, err := s.Create(fresh(t, "pod/ns/p")); err != nil {
		t.Fatal(err)
	}
	if got, err := s.Labels(p); err != nil || len(got) > 0 {
		t.Errorf("%v, %v: another object has labels of its own", got, err)
	}
	if err := s.Restore(before); err != nil {
		t.Fatal(err)
	}
	if got := selected(t, s, ownergraph.Selection{Kind: "pod", Selector: "of=a", Label: "of"}); got != "pod/ns/p@p#11=a>" {
		t.Errorf("%s: they are back", got)
	}
}

func TestSelect(t *testing.T) {
	s := newState(t, `pod/a/p@1#1; pod/a/q@2#2; pod/b/p@3#3; pod/b/"x y"@4#4; node/n@5#5`)
	for _, k := range []string{"pod/a/p", "pod/a/q", `pod/b/"x y"`, "node/n"} {
		if _, _, err := s.Label(key(t, k), graph.Precondition{}, map[string]string{"of": "a"}); err != nil {
			t.Fatal(err)
		}
	}
	of := func(limit int, after string) ownergraph.Selection {
		return ownergraph.Selection{Kind: "pod", Selector: "of in (a,b)", Label: "of", Limit: limit, After: after}
	}
	for _, tc := range []struct {
		q            ownergraph.Selection
		want, reason string
	}{
		{of(0, ""), `pod/a/p@1#6=a pod/a/q@2#7=a pod/b/"x y"@4#8=a>`, "all at once"},
		{of(2, ""), "pod/a/p@1#6=a pod/a/q@2#7=a>pod/a/q@2", "a page of two"},
		{of(2, "pod/a/q@2"), `pod/b/"x y"@4#8=a>`, "the rest"},
		{of(3, ""), `pod/a/p@1#6=a pod/a/q@2#7=a pod/b/"x y"@4#8=a>`, "just all of them"},
		{ownergraph.Selection{Kind: "pod", Selector: "!of"}, "pod/b/p@3#3=>", "who has no labels"},
		{ownergraph.Selection{Kind: "rs", Selector: "of"}, ">", "an empty kind"},
	} {
		if got := selected(t, s, tc.q); got != tc.want {
			t.Errorf("%+v: %s, want %s: %s", tc.q, got, tc.want, tc.reason)
		}
	}
	if err := s.Sicken("node", "down"); err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		q            ownergraph.Selection
		want, reason string
		is           []error
	}{
		{ownergraph.Selection{Kind: "none", Selector: "a"}, `select none`, "no such kind", []error{graph.ErrKindUnknown}},
		{ownergraph.Selection{Kind: "node", Selector: "a"}, `select node: down`, "it is sick", []error{ErrSick}},
		{ownergraph.Selection{Kind: "pod"}, `select pod`, "everything would match", []error{graph.ErrRefused, graph.ErrInvalid}},
		{ownergraph.Selection{Kind: "pod", Selector: "a", After: "("}, `select pod: After`, "no page", []error{graph.ErrRefused, graph.ErrInvalid}},
	} {
		_, err := s.Select(tc.q)
		refused(t, "Select", err, tc.want, tc.reason, tc.is...)
	}
}
