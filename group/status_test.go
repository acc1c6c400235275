package group

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/ownergraph/ownergraph/share"
)

// TestStatus: the words for a person, the ages, and the UIDs without a working member.
func TestStatus(t *testing.T) {
	b := newBench()
	if s := b.m.status(b.now); s.String() != `no member "a" (out): not begun` || s.Gap != share.All() || s.Members != nil || s.Share != share.None() {
		t.Errorf("before a look: %v, gap %v", s, s.Gap)
	}
	b.step("ready")
	if s := b.m.status(b.now); s.String() != `no member "a" (joining): the first renewal has no answer yet` {
		t.Errorf("before the first renewal: %v", s)
	}
	members := []Member{{"c", "3", 8 * time.Second}, {"b", "2", 8*time.Second + 1}, {"a", "1", -1}}
	b.m.done(b.now, members, nil)
	if s := b.m.status(b.now); s.String() != `no member "a" (joining): the other members give its part up with their next renewal` || s.Gap != share.All() {
		t.Errorf("after the first renewal: %v, gap %v", s, s.Gap)
	}
	b.step("4s")
	b.m.done(b.now, members, nil)
	if members[0].Name != "c" {
		t.Error("the slice of the coordinator is changed")
	}
	b.step("1s")
	s := b.m.status(b.now)
	sets, err := share.Divide([]string{"a", "b", "c"})
	if err != nil {
		t.Fatal(err)
	}
	want := []MemberStatus{
		{Member{"a", "1", time.Second}, sets[0], false},
		{Member{"b", "2", 9*time.Second + 1}, sets[1], true},
		{Member{"c", "3", 9 * time.Second}, sets[2], false},
	}
	if !slices.Equal(s.Members, want) || s.Gap != sets[1] || s.Share != sets[0] || s.Left != 11*time.Second {
		t.Errorf("members %v, gap %v, share %v, left %v: want %v, the set of b", s.Members, s.Gap, s.Share, s.Left, want)
	}
	text := fmt.Sprintf(`member "a" (1 of 3): %v, 11s left; %d of 4096 slots without a working member`, sets[0], sets[1].Len())
	if s.String() != text {
		t.Errorf("%v, want %s", s, text)
	}
	b.step("3s")
	b.step("fails")
	if s := b.m.status(b.now); s.String() != fmt.Sprintf(`member "a" (1 of 3): %v, 8s left; %d of 4096 slots without a working member; last renewal: made by the test`, sets[0], sets[1].Len()) {
		t.Errorf("after an error: %v", s)
	}
	if s := b.m.status(b.now.Add(8 * time.Second)); s.String() != `no member "a" (lost): made by the test` || s.Gap != share.All() || s.Left != 0 {
		t.Errorf("at the end of the lease, before the next step: %v", s)
	}
}

// TestStateNames: each state has a word, and the zero State is unset.
func TestStateNames(t *testing.T) {
	for s, want := range []string{"unset", "out", "joining", "member", "lost", "state(5)"} {
		if got := State(s).String(); got != want {
			t.Errorf("state %d is %q, want %q", s, got, want)
		}
	}
}
