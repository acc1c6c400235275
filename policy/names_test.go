package policy_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/ownergraph/ownergraph/policy"
)

// names lists the text of each value of an enumeration, up to the first value without a
// name.
func names(text func(i uint8) string) (out []string) {
	for i := range uint8(255) {
		s := text(i)
		if strings.Contains(s, "(") {
			return out
		}
		out = append(out, s)
	}
	return out
}

// TestNames: each value has a name of its own, the zero value is "unset", and an unknown
// value prints its number.
func TestNames(t *testing.T) {
	for _, c := range []struct {
		enum string
		text func(i uint8) string
		last uint8
	}{
		{"action", func(i uint8) string { return policy.Action(i).String() }, uint8(policy.Attach)},
		{"reason", func(i uint8) string { return policy.Reason(i).String() }, uint8(policy.GraceNeedsForeground)},
	} {
		all := names(c.text)
		if len(all) != int(c.last)+1 {
			t.Errorf("%d %ss have a name, want %d: after %q", len(all), c.enum, c.last+1, all)
		}
		seen := map[string]bool{"": true}
		for _, s := range all {
			if seen[s] {
				t.Errorf("%s: %q is there twice, or empty", c.enum, s)
			}
			seen[s] = true
		}
		if all[0] != "unset" {
			t.Errorf("%s 0 is %q", c.enum, all[0])
		}
		if got, want := c.text(c.last+1), fmt.Sprintf("%s(%d)", c.enum, c.last+1); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// TestHeld: the engine reports objects with these reasons, in the order of the
// enumeration.
func TestHeld(t *testing.T) {
	const want = `owned by itself alone
the owner's kind has to be listed
a read contradicts the watch
dependents hold it
finalizers hold it
its grace period has to end
its controller has to acknowledge the deletion
a sick kind holds the fence
it is not known whether an owner exists
the object is flawed
it and its owners own each other
its kind is not served
its kind is sick
the store refused the write
a finalizer's handler failed
other writers are faster
its write is undone again and again
observing only
the store promises too little
another live object has its UID
its members are not gone
it was deleted before its sweep could guard it
its members cannot be told from the members of others
its sweep names a kind that is not served
another object has a claim on it
its members by label have to be selected
a kind has not passed the fence in time
writes to it fail
it is protected
its protection is not known
a guard has to judge its deletion
its deletion needs an approval
it carries the finalizers of a guard that is not in the settings
it may not own others, so no guard can judge it
objects of an earlier phase go first
its cascade has more objects than the brake allows
a user refused the cascade
kinds have to be listed before the brake counts its cascade
the store has put the call off
the store does not begin a fence
the judgement of its deletion fails
the engine is paused
it is in the share of another collector
another object restricts it
`
	var got strings.Builder
	for r := range policy.Reason(255) {
		if r.Held() {
			fmt.Fprintln(&got, r)
		}
	}
	if got.String() != want {
		t.Errorf("got\n%swant\n%s", got.String(), want)
	}
}

// TestWrites: these actions change the store.
func TestWrites(t *testing.T) {
	var got []string
	for a := range policy.Action(255) {
		if a.Writes() {
			got = append(got, a.String())
		}
	}
	if want := "[trim orphan unblock delete release attach]"; fmt.Sprint(got) != want {
		t.Errorf("%s, want %s", got, want)
	}
}
