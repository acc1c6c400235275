package plan

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/guard"
)

// tenants is a sweep with a phase for definitions, as the tenant proposal has it.
func tenants() guard.Sweep {
	return guard.Sweep{
		Finalizer: "x.io/tenant", Holder: "tenant",
		Members: []guard.Members{
			{By: guard.ByName, Delimiter: "-"},
			{By: guard.ByName, AfterText: ".", Delimiter: "-", Kinds: []graph.Kind{"definition"}},
			{By: guard.ByScope, Delimiter: "-"},
			{By: guard.ByKind, Delimiter: "-"},
		},
		Phases: []guard.Phase{{Name: "definitions", Kinds: []graph.Kind{"definition"}, Propagation: graph.Foreground}},
	}
}

func TestNewPlanRefuses(t *testing.T) {
	named := func(graph.Object) string { return "" }
	all := func(change func(s *guard.Sweep)) guard.Sweep {
		s := tenants()
		change(&s)
		return s
	}
	members := func(m guard.Members) guard.Sweep {
		return all(func(s *guard.Sweep) { s.Members, s.Phases = []guard.Members{m}, nil })
	}
	phases := func(p ...guard.Phase) guard.Sweep { return all(func(s *guard.Sweep) { s.Phases = p }) }
	less := int64(-1)
	for _, tc := range []struct {
		sweep  guard.Sweep
		want   string // the fields in the error, in order
		reason string
	}{
		{all(func(s *guard.Sweep) { s.Finalizer = "" }), "Finalizer: empty", "nothing would hold the holder"},
		{all(func(s *guard.Sweep) { s.Finalizer = "orphan" }), "Finalizer: it is a propagation's", "the engine's work"},
		{all(func(s *guard.Sweep) { s.Holder = "" }), "Holder: empty", "no object has members"},
		{all(func(s *guard.Sweep) { s.Members, s.Phases = nil, nil }), "Members: none", "nothing would be swept"},
		{members(guard.Members{}), "Members[0].By: unset is no way", "unset is no way"},
		{members(guard.Members{By: 99, Delimiter: "-"}), "Members[0].By: by(99) is no way|Members[0].Delimiter: nothing is cut", "there is none like it"},
		{members(guard.Members{By: guard.ByName}), "Members[0].Delimiter: empty", "111111 would take the objects of 1111112"},
		{members(guard.Members{By: guard.ByKind}), "Members[0].Delimiter: empty", "the same"},
		{members(guard.Members{By: guard.ByOwner, Delimiter: "-"}), "Members[0].Delimiter: nothing is cut by owner", "it means nothing"},
		{members(guard.Members{By: guard.ByOwner, AfterText: "-"}), "Members[0].Delimiter: nothing is cut by owner|Members[0].Delimiter: empty, with", "the same"},
		{members(guard.Members{By: guard.ByOwner, TrimSuffix: "-"}), "Members[0].Delimiter: nothing is cut by owner|Members[0].Delimiter: empty, with|Members[0].TrimSuffix: it cannot go without", "the same"},
		{members(guard.Members{By: guard.ByOwner, Suffix: true}), "Members[0].Delimiter: nothing is cut by owner|Members[0].Delimiter: empty, with", "the same"},
		{members(guard.Members{By: guard.ByScope, TrimSuffix: "x", Suffix: true}), "Members[0].Delimiter: empty, with", "a scope as a whole has no end"},
		{members(guard.Members{By: guard.ByName, Delimiter: "-", Suffix: true, AfterText: "."}), "Members[0].AfterText: it cannot go with Suffix", "which comes first?"},
		{members(guard.Members{By: guard.ByName, Delimiter: "-", TrimSuffix: "."}), "Members[0].TrimSuffix: it cannot go without Suffix", "the same"},
		{members(guard.Members{By: guard.ByFunc}), "Members[0].Named: it goes with by func", "it could not be called"},
		{members(guard.Members{By: guard.ByOwner, Named: named}), "Members[0].Named: it goes with by func", "it would never be called"},
		{members(guard.Members{By: guard.ByScope, Global: true}), "Members[0].Global: it cannot go with by scope", "nothing could be both"},
		{members(guard.Members{By: guard.ByOwner, Kinds: []graph.Kind{""}}), "Members[0].Kinds: an empty kind", "there is none"},
		{phases(guard.Phase{Kinds: []graph.Kind{""}}), "Phases[0].Kinds: an empty kind", "there is none"},
		{phases(guard.Phase{Propagation: 9}), "Phases[0].Propagation: propagation(9) means nothing", "every deletion would be refused"},
		{phases(guard.Phase{GraceSeconds: &less}), "Phases[0].GraceSeconds: negative", "the same"},
		{phases(guard.Phase{After: true}), "Phases[0].After: no phase is before it", "it waits for nothing"},
		{phases(guard.Phase{}, guard.Phase{Kinds: []graph.Kind{"a"}}), "Phases[1]: it matches nothing: Phases[0] takes all of it", "the first takes everything"},
		{phases(guard.Phase{Kinds: []graph.Kind{"a", "b"}}, guard.Phase{Kinds: []graph.Kind{"b"}, Where: func(graph.Object) bool { return true }}),
			"Phases[1]: it matches nothing: Phases[0] takes all of it", "the first takes the kind"},
		{all(func(s *guard.Sweep) {
			s.Members = []guard.Members{{By: guard.ByOwner, Kinds: []graph.Kind{"a"}}}
			s.Phases = []guard.Phase{{Kinds: []graph.Kind{"b"}}}
		}), "Phases[0].Kinds: it matches nothing: no member", "no b is a member"},
		{guard.Sweep{}, "Finalizer: empty|Holder: empty|Members: none", "all that is wrong, in order"},
	} {
		p, err := New(tc.sweep)
		if p != nil || !errors.Is(err, graph.ErrInvalid) {
			t.Errorf("NewPlan: %v, %v, want %q: %s", p, err, tc.want, tc.reason)
			continue
		}
		lines, want := strings.Split(err.Error(), "\n"), strings.Split(tc.want, "|")
		if len(lines) != len(want) || !slices.EqualFunc(lines, want, strings.Contains) {
			t.Errorf("NewPlan: %v, want %q: %s", err, tc.want, tc.reason)
		}
	}
	if _, err := New(tenants()); err != nil {
		t.Errorf("NewPlan: %v: nothing is wrong with it", err)
	}
}

// TestPlanKeepsItsSweep: a later change by the caller changes no plan.
func TestPlanKeepsItsSweep(t *testing.T) {
	s := tenants()
	p := mustPlan(t, s)
	s.Members[1].Kinds[0], s.Phases[0].Kinds[0], s.Members[0].By = "pod", "pod", guard.ByOwner
	if got := fmt.Sprint(p.Kinds(), p.Sweep().Members[0].By); got != "[definition tenant] name" {
		t.Errorf("the plan has %s: the sweep's slices are the caller's", got)
	}
}

func mustPlan(t interface {
	Helper()
	Fatal(args ...any)
}, s guard.Sweep) *Plan {
	t.Helper()
	p, err := New(s)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func object(t testing.TB, line string) graph.Object {
	t.Helper()
	o, err := graph.ParseObject(line)
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// member reports whether the object belongs to the holder. It does not use labels.
func member(p *Plan, holder, o graph.Object) bool {
	for c := range p.Claims(o) {
		if p.IsHolder(holder) && !c.Shadow && p.Names(holder, o, c) {
			return true
		}
	}
	return false
}

// contests reports whether a living holder has a claim on the object, by a shadow too.
func contests(p *Plan, holder, o graph.Object) bool {
	for c := range p.Claims(o) {
		if p.IsHolder(holder) && !holder.Deleting && p.Names(holder, o, c) {
			return true
		}
	}
	return false
}

func TestMember(t *testing.T) {
	suffix := tenants()
	suffix.Members = []guard.Members{{By: guard.ByName, Suffix: true, Delimiter: ".", TrimSuffix: ".example.org"}}
	owned := tenants()
	owned.Members = []guard.Members{{By: guard.ByOwner, Where: func(h, o graph.Object) bool { return o.Generation <= h.Generation }}}
	named := tenants()
	named.Phases = nil
	named.Members = []guard.Members{{By: guard.ByFunc, Kinds: []graph.Kind{"pod"}, Named: func(o graph.Object) string {
		return strings.ToUpper(o.Name)
	}}}
	scoped := tenants()
	scoped.Members = []guard.Members{{By: guard.ByScope}}
	nested := tenants()
	nested.Phases, nested.Members = nil, []guard.Members{{By: guard.ByName, Delimiter: "-", Kinds: []graph.Kind{"tenant"}}}
	global := tenants()
	global.Phases, global.Members = nil, []guard.Members{{By: guard.ByName, Delimiter: "-", Global: true}}
	except := tenants()
	except.Except = func(o graph.Object) bool { return o.Name == "111111-keep" }
	for _, tc := range []struct {
		sweep          guard.Sweep
		holder, object string
		want           bool
		reason         string
	}{
		{tenants(), "tenant/111111", "volume/111111-data", true, "its name begins with the holder's and the delimiter"},
		{tenants(), "tenant/111111", "volume/1111112-data", false, "that is the name of another"},
		{tenants(), "tenant/1111112", "volume/111111-data", false, "and the other way round"},
		{tenants(), "tenant/111111", "volume/111111", false, "nothing parts it"},
		{tenants(), "tenant/111111", "volume/111111-", true, "nothing follows, and the delimiter is there"},
		{tenants(), "tenant/111111", "volume/x-111111-", false, "it stands elsewhere"},
		{tenants(), "tenant/111111", "volume/-111111-x", false, "it begins with no name"},
		{tenants(), "tenant/111111", "pod/111111-web/a", true, "its scope does"},
		{tenants(), "tenant/111111", "pod/1111112-web/a", false, "its scope is another's"},
		{tenants(), "tenant/111111", "definition/widgets.111111-x.org", true, "its group does"},
		{tenants(), "tenant/111111", "volume/widgets.111111-x.org", false, "only a definition has a group there"},
		{tenants(), "tenant/111111", `"111111-x.org/Widget"/w`, true, "its kind's group does"},
		{tenants(), "tenant/111111", "tenant/111111", false, "it is the holder"},
		{tenants(), "tenant/a", "tenant/a-b", false, "holders are no members"},
		{nested, "tenant/a", "tenant/a-b", true, "unless their kind is named"},
		{tenants(), "team/111111", "volume/111111-data", false, "a team is no holder"},
		{suffix, "tenant/red", "definition/widgets.red.example.org", true, "its group ends so"},
		{suffix, "tenant/red", "definition/widgets.infrared.example.org", false, "the delimiter is not there"},
		{suffix, "tenant/red", "definition/widgets.red.example.com", false, "the tail is another"},
		{suffix, "tenant/red", "definition/red.example.org", false, "nothing parts it from the rest"},
		{owned, "tenant/red@u%1/0", "pod/a%1/0 -> tenant/red@u", true, "it refers to exactly this one"},
		{owned, "tenant/red@u%1/0", "pod/a%2/0 -> tenant/red@u", false, "Where says no"},
		{owned, "tenant/red@u", "pod/a -> tenant/red@v", false, "that was a former one"},
		{owned, "tenant/red@u", "pod/a -> tenant/red@u?", false, "the owner is not resolved"},
		{named, "tenant/RED", "pod/red", true, "the function says so"},
		{named, "tenant/RED", "volume/red", false, "it is no pod"},
		{scoped, "tenant/shop", "pod/shop/a", true, "it is in the scope"},
		{scoped, "tenant/shop", "pod/shop-2/a", false, "it is in another one"},
		{scoped, "tenant/shop", "volume/shop", false, "it is in none"},
		{scoped, "tenant/x/shop", "pod/shop/a", false, "a holder in a scope has no member elsewhere"},
		{global, "tenant/a", "volume/a-x", true, "it has no scope"},
		{global, "tenant/a", "pod/system/a-x", false, "it has one"},
		{except, "tenant/111111", "volume/111111-keep", false, "it is excepted"},
		{except, "tenant/111111", "volume/111111-keeper", true, "it is not"},
	} {
		p := mustPlan(t, tc.sweep)
		if got := member(p, object(t, tc.holder), object(t, tc.object)); got != tc.want {
			t.Errorf("%s has the member %s: %t, want %t: %s", tc.holder, tc.object, got, tc.want, tc.reason)
		}
	}
}

func TestContests(t *testing.T) {
	p := mustPlan(t, tenants())
	for _, tc := range []struct {
		holder, object string
		want           bool
		reason         string
	}{
		{"tenant/a", "pod/a-b-c", true, "it is its member"},
		{"tenant/a-b", "pod/a-b-c", true, "a reader may read it so"},
		{"tenant/a-b~", "pod/a-b-c", false, "it is being deleted"},
		{"tenant/a-c", "pod/a-b-c", false, "no reader can read it so"},
		{"team/a-b", "pod/a-b-c", false, "a team has no member nothing"},
	} {
		if got := contests(p, object(t, tc.holder), object(t, tc.object)); got != tc.want {
			t.Errorf("%s contests %s: %t, want %t: %s", tc.holder, tc.object, got, tc.want, tc.reason)
		}
	}
}

func TestFit(t *testing.T) {
	double := tenants()
	double.Members = []guard.Members{{By: guard.ByName, Delimiter: "--"}}
	suffix := tenants()
	suffix.Members = []guard.Members{{By: guard.ByName, Suffix: true, Delimiter: "--"}}
	self := tenants()
	self.Phases = nil
	self.Members = []guard.Members{{By: guard.ByFunc, Kinds: []graph.Kind{"tenant", "pod"}, Named: func(o graph.Object) string { return o.Name }}}
	excepted := self
	excepted.Except = func(o graph.Object) bool { return o.Kind == "tenant" }
	where := self
	where.Members = []guard.Members{self.Members[0]}
	where.Members[0].Where = func(h, o graph.Object) bool { return o.Kind != h.Kind }
	for _, tc := range []struct {
		sweep  guard.Sweep
		holder string
		want   string
		reason string
	}{
		{tenants(), "tenant/111111", "", "it fits"},
		{tenants(), "tenant/a-b", "delimiter", "the objects of a-b could be those of a"},
		{tenants(), "tenant/a-", "delimiter", "the same"},
		{double, "tenant/a-b", "", "one dash is no delimiter"},
		{double, "tenant/a-", "delimiter", "a---b could be of a, or of a-"},
		{double, "tenant/-a", "", "-a--b can only be of -a"},
		{suffix, "tenant/-a", "delimiter", "b---a could be of a, or of -a"},
		{suffix, "tenant/a-", "", "b--a- can only be of a-"},
		{self, "tenant/a", "member of itself", "the function takes the tenant too"},
		{excepted, "tenant/a", "", "but tenants are excepted"},
		{where, "tenant/a", "", "or Where says no"},
	} {
		err := mustPlan(t, tc.sweep).Fit(object(t, tc.holder))
		if tc.want == "" && err != nil || tc.want != "" && (!errors.Is(err, graph.ErrInvalid) || !strings.Contains(err.Error(), tc.want)) {
			t.Errorf("Fit(%s): %v, want %q: %s", tc.holder, err, tc.want, tc.reason)
		}
	}
}

func TestPhases(t *testing.T) {
	s := tenants()
	s.Phases = append(s.Phases, guard.Phase{Kinds: []graph.Kind{"pod"}, Where: func(o graph.Object) bool { return o.Name != "late" }}, guard.Phase{After: true, Kinds: []graph.Kind{"volume"}})
	p := mustPlan(t, s)
	var got []int
	for _, line := range []string{"definition/a.b-c", "pod/a/x", "pod/a/late", "volume/v"} {
		got = append(got, p.PhaseOf(object(t, line)))
	}
	if fmt.Sprint(got) != "[0 1 3 2]" || p.Phases() != 4 || !p.Phase(2).After || p.Phase(3).Kinds != nil {
		t.Errorf("phases %v of %d: each in the first that takes it, the rest in the last", got, p.Phases())
	}
	for _, tc := range []struct {
		left   []int
		want   int
		reason string
	}{
		{[]int{0, 0, 0, 0}, 4, "nothing is left"},
		{[]int{1, 0, 0, 0}, 2, "volumes wait for definitions"},
		{[]int{0, 2, 1, 1}, 2, "volumes wait for pods, and so does the last phase"},
		{[]int{0, 0, 5, 5}, 4, "only pods and definitions have volumes"},
	} {
		if got := p.Open(tc.left); got != tc.want {
			t.Errorf("Open(%v) = %d, want %d: %s", tc.left, got, tc.want, tc.reason)
		}
	}
}
