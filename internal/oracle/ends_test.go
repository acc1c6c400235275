package oracle

import (
	"slices"
	"strings"
	"testing"

	"github.com/ownergraph/ownergraph/graph"
)

// scenario reads "objects | actions".
func scenario(t testing.TB, text string) ([]graph.Object, []Action) {
	t.Helper()
	objects, actions, found := strings.Cut(text, "|")
	if !found {
		t.Fatalf("%q has no |", text)
	}
	start, err := graph.Parse(objects)
	if err != nil {
		t.Fatal(err)
	}
	list, err := ParseActions(actions)
	if err != nil {
		t.Fatal(err)
	}
	return start, list
}

type endCase struct {
	scenario string
	ends     []string // all that are permitted
	quiet    []string // where every action waits; nil for the same
	reason   string
}

func checkEnds(t *testing.T, cfg Config, cases []endCase) {
	t.Helper()
	for _, tc := range cases {
		start, actions := scenario(t, tc.scenario)
		if got := Ends(start, actions, cfg); !slices.Equal(got, tc.ends) {
			t.Errorf("%s\n got  %q\n want %q: %s", tc.scenario, got, tc.ends, tc.reason)
		}
		if tc.quiet == nil {
			tc.quiet = tc.ends
		}
		if got := EndsQuiet(start, actions, cfg); !slices.Equal(got, tc.quiet) {
			t.Errorf("%s\n got  %q\n want %q when quiet: %s", tc.scenario, got, tc.quiet, tc.reason)
		}
	}
}

// The histories that the model of the rules found, by their number there. Some
// of them broke a rule on the way to an end that is permitted.
func TestEndsOfHoles(t *testing.T) {
	checkEnds(t, Config{}, []endCase{
		{"a*; b | orphan a; addref b->a", []string{"a~*; b", "a~*; b -> a"}, []string{"a~*; b -> a"},
			"H1: a reference made after the orphaning has ended stays"},
		{"a*; b | orphan a; addref b->a!; fg a", []string{"a~*", "a~*; b"}, []string{"a~*"},
			"H1: nor does that orphaning free a blocker: b lives only if it was orphaned in time"},
		{"a*; b; c -> a, b | fg a; strip a; bg b", []string{"a~*", "a~*; c -> a"}, nil,
			"H2: c dies only if its reference to a was trimmed while a waited"},
		{"a; b | fg a; orphan a; addref b->a!; fg a", []string{"", "b"}, []string{""},
			"H3: b lives only if a orphaned while b referred to it"},
		{"a; b -> a | dropref b->a; bg a", []string{"b"}, nil,
			"H4: an object without owners is never deleted"},
		{"a; b -> a | bg a; dropref b->a", []string{"", "b"}, []string{""},
			"H4: whoever comes first"},
		{"a; b -> a? | orphan a", []string{"b"}, nil,
			"H5: orphaning drops unresolved references by UID, and only then ends"},
		{"b -> a |", []string{""}, nil,
			"H6: an owner that no listing brings is absent in the end"},
		{"a; b -> a!; c* -> b! | fg a", []string{"a~[foreground]; b~[foreground] -> a!; c~* -> b!"}, nil,
			"H7: a foreground cascade waits for what blocks from far below"},
		{"a; b -> a!; c* | addref c->b!; fg a", []string{"a~[foreground]; b~[foreground] -> a!; c~* -> b!"}, nil,
			"H7: also for what refers to it only just before"},
		{"a; b -> a | fg a", []string{""}, nil,
			"H8: one cascade has one end"},
		{"a*; b; c -> a, b | fg a; strip a; touch c", []string{"a~*; b; c -> a, b", "a~*; b; c -> b"}, nil,
			"H9: a is trimmed while it waits, or not at all"},
	})
}

func TestEndsOfDecisions(t *testing.T) {
	checkEnds(t, Config{}, []endCase{
		{"a; b; d -> a, b | bg a; orphan b", []string{"", "d"}, []string{"d"},
			"two owners, two propagations: both, as long as the effects overlap"},
		{"a; b; d -> a, b | orphan b; bg a", []string{"", "d"}, []string{""},
			"the same the other way round; the last deletion decides where they do not"},
		{"a; b; d -> a, b | fg a; orphan b", []string{"", "d"}, []string{"d"},
			"foreground is no different"},
		{"a; b -> a | fg a; orphan a", []string{"", "b"}, []string{""},
			"one owner, deleted again with another setting before the first is through"},
		{"a*; b* -> a | fg a; orphan a", []string{"a~*; b*", "a~*; b~*"}, nil,
			"an orphaning frees what is being deleted as well"},
		{"a; b | orphan a; addref b->a", []string{"", "b"}, nil,
			"a late reference to an orphaning owner: dangling, or remembered"},
		{"a; b[orphan] -> a; c -> b | bg a", []string{"c"}, nil,
			"an object that carries a propagation finalizer keeps it"},
		{"a -> b!; b -> a! | fg a; fg b", []string{""}, nil,
			"a foreground ring is broken"},
		{"a -> b; b -> a |", []string{"a -> b; b -> a"}, nil,
			"a ring whose members own each other is solid"},
		{"a* -> b!; b* -> a! | fg a", []string{"a~* -> b!; b~[foreground]* -> a", "a~* -> b; b~* -> a", "a~[foreground]* -> b; b~* -> a!"}, nil,
			"any members may unblock; what is held then waits or not"},
		{"a -> a |", []string{"a -> a"}, nil,
			"an object that owns itself alone is kept"},
		{"a -> a, x |", []string{""}, nil,
			"a reference to itself is no owner"},
		{"a -> a! | fg a", []string{""}, nil,
			"a reference to itself does not block"},
		{"a; b -> a, c? | bg a", []string{"b -> a, c?", "b -> c?"}, nil,
			"unknown holds, whether the absent owner is trimmed or not"},
		{"a; b -> a!? | fg a", []string{"a~[foreground]; b -> a!?"}, nil,
			"an unresolved reference blocks, and is never a reason to delete"},
		{"a; b -> a^, c^; c | bg a", []string{"b -> a^, c^; c"}, nil,
			"an object with two controllers is held"},
		{`a/x@1; b -> a/x@1!, a/y@1! | fg a/x@1`, []string{"a/x@1~[foreground]; b -> a/x@1!, a/y@1!"}, nil,
			"so is one with a UID at two coordinates; it blocks all the same"},
		{`a/x@1; b -> a/y@1! | fg a/x@1`, []string{""}, nil,
			"wrong coordinates do not block, and their owner is absent"},
	})
}

func TestEndsOfStore(t *testing.T) {
	checkEnds(t, Config{}, []endCase{
		{"a; b -> a! |", []string{"a; b -> a!"}, nil, "nothing happens by itself"},
		{"|", []string{""}, nil, "an empty store"},
		{"a~; b -> a |", []string{""}, nil, "what is marked and held by nothing is gone from the start"},
		{"a*; b -> a | bg a", []string{"a~*; b -> a"}, nil, "an owner that is only held is solid"},
		{"a*; b -> a | bg a; finish a", []string{""}, nil, "until the last finalizer goes"},
		{"a; b* -> a! | fg a; strip a", []string{"b~* -> a!"}, nil, "a stripped owner vanishes, b dies of it"},
		{"a~30; b -> a | bg a", []string{"a~30; b -> a"}, nil, "a grace period holds"},
		{"a~30; b -> a | grace0 a", []string{""}, nil, "until an agent ends it"},
		{"a~30[foreground]; b -> a! | orphan a; grace0 a", []string{""}, nil, "while it is pending, the propagation stays"},
		{"a; b -> a | bg a; recreate a", []string{"a'"}, nil, "the next incarnation is another object"},
		{"a; b -> a | bg a; recreate a; addref b->a'", []string{"a'", "a'; b -> a'"}, []string{"a'"}, "which may own b in time"},
		{"a; b -> a | recreate a", []string{"a; b -> a"}, nil, "a name is taken while its object lives"},
		{"a; b | fg a; addref b->a; recreate a", []string{"", "a'"}, []string{"a'"}, "and may stay so for longer than is good for b"},
	})
}

// J1: a write may land after other objects have changed.
func TestEndsLate(t *testing.T) {
	checkEnds(t, Config{}, []endCase{
		{"a*; b* | fg a; addref b->a!", []string{"a~*; b* -> a!", "a~*; b~* -> a!", "a~[foreground]*; b~* -> a!"}, []string{"a~*; b* -> a!"},
			"a's end was judged before b referred to it, and lands after b has died of the waiting a"},
		{"a*; b -> a | fg a; recreate b", []string{"a~*", "a~*; b -> a", "a~*; b'"}, []string{"a~*; b -> a", "a~*; b'"},
			"no write is under way when all is quiet"},
		{"a; b -> a | fg a; orphan a; recreate b", []string{"", "b", "b'"}, []string{"b'"},
			"b's deletion was judged while a waited, and lands when recreate has found the name taken"},
	})
}
