package group

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ownergraph/ownergraph/graph"
)

// TestValidate: an error names the member and the field.
func TestValidate(t *testing.T) {
	for _, c := range []struct {
		name, instance string
		lease          time.Duration
		want, reason   string
	}{
		{"a", "i", time.Second, "", "a usual renewal"},
		{"a/b c.é", "i", MaxLease, "", "the longest lease, and a name that is no DNS label"},
		{strings.Repeat("n", 1024), "i", 1, "", "the longest name"},
		{"", "i", time.Second, `member "": name: empty: invalid`, "it names no member"},
		{"a", "", time.Second, `member "a": instance: empty: invalid`, "it does not tell two collectors apart"},
		{strings.Repeat("n", 1025), "i", 1, `member "` + strings.Repeat("n", 200) + `"...: name: 1025 bytes, more than 1024: invalid`, "the message is short"},
		{"a", strings.Repeat("n", 1025), 1, `member "a": instance: 1025 bytes, more than 1024: invalid`, "an instance is bounded, too"},
		{"\xff", "i", time.Second, `member "\xff": name: not UTF-8: invalid`, "a database of text does not keep it"},
		{"a\nb", "i", time.Second, `member "a\nb": name: control character U+000A: invalid`, "a name must not forge a line of a log"},
		{"a", "\x00", time.Second, `member "a": instance: control character U+0000: invalid`, "Postgres keeps no NUL"},
		{"a", "i", 0, `member "a": lease: 0s, want more than 0 and at most 1h0m0s: invalid`, "it would be over at once"},
		{"a", "i", -1, `member "a": lease: -1ns, want more than 0 and at most 1h0m0s: invalid`, "it would be over before"},
		{"a", "i", MaxLease + 1, `member "a": lease: 1h0m0.000000001s, want more than 0 and at most 1h0m0s: invalid`, "after a crash its part would wait for too long"},
	} {
		err := ValidateRenewal(Member{Name: c.name, Instance: c.instance}, c.lease)
		if text := fmt.Sprint(err); (err == nil) != (c.want == "") || err != nil && (text != c.want || !errors.Is(err, graph.ErrInvalid)) {
			t.Errorf("%s: %v, want %q", c.reason, err, c.want)
		}
	}
}

// TestResult: the members are sorted by name. If there are too many, all members see the same
// ones, and a further one gets an error.
func TestResult(t *testing.T) {
	var many, want []Member
	for i := range MaxMembers + 1 {
		many = append(many, Member{Name: fmt.Sprintf("m%04d", i)})
	}
	want = slices.Clone(many[:MaxMembers])
	slices.Reverse(many)
	for _, name := range []string{"m0000", "m1023"} {
		got, err := Result(Member{Name: name}, slices.Clone(many))
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%s sees %d members, error %v, want the first %d", name, len(got), err, MaxMembers)
		}
	}
	got, err := Result(Member{Name: "m1024"}, slices.Clone(many))
	const text = `member "m1024": the group has 1024 others with names before it, which is the most: refused`
	if got != nil || !errors.Is(err, graph.ErrRefused) || err.Error() != text {
		t.Errorf("the last one sees %d members, error %v, want %s", len(got), err, text)
	}
	got, err = Result(Member{Name: "gone"}, slices.Clone(many[:3]))
	if got != nil || errors.Is(err, graph.ErrRefused) || fmt.Sprint(err) != `member "gone": its lease was over before the answer` {
		t.Errorf("a member without a lease sees %d members, error %v", len(got), err)
	}
}
