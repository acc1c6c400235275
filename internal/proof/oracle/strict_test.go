package oracle

import (
	"slices"
	"testing"
)

// TestStrictEnds compares the ends on a store of level 3 with those on a store of level 2.
// No end is left if a store of level 3 has to refuse one of the actions.
func TestStrictEnds(t *testing.T) {
	for _, tc := range []struct {
		scenario      string
		loose, strict []string
		reason        string
	}{
		{"a; b | fg a; addref b->a!", []string{""}, nil, "the owner waits, or it is gone"},
		{"a; b | fg a; addref b->a", []string{""}, nil, "a reference that does not block is refused too"},
		{"a*; b | orphan a; addref b->a", []string{"a~*; b", "a~*; b -> a"}, []string{"a~*; b -> a"},
			"the store accepted the reference, so the orphaning had ended"},
		{"a*; b | bg a; addref b->a", []string{"a~*; b -> a"}, []string{"a~*; b -> a"}, "an owner with a background mark takes dependents"},
		{"b | addref b->a", []string{""}, nil, "the owner does not exist"},
		{"a@1; b | addref b->a@2", []string{"a@1"}, nil, "another object is at the place"},
		{"a; b | addref b->a?; bg a", []string{"b -> a?"}, []string{"b -> a?"}, "an unresolved reference is not judged"},
		{"b | create c -> a", []string{"b"}, nil, "a creation is judged too"},
		{"a; b | create b -> x", []string{"a; b"}, []string{"a; b"}, "the name is taken, so nothing is written"},
		{"a; b | addref c->x", []string{"a; b"}, []string{"a; b"}, "c does not exist, so nothing is written"},
		{"a~[foreground]; b* -> a! | flip b->a", []string{"b~* -> a"}, []string{"b~* -> a"}, "a dependent may stop to block a waiting owner"},
		{"a~[foreground]; b* -> a! | flip b->a; flip b->a", []string{"a~[foreground]; b~* -> a!", "b~* -> a!"}, nil, "it cannot begin to block a waiting owner, or one that is gone"},
		{"a*; b -> a | fg a; flip b->a", []string{"a~*", "a~*; b -> a!"}, []string{"a~*", "a~*; b -> a!"},
			"the flip came after the end of b, or after that of the foreground deletion"},
	} {
		start, actions := scenario(t, tc.scenario)
		if got := Ends(start, actions, Config{}); !slices.Equal(got, tc.loose) {
			t.Errorf("%s: ends %q, want %q at level 2: %s", tc.scenario, got, tc.loose, tc.reason)
		}
		if got := Ends(start, actions, Config{Strict: true}); !slices.Equal(got, tc.strict) {
			t.Errorf("%s: ends %q, want %q at level 3: %s", tc.scenario, got, tc.strict, tc.reason)
		}
	}
}
