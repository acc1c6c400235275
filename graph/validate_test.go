package graph

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"
)

// owner returns a sound reference whose fields edit changes.
func owner(n int, edit func(*Owner)) Owner {
	name := fmt.Sprintf("o%d", n)
	r := Owner{Key: Key{Kind: "rs", Scope: "ns", Name: name, UID: UID(name)}}
	if edit != nil {
		edit(&r)
	}
	return r
}

func TestValidate(t *testing.T) {
	base := Key{Kind: "pod", Scope: "ns", Name: "a", UID: "u"}
	own := func(list ...Owner) func(*Object) { return func(o *Object) { o.Owners = list } }
	fin := func(list ...string) func(*Object) { return func(o *Object) { o.Finalizers = list } }
	for _, tc := range []struct {
		name   string
		limits Limits
		edit   func(*Object)
		want   string // what follows the object in the message; "" is sound
		reason string
	}{
		{"sound", Limits{}, own(owner(1, nil), owner(2, func(r *Owner) { r.Controller = true })), "",
			"several owners, one controller"},
		{"no uid yet", Limits{}, func(o *Object) { o.UID, o.Version = "", "" }, "",
			"the store makes UID and version"},
		{"global", Limits{}, func(o *Object) { o.Scope = "" }, "", "an empty scope is global"},
		{"unicode", Limits{}, func(o *Object) { o.Name = "größe" }, "", "names are text, not ASCII"},
		{"kind", Limits{}, func(o *Object) { o.Kind = "" }, "kind: empty", "nothing can be found without"},
		{"name", Limits{}, func(o *Object) { o.Name = "" }, "name: empty", "nothing can be found without"},
		{"grace", Limits{}, func(o *Object) { o.GraceSeconds = -1 }, "graceSeconds: negative", "no time runs backwards"},
		{"utf8", Limits{}, func(o *Object) { o.Name = "a\xff" }, "name: not UTF-8", "it could not be printed or sent"},
		{"control", Limits{}, func(o *Object) { o.Scope = "a\nb" }, "scope: control character U+000A",
			"a name must not forge a line of a log"},
		{"long kind", Limits{}, func(o *Object) { o.Kind = Kind(strings.Repeat("k", 1025)) },
			"kind: 1025 bytes, more than 1024", "one object may not fill the memory"},
		{"long uid", Limits{Text: 3}, func(o *Object) { o.UID = "uuuu" }, "uid: 4 bytes, more than 3", "a set limit applies"},
		{"version", Limits{}, func(o *Object) { o.Version = "\x00" }, "version: control character U+0000",
			"text is text everywhere"},
		{"owner kind", Limits{}, own(owner(1, func(r *Owner) { r.Kind = "" })), "owners[0].kind: empty", "an owner is named in full"},
		{"owner name", Limits{}, own(owner(1, func(r *Owner) { r.Name = "" })), "owners[0].name: empty", "an owner is named in full"},
		{"owner uid", Limits{}, own(owner(1, nil), owner(2, func(r *Owner) { r.UID = "" })), "owners[1].uid: empty",
			"without a UID it is no incarnation"},
		{"owner text", Limits{}, own(owner(1, func(r *Owner) { r.Scope = "\xff" })), "owners[0].scope: not UTF-8",
			"references are text, too"},
		{"twice", Limits{}, own(owner(1, nil), owner(2, nil), owner(1, func(r *Owner) { r.Name = "x" })),
			"owners[2].uid: the same as owners[0].uid", "one UID at two places is at most half true"},
		{"self uid", Limits{}, own(owner(1, func(r *Owner) { r.UID = "u" })), "owners[0].uid: the object itself",
			"it would hold itself for ever"},
		{"self place", Limits{}, own(owner(1, func(r *Owner) { r.Key = base; r.UID = "old" })),
			"owners[0].name: the object's own coordinates", "an object can only be its own successor there"},
		{"two controllers", Limits{}, own(owner(1, nil), owner(2, func(r *Owner) { r.Controller = true }),
			owner(3, func(r *Owner) { r.Controller = true })), "owners[2].controller: owners[1] is one already",
			"one manages an object"},
		{"policies", Limits{}, own(owner(1, func(r *Owner) { r.OnDelete = OnDeleteRelease }), owner(2, func(r *Owner) { r.OnDelete = OnDeleteRestrict })), "",
			"a store keeps both"},
		{"unknown policy", Limits{}, own(owner(1, nil), owner(2, func(r *Owner) { r.OnDelete = OnDeleteCascade + 1 })),
			"owners[1].onDelete: onDelete(4) is unknown", "no store keeps a policy that it does not know"},
		{"many owners", Limits{Owners: 1}, own(owner(1, nil), owner(2, nil)), "owners: 2, more than 1", "a set limit applies"},
		{"owners at the limit", Limits{Owners: 2}, own(owner(1, nil), owner(2, nil)), "", "the limit itself is allowed"},
		{"default owners", Limits{}, func(o *Object) { o.Owners = make([]Owner, 1025) }, "owners: 1025, more than 1024",
			"zero stands for 1,024"},
		{"many finalizers", Limits{Finalizers: 1}, fin("a", "b"), "finalizers: 2, more than 1", "a set limit applies"},
		{"negative limit", Limits{Finalizers: -1}, fin("a"), "", "a limit that is not positive stands for the default"},
		{"finalizers", Limits{}, fin("a", FinalizerOrphan), "", "one propagation finalizer is the rule"},
		{"empty finalizer", Limits{}, fin("a", ""), "finalizers[1]: empty", "no controller answers to it"},
		{"finalizer twice", Limits{}, fin("a", "b", "a"), "finalizers[2]: the same as finalizers[0]", "it is a set"},
		{"finalizer text", Limits{}, fin("a\u0085"), "finalizers[0]: control character U+0085", "C1 controls count"},
		{"both", Limits{}, fin(FinalizerForeground, FinalizerOrphan), "finalizers: both orphan and foregroundDeletion",
			"they contradict each other"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			o := Object{Key: base, Version: "1"}
			tc.edit(&o)
			err := Validate(o, tc.limits)
			switch {
			case tc.want == "" && err != nil:
				t.Fatalf("Validate: %v, want none: %s", err, tc.reason)
			case tc.want != "" && !errors.Is(err, ErrInvalid):
				t.Fatalf("Validate: %v, want ErrInvalid: %s", err, tc.reason)
			case tc.want != "" && !strings.HasSuffix(err.Error(), ": "+tc.want+": invalid"):
				t.Fatalf("Validate: %q, want it to say %q: %s", err, tc.want, tc.reason)
			}
		})
	}
}

func TestValidateNamesTheObject(t *testing.T) {
	for _, tc := range []struct {
		key    Key
		want   string
		reason string
	}{
		{Key{Kind: "pod", Scope: "ns", Name: "a"}, "validate pod/ns/a: graceSeconds: negative: invalid",
			"a UID that is not made yet is not shown"},
		{Key{Kind: "pod", Scope: "ns", Name: "a", UID: "u7"}, "validate pod/ns/a@u7: graceSeconds: negative: invalid",
			"a UID tells incarnations apart"},
	} {
		if got := Validate(Object{Key: tc.key, GraceSeconds: -1}, Limits{}).Error(); got != tc.want {
			t.Errorf("Validate says %q, want %q: %s", got, tc.want, tc.reason)
		}
	}
}

// TestValidateMessageIsBounded: an error does not repeat a long text in full, and does
// not cut it within a character.
func TestValidateMessageIsBounded(t *testing.T) {
	for _, unit := range []string{"n", "é", "\x00", "\xff"} {
		err := Validate(Object{Key: Key{Kind: "k", Name: strings.Repeat(unit, 1<<20)}}, Limits{})
		if !errors.Is(err, ErrInvalid) || len(err.Error()) > 300 || !utf8.ValidString(err.Error()) {
			t.Errorf("Validate of a long name of %q: a message of %d bytes: %.80v", unit, len(fmt.Sprint(err)), err)
		}
	}
}

// TestValidateIsPure: it reads, and nothing else.
func TestValidateIsPure(t *testing.T) {
	o := Object{Key: Key{Kind: "k", Name: "n"}, Owners: []Owner{owner(2, nil), owner(1, nil)}, Finalizers: []string{"b", "a"}}
	before := o.Clone()
	if err := Validate(o, Limits{}); err != nil || !o.Equal(before) {
		t.Errorf("Validate: %v, and left %v of %v", err, o, before)
	}
}

// TestFlaw: a stored object may break rules that Validate demands of a new one.
func TestFlaw(t *testing.T) {
	sound := Object{Key: Key{Kind: "pod", Scope: "ns", Name: "a", UID: "u"}, Version: "1"}
	for _, tc := range []struct {
		owners []Owner
		limits Limits
		want   string
		reason string
	}{
		{nil, Limits{}, "", "no owners"},
		{[]Owner{owner(1, nil), owner(1, nil)}, Limits{}, "", "the same reference twice counts once"},
		{[]Owner{{Key: sound.Key}}, Limits{}, "", "a self-reference never counts"},
		{[]Owner{owner(1, func(r *Owner) { r.OnDelete = OnDeleteCascade }), owner(1, func(r *Owner) { r.OnDelete = OnDeleteCascade })}, Limits{}, "", "one policy for one owner"},
		{[]Owner{owner(1, func(r *Owner) { r.OnDelete = 9 })}, Limits{}, "owners[0].onDelete: onDelete(9) is unknown", "no decision guesses a policy"},
		{[]Owner{owner(1, nil), owner(2, func(r *Owner) { r.OnDelete = OnDeleteRelease }), owner(1, func(r *Owner) { r.OnDelete = OnDeleteRelease })}, Limits{},
			"owners[2].onDelete: release, and unset in another reference with this uid", "two policies for one owner contradict each other"},
		{[]Owner{owner(1, nil), owner(1, func(r *Owner) { r.Name = "x" })}, Limits{}, "owners[1].uid: stands at two coordinates", "one UID is one object"},
		{[]Owner{owner(1, func(r *Owner) { r.UID = "" })}, Limits{}, "owners[0]: kind, name or uid is empty", "no incarnation"},
		{[]Owner{owner(1, nil), owner(2, nil)}, Limits{Owners: 1}, "owners: 2, more than 1", "a limit"},
	} {
		o := sound
		o.Owners = tc.owners
		want := ""
		if tc.want != "" {
			want = "validate pod/ns/a@u: " + tc.want + ": invalid"
		}
		if err := Flaw(o, tc.limits); err == nil && want != "" || err != nil && (err.Error() != want || !errors.Is(err, ErrInvalid)) {
			t.Errorf("%v, want %q: %s", err, want, tc.reason)
		}
	}
}
