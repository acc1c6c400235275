package storetest

import (
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
)

const textNames = "text/names"

// lawsOfText are about text that a store confuses with other text, and about text
// or numbers that do not fit into its columns.
func lawsOfText() []law {
	return []law{
		{
			name: textNames, rests: []string{readFresh, readAbsent},
			why: "an owner with a similar name is another object: if a store confuses them, a delete removes the wrong object",
			run: namesAreExact,
		},
		{
			name: "text/scopes", needs: []need{needScoped}, rests: []string{"read/scopes"},
			why: "an object in a scope with a similar name is another object",
			run: scopesAreExact,
		},
		{
			name: "text/kinds", rests: []string{readFresh},
			why: "an object of a kind with a similar name is another object",
			run: kindsAreExact,
		},
		{
			name: "text/places", rests: []string{readFresh, readAbsent},
			why: "two objects at one place look like one owner, and a read may answer either of them",
			run: placesAreTakenOnce,
		},
		{
			name: "text/references", rests: []string{readFresh, watchComplete},
			why: "a reference that is stored wrongly, or not at all, removes an owner too early, or deletes its dependent",
			run: referencesAreExact,
		},
		{
			name: "text/sizes", rests: []string{readFresh, watchExact},
			why: "a store that cuts a list without an error loses the owners that keep an object, or the finalizers that hold it",
			run: sizesAreExact,
		},
		{
			name: "text/grace", excuse: GracePeriods, rests: []string{readFresh, deleteGrace},
			why: "a grace period that is stored as another one ends early or late",
			run: graceIsExact,
		},
	}
}

// pair has two texts that some store takes for one.
type pair struct{ one, other, reason string }

// similarNames returns pairs of names. A store may refuse any name, and then has no
// object of it.
func similarNames() []pair {
	long := strings.Repeat("x", 62)
	return []pair{
		{"alike", "Alike", "a collation that folds case"},
		{"straße", "strasse", "a collation of a language"},
		{"resume", "résumé", "a collation that drops accents"},
		{"caf\u00e9", "cafe\u0301", "Unicode normal forms"},
		{"trailing", "trailing ", "blanks at the end, as CHAR and PAD SPACE have it"},
		{"leading", " leading", "blanks that are trimmed"},
		{"a-b", "a_b", "the pattern of LIKE for one character"},
		{"a-c", "a%", "the pattern of LIKE for any text"},
		{"a.c", "a*", "a glob"},
		{"7", "007", "a number"},
		{"1000", "1e3", "a number"},
		{"nul", "nul\x00", "text that ends at a NUL byte"},
		{"nul", "nul\x00more", "text that ends at a NUL byte"},
		{"a", "a\u200b", "invisible characters"},
		{"ﬁne", "fine", "compatibility forms"},
		{"a'b", "a''b", "quotes that are doubled"},
		{"a\\b", "a\\\\b", "escapes"},
		{long + "aa", long + "ab", "a column of 63 characters"},
		{strings.Repeat(long, 4) + "abcdefg8a", strings.Repeat(long, 4) + "abcdefg8b", "a column of 255 characters"},
	}
}

func namesAreExact(t *trial) {
	for _, p := range similarNames() {
		t.different(t.named(p.one), t.named(p.other), p.reason)
		t.different(t.named(p.other), t.named(p.one), p.reason)
	}
	// Keys of several parts, joined by a separator.
	if t.main.Scoped {
		for _, sep := range []string{"/", ":", "|", ",", ".", "-", "\x00", "#"} {
			one, other := t.named("b"+sep+"c"), t.named("c")
			other.Scope += sep + "b"
			t.different(one, other, "a key that is its parts joined by "+sep)
		}
	}
}

func (t *trial) named(name string) ownergraph.Key {
	key := t.object("").Key
	key.Name = name
	return key
}

// different makes one of two objects, and reads the other. If the store can make
// both, they must live beside each other.
func (t *trial) different(one, other ownergraph.Key, reason string) {
	t.Helper()
	what := fmt.Sprintf("%q and %q (%s)", one.Scope+"/"+one.Name, other.Scope+"/"+other.Name, reason)
	alone := t.makes(other)
	o, err := t.tryCreate(ownergraph.Object{Key: one})
	if err != nil {
		// The store refuses such a name.
		return
	}
	if o.Place() != one {
		t.remove(o)
		// The store makes another name of it, and its answer says so.
		return
	}
	if _, err := t.get(one); errors.Is(err, ownergraph.ErrRefused) || errors.Is(err, ownergraph.ErrInvalid) {
		t.remove(o)
		// The engine may not use the name, and the error says so.
		return
	}
	t.wantSame(what+": read as it was made", o, t.live(one))
	if seen, err := t.get(other); err == nil {
		t.broken(what+" are different: only the first is there", fmt.Sprintf("a read of the second answers %s", seen))
	}
	_ = t.delete(other, ownergraph.DeleteOptions{Propagation: ownergraph.Background})
	_ = t.patch(other, ownergraph.Precondition{}, ownergraph.Change{AddFinalizer: holdFinalizer})
	t.stillThere(what+": after a Delete and a Patch of the second", o)
	if !alone {
		t.remove(o)
		return
	}
	second, err := t.tryCreate(ownergraph.Object{Key: other})
	if err != nil {
		t.broken(what+" are different: each can be made alone, so both can", err.Error())
	}
	t.wantSame(what+": beside each other", o, t.live(one))
	t.remove(second)
	t.stillThere(what+": after the end of the second", o)
	t.remove(o)
}

// makes reports whether the store accepts such an object, and removes it.
func (t *trial) makes(key ownergraph.Key) bool {
	t.Helper()
	o, err := t.tryCreate(ownergraph.Object{Key: key})
	if err == nil {
		t.remove(o)
	}
	return err == nil
}

func scopesAreExact(t *trial) {
	o := t.made("a")
	for _, p := range []pair{
		{"One", "ONE", "a collation that folds case"}, {"one ", " one", "blanks that are trimmed"}, {"o_e", "%", "the pattern of LIKE"},
		{"", "one\x00", "no scope, and text that ends at a NUL byte"}, {"öne", "one\u200b", "a collation of a language"}, {"*", "one/", "a glob, and a path"},
	} {
		for _, scope := range []string{p.one, p.other} {
			key := o.Key
			key.Scope = scope
			if seen, err := t.get(key); err == nil {
				t.broken(fmt.Sprintf("nothing is in scope %q (%s): %s is in scope %q", scope, p.reason, o, o.Scope), seen.String())
			}
			_ = t.delete(key, ownergraph.DeleteOptions{Propagation: ownergraph.Background})
			t.stillThere(fmt.Sprintf("after a Delete in scope %q", scope), o)
		}
	}
}

func kindsAreExact(t *trial) {
	for _, info := range t.few {
		o := t.create(ownergraph.Object{Key: keyOf(info, "a")})
		kind := string(info.Kind)
		for _, k := range []string{strings.ToUpper(kind), strings.ToLower(kind), kind + " ", " " + kind, kind + "s", kind + "\x00", "%", "_" + kind[1:]} {
			key := o.Key
			if key.Kind = ownergraph.Kind(k); t.serves(key.Kind) {
				continue
			}
			if seen, err := t.get(key); err == nil {
				t.broken(fmt.Sprintf("kind %q is not served, and is not %q", k, kind), fmt.Sprintf("a read answers %s", seen))
			}
		}
	}
}

func (t *trial) serves(kind ownergraph.Kind) bool {
	for _, info := range t.infos {
		if info.Kind == kind {
			return true
		}
	}
	return false
}

// placesAreTakenOnce creates twice, in every kind, with a scope and without.
func placesAreTakenOnce(t *trial) {
	for _, info := range t.few {
		o := t.create(ownergraph.Object{Key: keyOf(info, "a")})
		if again, err := t.tryCreate(ownergraph.Object{Key: keyOf(info, "a")}); err == nil {
			t.broken(fmt.Sprintf("the place of %s is taken", o), fmt.Sprintf("%s was made beside it", again))
		}
		t.stillThere("after another try to create it", o)
	}
}

// referencesAreExact writes references that some store confuses with others.
func referencesAreExact(t *trial) {
	ref := func(name string, uid graph.UID) ownergraph.Owner {
		key := t.object(name).Key
		key.UID = uid
		return ownergraph.Owner{Key: key}
	}
	sets := [][]ownergraph.Owner{
		{ref("same", "u-1"), ref("same", "u-2")},
		{ref("owner", "abc"), ref("owner", "ABC")},
		{ref("Owner", "u-3"), ref("owner", "u-4"), ref("owner-", "u-5")},
		{ref("7", "007"), ref("1e3", "7")},
		{ref("a'b", "u'6"), ref("a\"b", "u\"7"), ref("a,b", "u,8"), ref("a\\b", "u\\9"), ref("{}", "[]")},
		{ref("null", "true"), ref("<b>&amp;", "u&amp;lt")},
		{{Key: ref("x", "u-10").Key, Block: true}, {Key: ref("y", "u-11").Key, Controller: true}},
		{ref("caf\u00e9", "u-12"), ref("cafe\u0301", "u-13")},
	}
	o := t.made("a")
	for _, refs := range sets {
		wanted := o.Clone()
		wanted.Owners = refs
		now, err := t.tryUpdate(wanted)
		if err != nil {
			// A refused write loses nothing.
			continue
		}
		t.wantContent("updated with references to owners with similar names", wanted, now)
		t.wantContent("read with references to owners with similar names", wanted, t.live(o.Key))
		o = now
	}
	t.watch().mustSee("the watch knows "+o.String(), func(r *replica) bool {
		seen, ok := r.of(o.Kind).objects[o.Key]
		return r.listed() && ok && sameContent(seen, o)
	})
}

// sizesAreExact writes objects that do not fit into some column. The store may
// refuse them.
func sizesAreExact(t *trial) {
	w := t.watch().ready()
	for _, n := range []int{20, 70, 150, 300, 600, 1000} {
		o := t.object(fmt.Sprintf("a%d", n))
		for i := range n {
			key := t.object(fmt.Sprintf("owner-%d", i)).Key
			key.UID = graph.UID(fmt.Sprintf("0f8fad5b-d9cb-469f-a165-%012d", i))
			o.Owners = append(o.Owners, ownergraph.Owner{Key: key})
		}
		for i := range min(n, 100) {
			o.Finalizers = append(o.Finalizers, fmt.Sprintf("%s.example.org/hold", strings.Repeat("x", 40)+fmt.Sprint(i)))
		}
		made, err := t.tryCreate(o)
		if err != nil {
			// The store refuses the size, and would refuse more.
			return
		}
		o.Key = made.Key
		what := fmt.Sprintf("an object with %d owners", n)
		t.sameSize(what+", read", o, t.live(made.Key))
		w.mustSee("the watch reports "+what, func(r *replica) bool { return r.knows(made) })
		events, _ := w.reported()
		t.sameSize(what+", watched", o, w.after(events).of(o.Kind).objects[o.Key])
	}
}

// sameSize is wantContent for large objects, which it does not print.
func (t *trial) sameSize(what string, want, seen ownergraph.Object) {
	t.Helper()
	if !sameContent(want, seen) {
		t.broken(fmt.Sprintf("%s: %d owners and %d finalizers", what, len(want.Owners), len(want.Finalizers)),
			fmt.Sprintf("%d owners and %d finalizers, or others", len(seen.Owners), len(seen.Finalizers)))
	}
}

// graceIsExact takes numbers that a 32-bit integer, and a float64, cannot store.
func graceIsExact(t *trial) {
	for i, seconds := range []int64{1, math.MaxInt32 + 1, 1<<53 + 1, math.MaxInt64} {
		o := t.made(fmt.Sprintf("a%d", i))
		err := t.delete(o.Key, ownergraph.DeleteOptions{Precondition: exact(o), Propagation: ownergraph.Background, GraceSeconds: &seconds})
		if err != nil {
			t.stillThere(fmt.Sprintf("after a Delete with a grace period of %d s that was refused", seconds), o)
			continue
		}
		o.Deleting, o.GraceSeconds = true, seconds
		t.wantContent(fmt.Sprintf("after a Delete with a grace period of %d s", seconds), o, t.live(o.Key))
	}
}
