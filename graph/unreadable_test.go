package graph

import (
	"errors"
	"strings"
	"testing"
	"unicode"

	"pgregory.net/rapid"
)

// TestUnreadable: every cause makes a flaw that has its text, on one line and bounded. The flaw
// comes before all others, and no store takes such an object.
func TestUnreadable(t *testing.T) {
	o := Object{Key: Key{Kind: "pod", Scope: "ns", Name: "a", UID: "u"}, Version: "1", Owners: make([]Owner, 2000)}
	o.Finalizers = []string{"x.io/y", UnreadableBecause("key \"p/a\": no JSON")}
	want := `validate pod/ns/a@u: value: cannot be read: key "p/a": no JSON: invalid`
	if err := Flaw(o, Limits{}); err == nil || err.Error() != want || !errors.Is(err, ErrInvalid) {
		t.Errorf("flaw %v, want %s", err, want)
	}
	o.Owners = nil
	if err := Validate(o, Limits{}); err == nil || !strings.Contains(err.Error(), "finalizers[1]: reserved") {
		t.Errorf("Validate: %v", err)
	}
	rapid.Check(t, func(t *rapid.T) {
		cause := string(rapid.SliceOfN(rapid.Byte(), 0, 2000).Draw(t, "cause"))
		o.Finalizers = []string{UnreadableBecause(cause)}
		err := Flaw(o, Limits{})
		if err == nil || len(err.Error()) > 1024 || strings.ContainsFunc(err.Error(), unicode.IsControl) || !strings.Contains(err.Error(), ": value: cannot be read: ") {
			t.Fatalf("flaw %v", err)
		}
		if cause := (Limits{}).text(o.Finalizers[0]); cause != "" {
			t.Fatalf("the finalizer: %s", cause)
		}
	})
}
