package plan

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/guard"
	"github.com/ownergraph/ownergraph/internal/core/selector"
)

func byLabel(m guard.Members) guard.Sweep {
	return guard.Sweep{Finalizer: "x.io/t", Holder: "tenant", Members: []guard.Members{m}}
}

// TestNewPlanRefusesLabels: New refuses impossible conditions on labels, with their
// field, before any sweep.
func TestNewPlanRefusesLabels(t *testing.T) {
	of := func(label, selector string, kinds ...graph.Kind) guard.Members {
		return guard.Members{By: guard.ByLabel, Label: label, Selector: selector, Kinds: kinds}
	}
	for _, tc := range []struct {
		members      guard.Members
		want, reason string
	}{
		{of("", ""), "Members[0].Label: it goes with by label", "nothing names the holder"},
		{guard.Members{By: guard.ByOwner, Label: "of"}, "Members[0].Label: it goes with by label", "two ways"},
		{of("o f", ""), `Members[0].Label: "o f" is no label`, "a blank"},
		{guard.Members{By: guard.ByLabel, Label: "of", Delimiter: "-"}, "Members[0].Delimiter: nothing is cut by label", "it is the whole value"},
		{of("of", "app in"), `Members[0].Selector: selector "app in": "app in"`, "no selector"},
		{of("of", ","), "Members[0].Selector: selector", "nor this"},
		{of("of", "", "pod", "tenant"), "Members[0].Kinds: it has the holders' kind", "it may match the holder itself"},
		{guard.Members{By: guard.ByOwner, Selector: "app", Kinds: []graph.Kind{"tenant"}}, "Members[0].Kinds: it has the holders' kind", "the same"},
		{of("of", "!of"), `Members[0].Selector: it matches nothing: no object can have such a label "of"`, "members have it"},
		{of("of", "app=a,app=b"), `Members[0].Selector: it matches nothing: no object can have such a label "app"`, "not both"},
		{of("of", "app in (a,b),app notin (a,b,c)"), "it matches nothing", "all are ruled out"},
	} {
		if _, err := New(byLabel(tc.members)); !errors.Is(err, graph.ErrInvalid) || !strings.Contains(fmt.Sprint(err), tc.want) {
			t.Errorf("%+v: %v, want %q: %s", tc.members, err, tc.want, tc.reason)
		}
	}
}

// TestPlanSelects: the plan gives the store the named selectors. It leaves out names that
// no label can have.
func TestPlanSelects(t *testing.T) {
	many := make([]string, 40)
	for i := range many {
		many[i] = fmt.Sprint("t", i)
	}
	for _, tc := range []struct {
		members     guard.Members
		names       []string
		want, label string
		reason      string
	}{
		{guard.Members{By: guard.ByLabel, Label: "of"}, nil, "of", "of", "every holder"},
		{guard.Members{By: guard.ByLabel, Label: "of", Selector: " app == web , !x"}, []string{"b", "a", "b", "a:b"}, "of in (a,b),app in (web),!x", "of", "only these"},
		{guard.Members{By: guard.ByLabel, Label: "of"}, many, "of", "of", "too many to be named"},
		{guard.Members{By: guard.ByOwner, Selector: "app"}, []string{"a"}, "app", "", "something else names them"},
	} {
		p, err := New(byLabel(tc.members))
		if err != nil {
			t.Fatal(err)
		}
		got, label := p.Select(0, tc.names)
		if got != tc.want || label != tc.label {
			t.Errorf("%v: %q and %q, want %q and %q: %s", tc.names, got, label, tc.want, tc.label, tc.reason)
		}
		if _, err := selector.Parse(got); err != nil {
			t.Error(err)
		}
	}
}

// TestClaimsBy: labels name the given holders, and the plan needs the given labels.
func TestClaimsBy(t *testing.T) {
	label := guard.Members{By: guard.ByLabel, Label: "of", Kinds: []graph.Kind{"pod"}}
	name := guard.Members{By: guard.ByName, Delimiter: "-", Selector: "app"}
	for _, tc := range []struct {
		members       guard.Members
		object, value string
		match         bool
		want          string
		needs         bool
		reason        string
	}{
		{label, "pod/ns/p", "a", true, "[a]", true, "its label names a"},
		{label, "pod/ns/p", "", true, "[]", true, "an empty value names no holder"},
		{label, "pod/ns/p", "a", false, "[]", true, "it does not match"},
		{label, "volume/v", "a", true, "[]", false, "not of such a kind"},
		{name, "volume/a-v", "", true, "[a]", true, "its name names a, and its labels match"},
		{name, "volume/a-v", "", false, "[]", true, "they do not match"},
		{name, "volume/v", "", true, "[]", false, "it names no holder"},
		{guard.Members{By: guard.ByName, Delimiter: "-"}, "volume/a-v", "", false, "[a]", false, "labels say nothing of it"},
	} {
		p, err := New(byLabel(tc.members))
		if err != nil {
			t.Fatal(err)
		}
		o := object(t, tc.object)
		got := []string{}
		for c := range p.ClaimsBy(o, func(int) (string, bool) { return tc.value, tc.match }) {
			got = append(got, c.Name)
			if c.Fixed == tc.needs {
				t.Errorf("%s: fixed %t, though labels may change: %s", tc.object, c.Fixed, tc.reason)
			}
		}
		if fmt.Sprint(got) != tc.want || p.NeedsLabels(0, o) != tc.needs {
			t.Errorf("%s: %v, labels needed %t, want %s and %t: %s", tc.object, got, p.NeedsLabels(0, o), tc.want, tc.needs, tc.reason)
		}
	}
}
