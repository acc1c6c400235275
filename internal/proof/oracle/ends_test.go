package oracle

import (
	"slices"
	"strings"
	"testing"

	"github.com/ownergraph/ownergraph/graph"
)

// scenario parses "objects | actions".
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
	ends     []string // all permitted ends
	quiet    []string // the ends with waiting actions; nil stands for ends
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

// TestEndsOfHoles has the histories that the model of the rules found, with their
// numbers. Some of them broke a rule on the path to a permitted end.
func TestEndsOfHoles(t *testing.T) {
	checkEnds(t, Config{}, []endCase{
		{`b -> a/b@"b", c; c | fg c`, []string{""}, nil,
			"T4: a reference to the object's own UID is no other reference, so the last one does not go"},
		{"a*; b | orphan a; addref b->a", []string{"a~*; b", "a~*; b -> a"}, []string{"a~*; b -> a"},
			"Y1: a reference stays if a user adds it after the end of the orphaning"},
		{"a*; b | orphan a; addref b->a!; fg a", []string{"a~*", "a~*; b"}, []string{"a~*"},
			"Y1: that orphaning frees no later blocker; b lives only if the orphaning saw its reference"},
		{"a*; b; c -> a, b | fg a; strip a; bg b", []string{"a~*", "a~*; c -> a"}, nil,
			"Y2: c dies only if its reference to a was trimmed while a waited"},
		{"a; b | fg a; orphan a; addref b->a!; fg a", []string{"", "b"}, []string{""},
			"Y3: b lives only if a orphaned while b referred to it"},
		{"a; b -> a | dropref b->a; bg a", []string{"b"}, nil,
			"Y4: an object without owners is never deleted"},
		{"a; b -> a | bg a; dropref b->a", []string{"", "b"}, []string{""},
			"Y4: the user or the collector comes first"},
		{"a; b -> a? | orphan a", []string{"b"}, nil,
			"Y5: orphaning drops unresolved references by UID, and only then ends"},
		{"b -> a |", []string{""}, nil,
			"Y6: an owner without an object is absent in the end"},
		{"a; b -> a!; c* -> b! | fg a", []string{"a~[foreground]; b~[foreground] -> a!; c~* -> b!"}, nil,
			"Y7: a foreground cascade waits for blockers at every depth"},
		{"a; b -> a!; c* | addref c->b!; fg a", []string{"a~[foreground]; b~[foreground] -> a!; c~* -> b!"}, nil,
			"Y7: it also waits for a blocker that came just before the deletion"},
		{"a; b -> a | fg a", []string{""}, nil,
			"Y8: one cascade has one end"},
		{"a*; b; c -> a, b | fg a; strip a; touch c", []string{"a~*; b; c -> a, b", "a~*; b; c -> b"}, nil,
			"Y9: the collector trims a while a waits, or never"},
	})
}

func TestEndsOfDecisions(t *testing.T) {
	checkEnds(t, Config{}, []endCase{
		{"a; b; d -> a, b | bg a; orphan b", []string{"", "d"}, []string{"d"},
			"two owners with two propagations: both ends are permitted if the effects overlap"},
		{"a; b; d -> a, b | orphan b; bg a", []string{"", "d"}, []string{""},
			"the other order: without overlap the last deletion decides"},
		{"a; b; d -> a, b | fg a; orphan b", []string{"", "d"}, []string{"d"},
			"a foreground deletion overlaps, too"},
		{"a; b -> a | fg a; orphan a", []string{"", "b"}, []string{""},
			"a second deletion of one owner comes before the end of the first"},
		{"a*; b* -> a | fg a; orphan a", []string{"a~*; b*", "a~*; b~*"}, nil,
			"an orphaning frees marked dependents, too"},
		{"a; b | orphan a; addref b->a", []string{"", "b"}, nil,
			"a late reference to an orphaning owner is dangling or remembered"},
		{"a; b[orphan] -> a; c -> b | bg a", []string{"c"}, nil,
			"an object that carries a propagation finalizer keeps it"},
		{"a -> b!; b -> a! | fg a; fg b", []string{""}, nil,
			"a foreground ring is broken"},
		{"a -> b; b -> a |", []string{"a -> b; b -> a"}, nil,
			"a ring whose members own each other is solid"},
		{"a* -> b!; b* -> a! | fg a", []string{"a~* -> b!; b~[foreground]* -> a", "a~* -> b; b~* -> a", "a~[foreground]* -> b; b~* -> a!"}, nil,
			"each member may unblock, so that held members wait or go on"},
		{"a -> a |", []string{"a -> a"}, nil,
			"an object that owns itself alone is kept"},
		{"a -> a, x |", []string{""}, nil,
			"a reference to itself does not count as owner"},
		{"a -> a! | fg a", []string{""}, nil,
			"a reference to itself does not block"},
		{"a; b -> a, c? | bg a", []string{"b -> a, c?", "b -> c?"}, nil,
			"unknown holds, with or without the absent reference"},
		{"a; b -> a!? | fg a", []string{"a~[foreground]; b -> a!?"}, nil,
			"an unresolved reference blocks, and never justifies a deletion"},
		{"a; b -> a^, c^; c | bg a", []string{"b -> a^, c^; c"}, nil,
			"an object with two controllers is held"},
		{`a/x@1; b -> a/x@1!, a/y@1! | fg a/x@1`, []string{"a/x@1~[foreground]; b -> a/x@1!, a/y@1!"}, nil,
			"an object with a UID at two coordinates is held, and its references block"},
		{`a/x@1; b -> a/y@1! | fg a/x@1`, []string{""}, nil,
			"wrong coordinates do not block, and their owner is absent"},
	})
}

func TestEndsOfStore(t *testing.T) {
	checkEnds(t, Config{}, []endCase{
		{"a; b -> a! |", []string{"a; b -> a!"}, nil, "without an action the store stays the same"},
		{"|", []string{""}, nil, "an empty store stays empty"},
		{"a~; b -> a |", []string{""}, nil, "a marked object without finalizers is gone from the start"},
		{"a*; b -> a | bg a", []string{"a~*; b -> a"}, nil, "a marked owner with another finalizer is solid"},
		{"a*; b -> a | bg a; finish a", []string{""}, nil, "the owner is absent after its last finalizer"},
		{"a; b* -> a! | fg a; strip a", []string{"b~* -> a!"}, nil, "a stripped owner is gone, and b is deleted because of it"},
		{"a~30; b -> a | bg a", []string{"a~30; b -> a"}, nil, "an object in its grace period is present"},
		{"a~30; b -> a | grace0 a", []string{""}, nil, "an object goes at the end of its grace period"},
		{"a~30[foreground]; b -> a! | orphan a; grace0 a", []string{""}, nil, "during the grace period the propagation stays"},
		{"a; b -> a | bg a; recreate a", []string{"a'"}, nil, "the next incarnation is another object"},
		{"a; b -> a | bg a; recreate a; addref b->a'", []string{"a'", "a'; b -> a'"}, []string{"a'"}, "the next incarnation may own b before b is deleted"},
		{"a; b -> a | recreate a", []string{"a; b -> a"}, nil, "a name is taken while its object lives"},
		{"a; b | fg a; addref b->a; recreate a", []string{"", "a'"}, []string{"a'"}, "the name may be taken until b is deleted"},
	})
}

// TestEndsLate checks J1: a write may complete after a change of other objects.
func TestEndsLate(t *testing.T) {
	checkEnds(t, Config{}, []endCase{
		{"a*; b* | fg a; addref b->a!", []string{"a~*; b* -> a!", "a~*; b~* -> a!", "a~[foreground]*; b~* -> a!"}, []string{"a~*; b* -> a!"},
			"the collector judged a's end before b's reference, and writes it after b's deletion"},
		{"a*; b -> a | fg a; recreate b", []string{"a~*", "a~*; b -> a", "a~*; b'"}, []string{"a~*; b -> a", "a~*; b'"},
			"a quiet state has no write under way"},
		{"a; b -> a | fg a; orphan a; recreate b", []string{"", "b", "b'"}, []string{"b'"},
			"the collector judged b's deletion while a waited, and writes it after recreate"},
	})
}
