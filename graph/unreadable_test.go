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

// TestFlawedOwner: every cause makes a reference that leads to no owner, and a flaw with its text. No
// store takes such an object, and both text forms bring it back.
func TestFlawedOwner(t *testing.T) {
	owner := Key{Kind: "pod", Scope: "ns", Name: "b", UID: "v"}
	o := Object{Key: Key{Kind: "pod", Scope: "ns", Name: "a", UID: "u"}, Version: "1"}
	o.Owners = []Owner{{Key: owner, OnDelete: OnDeleteRestrict}, FlawedOwner("references[0].uid: missing")}
	want := "validate pod/ns/a@u: owners[1]: references[0].uid: missing: invalid"
	if err := Flaw(o, Limits{}); err == nil || err.Error() != want || !errors.Is(err, ErrInvalid) {
		t.Errorf("flaw %v, want %s", err, want)
	}
	if err := Validate(o, Limits{}); !errors.Is(err, ErrInvalid) {
		t.Errorf("Validate: %v", err)
	}
	if o.Owners[0].Flawed() || !o.Owners[1].Flawed() || (Owner{Key: Key{Kind: KindFlawed, Name: "a", UID: "u"}}).Flawed() {
		t.Error("a reference to an owner counts as a fault")
	}
	for _, policies := range []bool{true, false} {
		g := New(Config{Policies: policies})
		if _, err := g.Apply(Event{Type: KindsKnown, Kinds: []KindInfo{{Kind: "pod", Scoped: true}}}); err != nil {
			t.Fatal(err)
		}
		d, err := g.Apply(Event{Type: Put, Object: o})
		if err != nil {
			t.Fatal(err)
		}
		n := g.Node(d.Node)
		if err := n.Flaw(); err == nil || err.Error() != want {
			t.Errorf("the flaw of the node is %v, want that of its reference before that of its policy", err)
		}
		if got := n.Object(); !got.Equal(o) {
			t.Errorf("the graph has %+v", got.Owners)
		}
		if b, ok := g.Lookup(owner); !ok || b.Referring() != 1 {
			t.Errorf("the other reference leads to no owner")
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		cause := string(rapid.SliceOfN(rapid.Byte(), 0, 2000).Draw(t, "cause"))
		o.Owners = []Owner{FlawedOwner(cause)}
		err := Flaw(o, Limits{})
		if err == nil || len(err.Error()) > 1024 || strings.ContainsFunc(err.Error(), unicode.IsControl) {
			t.Fatalf("flaw %v", err)
		}
		text, err := o.MarshalJSON()
		if err != nil {
			t.Fatal(err)
		}
		var back Object
		if err := back.UnmarshalJSON(text); err != nil || !back.Equal(o) {
			t.Fatalf("%s comes back as %+v: %v", text, back, err)
		}
	})
}
