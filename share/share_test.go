package share

import (
	"errors"
	"fmt"
	"hash/fnv"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/ownergraph/ownergraph/graph"
)

// TestHash: the slot of a UID is the upper 12 bits of its FNV-1a hash, as hash/fnv has it.
// The last cases are the test vectors of RFC 9923.
func TestHash(t *testing.T) {
	for _, uid := range []graph.UID{"", "u1", "0190e5a4-8c1f-7000-8000-000000000001", "\xff\x00"} {
		h := fnv.New64a()
		h.Write([]byte(uid))
		if got, want := hash(string(uid)), h.Sum64(); got != want || SlotOf(uid) != int(want>>52) || hash([]byte(uid)) != want {
			t.Errorf("hash of %q: %#x, want %#x", uid, got, want)
		}
	}
	for text, want := range map[string]uint64{"": 0xcbf29ce484222325, "a": 0xaf63dc4c8601ec8c, "foobar": 0x85944171f73967e8} {
		if got := hash(text); got != want {
			t.Errorf("hash of %q: %#x, want %#x: the vector of RFC 9923", text, got, want)
		}
	}
}

// TestSets: All, None and the words of a set.
func TestSets(t *testing.T) {
	third, err := OfRanges(Range{0x3ff << 52, 0x400<<52 - 1}, Range{0, 0x2<<52 - 1}, Range{0x801 << 52, 0x900<<52 - 1}, Range{0xfff << 52, ^uint64(0)})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		set    Set
		len    int
		text   string
		reason string
	}{
		{Set{}, Slots, "all", "the zero Set is All"},
		{All(), Slots, "all", "every slot"},
		{None(), 0, "none", "no slot"},
		{third, 1 + 2 + 255 + 1, "259 of 4096 slots: 000-001 3ff 801-8ff ...", "the words stay short"},
	} {
		if c.set.Len() != c.len || c.set.String() != c.text {
			t.Errorf("%s: %d slots, %q, want %d, %q", c.reason, c.set.Len(), c.set, c.len, c.text)
		}
	}
	none, all := None(), All()
	for uid := range 100 {
		if u := graph.UID(fmt.Sprint(uid)); none.Has(u) || !all.Has(u) {
			t.Errorf("UID %s: None has it, or All lacks it", u)
		}
	}
}

// TestRanges: the ranges of a set make that set again, and are the fewest. And and Or are
// those of sets.
func TestRanges(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		sets := [2]Set{None(), None()}
		for i := range sets {
			for range rapid.IntRange(0, 40).Draw(t, "runs") {
				first := rapid.IntRange(0, Slots-1).Draw(t, "first")
				for slot := first; slot < min(first+rapid.IntRange(1, 300).Draw(t, "slots"), Slots); slot++ {
					sets[i].add(slot)
				}
			}
			ranges := sets[i].Ranges()
			if got, err := OfRanges(ranges...); err != nil || got != sets[i] {
				t.Fatalf("ranges %v: %v, error %v, want %v", ranges, got, err, sets[i])
			}
			for j := 1; j < len(ranges); j++ {
				if ranges[j].First <= ranges[j-1].Last+1 {
					t.Fatalf("ranges %v and %v could be one", ranges[j-1], ranges[j])
				}
			}
		}
		a, b := sets[0], sets[1]
		for slot := range Slots {
			and, or := a.And(b), a.Or(b)
			if and.hasSlot(slot) != (a.hasSlot(slot) && b.hasSlot(slot)) || or.hasSlot(slot) != (a.hasSlot(slot) || b.hasSlot(slot)) {
				t.Fatalf("slot %d: And has %t, Or has %t", slot, and.hasSlot(slot), or.hasSlot(slot))
			}
		}
	})
}

// TestRangesRefused: an error names the range and the cause, and the set is None.
func TestRangesRefused(t *testing.T) {
	half := Range{0, 1<<63 - 1}
	for _, c := range []struct {
		ranges []Range
		want   string
		reason string
	}{
		{[]Range{{1 << 52, 0}}, "range 0: [0x0010000000000000, 0x0000000000000001) ends before it begins: invalid", "its ends are changed over"},
		{[]Range{half, {1, 1<<52 - 1}}, "range 1: [0x0000000000000001, 0x0010000000000000) is not of whole slots of 2^52 hashes: invalid", "it begins in a slot"},
		{[]Range{{0, 5}}, "range 0: [0x0000000000000000, 0x0000000000000006) is not of whole slots of 2^52 hashes: invalid", "it ends in a slot"},
		{[]Range{half, {1 << 62, ^uint64(0)}}, "range 1: [0x4000000000000000, 0x10000000000000000) overlaps a range before it: invalid", "both have slots"},
		{[]Range{half, half}, "range 1: [0x0000000000000000, 0x8000000000000000) overlaps a range before it: invalid", "they are equal"},
	} {
		set, err := OfRanges(c.ranges...)
		if !errors.Is(err, graph.ErrInvalid) || err.Error() != c.want || set != None() {
			t.Errorf("%s: %v, error %v, want %s", c.reason, set, err, c.want)
		}
	}
}

func names(n int) []string {
	out := make([]string, n)
	for i := range out {
		out[i] = fmt.Sprintf("collector-%d", i)
	}
	return out
}

// TestOf: the sets of all members have each slot once, in any order of the names, and are of
// about one size.
func TestOf(t *testing.T) {
	for _, n := range []int{1, 2, 3, 4, 5, 8, 16, 64} {
		group, seen := names(n), None()
		for _, name := range group {
			s, err := Of(name, group)
			if err != nil {
				t.Fatal(err)
			}
			if both := seen.And(s); both != None() {
				t.Errorf("%d members: %s shares %v with another", n, name, both)
			}
			seen = seen.Or(s)
			if size, even := float64(s.Len()), float64(Slots)/float64(n); size > 1.4*even || size < 0.6*even {
				t.Errorf("%d members: %s has %d slots, and %.0f would be even", n, name, s.Len(), even)
			}
			turned := slices.Clone(group)
			slices.Reverse(turned)
			if other, err := Of(name, turned); err != nil || other != s {
				t.Errorf("%d members: %s has %v, and %v in another order of the names: %v", n, name, s, other, err)
			}
		}
		if seen != All() {
			t.Errorf("%d members: the sets have %v together, want all", n, seen)
		}
	}
}

// TestFewSlotsMove: if a member goes, only its slots move. If one comes, slots move to it
// only. At most 1.3/n of the slots move.
func TestFewSlotsMove(t *testing.T) {
	for _, n := range []int{2, 3, 4, 5, 7, 8, 12, 16, 33, 64} {
		group := names(n)
		before, _ := Divide(group)
		for at, gone := range before {
			if part := float64(gone.Len()) * float64(n) / Slots; part > 1.3 {
				t.Errorf("%d members: %s has %.2f/n of the slots, want at most 1.3/n", n, group[at], part)
			}
			if at > 4 {
				continue // the moves of some members are enough
			}
			after, _ := Divide(slices.Delete(slices.Clone(group), at, at+1))
			for i, kept := range slices.Delete(slices.Clone(before), at, at+1) {
				if kept.And(after[i]) != kept || after[i] != kept.Or(gone.And(after[i])) {
					t.Errorf("%d members: %s goes, and another has %v after %v", n, group[at], after[i], kept)
				}
			}
		}
	}
}

// TestOfRefused: an error names the member and the field.
func TestOfRefused(t *testing.T) {
	for _, c := range []struct {
		self    string
		members []string
		want    string
		reason  string
	}{
		{"a", nil, `member "a": not in the group: invalid`, "the group is empty"},
		{"c", []string{"a", "b"}, `member "c": not in the group: invalid`, "another's name"},
		{"", []string{"a", ""}, `member 1: name: empty: invalid`, "a member without a name"},
		{"a", []string{"a", "b", "a"}, `members 0 and 2: name: both are "a": invalid`, "both would write to one set"},
	} {
		set, err := Of(c.self, c.members)
		if !errors.Is(err, graph.ErrInvalid) || err.Error() != c.want || set != None() {
			t.Errorf("%s: %v, error %v, want %s", c.reason, set, err, c.want)
		}
	}
}

// BenchmarkHas asks for UUIDs.
func BenchmarkHas(b *testing.B) {
	set, err := Of("b", []string{"a", "b", "c"})
	if err != nil {
		b.Fatal(err)
	}
	uid := []byte("0190e5a4-8c1f-7000-8000-000000000001")
	for b.Loop() {
		_ = set.HasText(uid)
	}
}
