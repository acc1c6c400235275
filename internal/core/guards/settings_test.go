package guards

import (
	"errors"
	"strings"
	"testing"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/guard"
	"github.com/ownergraph/ownergraph/internal/core/grace"
)

// TestSettingsErrors: a wrong setting gets an error that names its field.
func TestSettingsErrors(t *testing.T) {
	less := -1
	for _, c := range []struct {
		guard  guard.Guard
		want   string
		reason string
	}{
		{guard.Guard{Always: true}, "Guards[0].Kinds: no condition selects the roots", "every object would be a root"},
		{guard.Guard{Kinds: []graph.Kind{""}, Always: true}, "Guards[0].Kinds: an empty kind", "there is none"},
		{guard.Guard{Names: []string{""}, Always: true}, "Guards[0].Names: an empty name", "no object has it"},
		{guard.Guard{Names: []string{"r"}, Above: &less}, "Guards[0].Above: negative", "no cascade is smaller"},
		{guard.Guard{Names: []string{"r"}}, "Guards[0].Always: the guard refuses nothing", "it would cost and do nothing"},
	} {
		if _, err := newMachine([]guard.Guard{c.guard}, grace.Periods{}); !errors.Is(err, graph.ErrInvalid) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("newMachine: %v, want %q: %s", err, c.want, c.reason)
		}
	}
	for _, c := range []struct {
		rule   guard.Protection
		want   string
		reason string
	}{
		{guard.Protection{}, "Protect[0].Kinds: no condition", "it would protect everything"},
		{guard.Protection{Kinds: []graph.Kind{""}}, "Protect[0].Kinds: an empty kind", "there is none"},
		{guard.Protection{Names: []string{""}}, "Protect[0].Names: an empty name", "no object has it"},
		{guard.Protection{Selector: "a=b=c"}, "Protect[0].Selector", "no selector"},
		{guard.Protection{Selector: "-/x"}, "Protect[0].Selector", "no label can have the name"},
	} {
		if _, err := newRules([]guard.Protection{c.rule}); !errors.Is(err, graph.ErrInvalid) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("newRules: %v, want %q: %s", err, c.want, c.reason)
		}
	}
}

// TestProtects: an object is protected by each rule that selects it, and by its finalizer.
func TestProtects(t *testing.T) {
	rules, err := newRules([]guard.Protection{
		{Kinds: []graph.Kind{"k"}, Scopes: []string{""}}, {Name: "n", Names: []string{"x"}, Where: func(o graph.Object) bool { return o.Scope == "s" }},
		{Kinds: []graph.Kind{"l"}, Selector: "keep"},
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ line, want, reason string }{
		{"k/a", "Protect[0]", "kind and scope"}, {"k/s/a", "", "another scope"}, {"m/s/x", "n", "name and function"}, {"m/x", "", "the function says no"},
		{"m/y[" + graph.FinalizerProtect + "]", graph.FinalizerProtect, "its own mark"}, {"l/a", "", "labels are no content"},
	} {
		o, err := graph.ParseObject(c.line)
		if err != nil {
			t.Fatal(err)
		}
		if got := rules.Protects(&o); got != c.want {
			t.Errorf("%s: %q, want %q: %s", c.line, got, c.want, c.reason)
		}
		for _, marked := range []bool{false, true} {
			o.Deleting = marked
			if got := rules.WithholdsMark(&o); got != (marked && c.want != "") {
				t.Errorf("%s, marked %t: withholds its mark %t: %s", c.line, marked, got, c.reason)
			}
		}
	}
}

// TestMayWithholdMark: without labels a rule with a selector counts for each object that its other
// conditions select, so a mark rather counts for no dependent.
func TestMayWithholdMark(t *testing.T) {
	rules, err := newRules([]guard.Protection{{Kinds: []graph.Kind{"a"}, Selector: "keep"}, {Names: []string{"kept"}}})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		object string
		want   bool
		reason string
	}{
		{"a~[foreground]", true, "the labels may select it"},
		{"a", false, "it has no mark"},
		{"b~[foreground]", false, "no rule selects its kind"},
		{"b/kept~[foreground]", true, "a rule without labels selects it"},
		{"b~[foreground, ownergraph.github.io/hold]", true, "a guard withholds it"},
	} {
		o, err := graph.ParseObject(c.object)
		if err != nil {
			t.Fatal(err)
		}
		if got := rules.MayWithholdMark(&o); got != c.want {
			t.Errorf("%s: %t, want %t: %s", c.object, got, c.want, c.reason)
		}
	}
}
