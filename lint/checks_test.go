package lint_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/lint"
)

// standard returns the kinds of the tests. The kind node is global, and the others are
// scoped. No collector observes metric, and lost is a group that is not described now.
func standard() []lint.Kind {
	kind := func(name graph.Kind, scoped bool) lint.Kind {
		return lint.Kind{KindInfo: graph.KindInfo{Kind: name, Scoped: scoped}, Listed: true, Versions: []string{"v1", "v2"}}
	}
	event, secret, metric, lost := kind("event", true), kind("secret", true), kind("metric", true), kind("lost/*", true)
	event.NoOwner = true
	secret.Listed, secret.Reason = false, "forbidden"
	metric.Listed, metric.Unwatched = false, true
	lost.Listed, lost.Versions = false, nil
	return []lint.Kind{kind("pod", true), kind("rs", true), kind("apps/Dep", true), kind("node", false), event, secret, metric, lost}
}

// input returns an input of the notation of graph.Parse.
func input(t testing.TB, text string) lint.Input {
	t.Helper()
	list, err := graph.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	in := lint.Input{Kinds: standard(), Now: time.Unix(1_000_000, 0), Kubernetes: true}
	for _, o := range list {
		in.Objects = append(in.Objects, lint.Object{Object: o})
	}
	return in
}

// TestChecks: each row is a graph with the findings that it has, without their messages.
func TestChecks(t *testing.T) {
	forAll := lint.Config{Handlers: []string{"known"}, OwnedKinds: []graph.Kind{"rs"}, MaxDependents: 2, MaxDepth: 3}
	for _, c := range []struct {
		objects string
		want    string
		reason  string
	}{
		{"pod/s/a -> pod/s/b!^; pod/s/b", "", "a dependent with its owner"},
		{"pod/s/a -> pod/s/b", "OG001 pod/s/a owners[0].uid: the collector deletes this now", "the only owner is missing"},
		{"pod/s/a -> pod/s/b, node/n; node/n", "OG001 pod/s/a owners[0].uid: kept, and the collector drops the reference now", "another owner lives"},
		{"pod/s/a~[f] -> pod/s/b", "OG001 pod/s/a owners[0].uid: is being deleted|OG021 pod/s/a deleting: is being deleted|OG022 pod/s/a finalizers: kept for ever", "a mark is not taken back"},
		{"pod/s/a -> secret/s/b", "OG002 pod/s/a owners[0].kind: not known from this dump", "the kind is not listed"},
		{"pod/s/a -> secret/s/b; secret/s/b", "", "an unlisted kind may have objects"},
		{"pod/s/a -> metric/s/b", "OG002 pod/s/a owners[0].kind: not known from this dump", "the kind cannot be listed"},
		{"pod/s/a -> pod/s/b?", "OG004 pod/s/a owners[0].scope: not known from this dump", "the store did not resolve a served kind"},
		{"pod/s/a -> rs/s/b@u; pod/s/b@u", "OG005 pod/s/a owners[0].kind: the collector deletes this now", "another kind"},
		{"pod/s/a -> pod/s/b@u; pod/t/b@u", "OG006 pod/s/a owners[0].scope: the collector deletes this now", "the UID lives in another scope"},
		{"pod/s/a -> pod/t/b; pod/t/b", "OG006 pod/s/a owners[0].scope: the collector deletes this now", "the reference names another scope"},
		{"pod/s/a -> pod/s/c@u; pod/s/b@u", "OG007 pod/s/a owners[0].name: the collector deletes this now", "another name"},
		{"pod/s/a -> rs/s/c@u; pod/t/b@u", "OG005 pod/s/a owners[0].kind: the collector deletes this now|OG006 pod/s/a owners[0].scope: the collector deletes this now|" +
			"OG007 pod/s/a owners[0].name: the collector deletes this now", "every coordinate differs"},
		{"pod/s/a -> event/s/b; event/s/b", "OG008 pod/s/a owners[0].kind: kept while an owner lives", "the kind may not own"},
		{"pod/s/a -> x/s/b", "OG009 pod/s/a owners[0].kind: kept until the collector can resolve the owner", "the kind is not served"},
		{"pod/s/a -> x/s/b?", "OG009 pod/s/a owners[0].kind: kept until the collector can resolve the owner", "the kind says more than the flag"},
		{`pod/s/a -> "apps/dep"/s/b@u; "apps/Dep"/s/b@u`, "OG010 pod/s/a owners[0].kind: kept while an owner lives", "Kubernetes takes small letters"},
		{`pod/s/a -> "apps/DEP"/s/b@u; "apps/Dep"/s/b@u`, "OG009 pod/s/a owners[0].kind: kept until the collector can resolve the owner", "Kubernetes takes no other spelling"},
		{"node/n -> pod/s/a; pod/s/a", "OG011 node/n owners[0].scope: kept for ever", "a global dependent of a scoped owner"},
		{"pod/s/a -> pod/s/a", "OG012 pod/s/a owners[0].uid: kept for ever", "a self-reference"},
		{"pod/s/a -> pod/s/a!", "OG012 pod/s/a owners[0].uid: kept for ever", "a self-reference that blocks no deletion yet"},
		{"pod/s/a~[known] -> pod/s/a!", "OG012 pod/s/a owners[0].uid: is being deleted|OG019 pod/s/a owners[0].block: does not hold up the deletion of pod/s/a|" +
			"OG021 pod/s/a deleting: is being deleted", "a background deletion does not wait for the object itself"},
		{"pod/s/a~[foreground] -> pod/s/a!", "OG012 pod/s/a owners[0].uid: is being deleted|OG020 pod/s/a owners[0].block: blocks the deletion of pod/s/a|" +
			"OG021 pod/s/a deleting: is being deleted", "blockingDependents of the collector has the object itself"},
		{"pod/s/a -> pod/s/a, node/n; node/n", "OG012 pod/s/a owners[0].uid: kept for ever", "it stays after its living owner"},
		{"pod/s/a -> pod/s/a, node/n, node/n; node/n", "OG012 pod/s/a owners[0].uid: kept for ever|OG013 pod/s/a owners[2].uid: kept for ever", "each finding about the object says so"},
		{"pod/s/a -> pod/s/a, secret/s/b", "OG002 pod/s/a owners[1].kind: kept for ever|OG012 pod/s/a owners[0].uid: kept for ever", "it stays, whatever becomes of the other owner"},
		{"pod/s/a -> pod/s/a, x/s/b", "OG009 pod/s/a owners[1].kind: kept for ever|OG012 pod/s/a owners[0].uid: kept for ever", "it stays after the collector resolves the other owner"},
		{"pod/s/a -> pod/s/a, pod/s/b", "OG001 pod/s/a owners[1].uid: kept, and the collector drops the reference now|" +
			"OG012 pod/s/a owners[0].uid: kept for ever", "the self-reference is a living owner, and the collector drops the other"},
		{`pod/s/a -> pod/s/b@"pod/s/a"`, "OG007 pod/s/a owners[0].name: the collector deletes this now", "under another name the collector does not find the object itself"},
		{`pod/s/a -> rs/s/a@"pod/s/a"`, "OG005 pod/s/a owners[0].kind: the collector deletes this now", "under another kind neither"},
		{`"apps/Dep"/s/a@u -> "apps/dep"/s/a@u`, `OG012 "apps/Dep"/s/a@u owners[0].uid: kept for ever`, "small letters name the object itself, too"},
		{"pod/s/a -> pod/s/b, pod/s/b!; pod/s/b", "OG013 pod/s/a owners[1].uid: kept while an owner lives", "the same reference twice"},
		{"pod/s/a -> pod/s/b@u, pod/s/c@u; pod/s/b@u", "OG014 pod/s/a owners[1].uid: kept, and the collector drops the reference now", "one UID at two places"},
		{"pod/s/a -> pod/s/b^, node/n^; pod/s/b; node/n", "OG015 pod/s/a owners[1].controller: kept while an owner lives", "two controllers"},
		{"pod/s/a -> node/s/n@u; node/n@u", "OG016 pod/s/a owners[0].scope: kept while an owner lives", "a scope for a global owner"},
		{"pod/s/a -> pod/b@u; pod/s/b@u", "OG016 pod/s/a owners[0].scope: kept while an owner lives", "no scope for a scoped owner"},
		{"pod/s/a -> pod/s/b; pod/s/b -> pod/s/a", "OG017 pod/s/a owners: kept for ever", "a ring"},
		{"pod/s/a -> pod/s/b; pod/s/b -> pod/s/c, node/n; pod/s/c -> pod/s/a; node/n", "OG017 pod/s/a owners: kept for ever", "an owner outside of a ring ends before it"},
		{"pod/s/a~[foreground] -> pod/s/b!; pod/s/b -> pod/s/a!", "OG018 pod/s/a owners: is being deleted|OG021 pod/s/a deleting: is being deleted", "a ring that waits for itself"},
		{"pod/s/a -> pod/s/b!; pod/s/b~[known]", "OG019 pod/s/a owners[0].block: does not hold up the deletion of pod/s/b|OG021 pod/s/b deleting: is being deleted", "a background deletion waits for no dependent"},
		{"pod/s/a -> pod/s/c@u!; pod/s/b@u", "OG007 pod/s/a owners[0].name: the collector deletes this now|OG019 pod/s/a owners[0].block: does not hold up the deletion of pod/s/b@u", "wrong coordinates do not count"},
		{"pod/s/a~[known] -> pod/s/b!; pod/s/b~[foreground]", "OG020 pod/s/a owners[0].block: blocks the deletion of pod/s/b|OG021 pod/s/a deleting: is being deleted|OG021 pod/s/b deleting: is being deleted", "a finalizer of a dependent"},
		{"pod/s/a -> pod/s/b!, x/s/c; pod/s/b~[foreground]", "OG009 pod/s/a owners[1].kind: kept until the collector can resolve the owner|OG020 pod/s/a owners[0].block: blocks the deletion of pod/s/b|OG021 pod/s/b deleting: is being deleted", "an unknown owner of a dependent"},
		{"pod/s/a -> pod/s/b!; pod/s/b~[foreground]", "OG021 pod/s/b deleting: is being deleted", "a dependent that goes holds nothing for ever"},
		{"pod/s/a[f,known]", "OG022 pod/s/a finalizers: unset", "one of two finalizers has a handler"},
		{"pod/s/a[orphan,foreground]", "OG023 pod/s/a finalizers: unset", "two propagations"},
		{"pod/s/a@u; rs/s/a@u -> node/n; node/n", "OG024 rs/s/a@u uid: unset", "one object under two kinds"},
		{"pod/s/a@u; pod/s/b@u", "OG025 pod/s/b@u uid: unset", "two objects with one UID"},
		{"pod/s/a -> node/n; pod/s/b -> node/n; pod/s/c -> node/n; node/n", "OG026 node/n dependents: unset", "more dependents than the bound"},
		{"pod/s/a -> pod/s/b; pod/s/b -> pod/s/c; pod/s/c -> pod/s/d; pod/s/d -> pod/s/e; pod/s/e", "OG027 pod/s/b owners: unset", "the first level beyond the bound"},
		{"rs/s/a", "OG028 rs/s/a owners: kept for ever", "the kind always has an owner"},
		{"pod/s/a -> pod/s/b^, node/n; node/n", "OG001 pod/s/a owners[0].uid: kept, and the collector drops the reference now|" +
			"OG029 pod/s/a owners[0].controller: kept, and the collector drops the reference now", "the controller is gone"},
		{"x/s/a -> pod/s/b", "OG001 x/s/a owners[0].uid: kept for ever|OG030 x/s/a kind: kept for ever", "no collector sees the object"},
		{"x/s/a -> pod/s/b!; pod/s/b", "OG019 x/s/a owners[0].block: does not hold up the deletion of pod/s/b|OG030 x/s/a kind: kept for ever", "no foreground deletion waits for it"},
		{"metric/s/a -> node/n", "OG001 metric/s/a owners[0].uid: kept for ever", "no collector observes the object"},
		{"metric/s/a -> node/n; node/n", "", "its owner lives"},
		{"metric/s/a -> node/n!, pod/s/b; node/n~[foreground]", "OG001 metric/s/a owners[1].uid: kept for ever|OG019 metric/s/a owners[0].block: does not hold up the deletion of node/n|" +
			"OG021 node/n deleting: is being deleted", "neither does a deletion wait for it"},
		{`"lost/P"/s/a -> node/n`, `OG001 "lost/P"/s/a owners[0].uid: not known from this dump`, "a collector may observe the group"},
		{`"lost/P"/s/a -> x/s/b`, `OG009 "lost/P"/s/a owners[0].kind: not known from this dump`, "it may find that it cannot resolve the owner"},
		{`"lost/P"/s/a -> "lost/P"/s/a`, `OG012 "lost/P"/s/a owners[0].uid: kept for ever`, "a collector of the group finds the object itself"},
		{`"lost/P"/s/a -> node/n!; node/n~[foreground]`, "OG021 node/n deleting: is being deleted", "the deletion may wait for the object, and the object may go"},
		{`"lost/P"/s/a -> node/n!; node/n~[known]`, `OG019 "lost/P"/s/a owners[0].block: does not hold up the deletion of node/n|OG021 node/n deleting: is being deleted`, "a background deletion waits for no dependent of any kind"},
		{"pod/s/a -> x/s/b; x/s/b", "OG009 pod/s/a owners[0].kind: kept until the collector can resolve the owner|OG030 x/s/b kind: kept for ever", "an owner of a kind that is not served"},
	} {
		r, err := lint.Check(input(t, c.objects), forAll)
		if err != nil {
			t.Errorf("%s: %v: %s", c.objects, err, c.reason)
		}
		if got := strings.Join(brief(r), "|"); got != c.want {
			t.Errorf("%s: %s\ngot  %s\nwant %s", c.objects, c.reason, got, c.want)
		}
	}
}

// brief returns the findings without severity and message.
func brief(r lint.Report) []string {
	var list []string
	for _, f := range r.Findings {
		text := fmt.Sprintf("%s %s %s: %s", f.Code, f.Object, f.Field, f.Fate)
		if f.Of != (graph.Key{}) {
			text += " " + f.Of.String()
		}
		list = append(list, text)
	}
	return list
}

func TestVersions(t *testing.T) {
	for _, c := range []struct {
		versions []string
		want     string
		reason   string
	}{
		{nil, "", "the versions are not known"},
		{[]string{"v2"}, "", "a served version"},
		{[]string{""}, "", "this version is not known"},
		{[]string{"v1beta1"}, "OG003 pod/s/a owners[0].version: kept until the collector can resolve the owner", "an upgrade has removed the version"},
	} {
		in := input(t, "pod/s/a -> pod/s/b; pod/s/b")
		in.Objects[0].OwnerVersions = c.versions
		r, err := lint.Check(in, lint.Config{})
		if got := strings.Join(brief(r), "|"); err != nil || got != c.want {
			t.Errorf("%q, error %v, want %q: %s", got, err, c.want, c.reason)
		}
	}
}

func TestOldMark(t *testing.T) {
	for _, c := range []struct {
		objects string
		age     time.Duration
		want    string
		reason  string
	}{
		{"pod/s/a~[f]", time.Hour, "", "the bound itself is allowed"},
		{"pod/s/a~[f]", 2 * time.Hour, `The deletion mark is 2 h old, more than 1 h. It keeps the finalizer "f".`, "a finalizer holds it"},
		{"pod/s/a~[f,g]", 2 * time.Hour, `The deletion mark is 2 h old, more than 1 h. It keeps 2 finalizers: "f", "g".`, "two finalizers hold it"},
		{"pod/s/a~30", 2 * time.Hour, "The deletion mark is 2 h old, more than 1 h. Its grace period of 30 s has no end by its agent.", "its agent is gone"},
		{"pod/s/a~", 2 * time.Hour, "The deletion mark is 2 h old, more than 1 h. It has no finalizer and no grace period, so the store should have removed it.", "no cause"},
		{"pod/s/a~[orphan]", 2 * time.Hour, "The deletion mark is 2 h old, more than 1 h. The collector has not ended its orphan deletion.", "no collector"},
		{"pod/s/a~[foreground]; pod/s/b -> pod/s/a; pod/s/c -> pod/s/a!", 2 * time.Hour,
			"The deletion mark is 2 h old, more than 1 h. It waits for the blocking references of its dependents (1): pod/s/c.", "a dependent holds it"},
	} {
		in := input(t, c.objects)
		in.Objects[0].MarkedAt = in.Now.Add(-c.age)
		r, err := lint.Check(in, lint.Config{})
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		for _, f := range r.Findings {
			if f.Code == lint.OldMark {
				got = f.Message
			}
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q: %s", c.objects, got, c.want, c.reason)
		}
	}
}

// TestBounds: a report says how much it leaves out.
func TestBounds(t *testing.T) {
	in := input(t, "pod/s/a -> pod/s/x; pod/s/b -> pod/s/x; pod/s/c -> pod/s/x; pod/s/d -> pod/s/x")
	ignore, err := lint.ParseIgnore("OG001 pod/s/b\n")
	if err != nil {
		t.Fatal(err)
	}
	r, err := lint.Check(in, lint.Config{PerCode: 2, Ignore: ignore})
	if err != nil || len(r.Findings) != 2 || r.Findings[1].Object.Name != "c" || len(r.Counts) != 1 || r.Counts[0] != (lint.Count{Code: lint.MissingOwner, Found: 4, Ignored: 1, LeftOut: 1}) {
		t.Errorf("error %v, report:\n%s", err, r)
	}
	r, err = lint.Check(input(t, "pod/s/a~[f,g,h,i]"), lint.Config{Details: 2})
	if err != nil || len(r.Findings) != 1 || !strings.HasSuffix(r.Findings[0].Message, `4 finalizers: "f", "g" and 2 more.`) {
		t.Errorf("error %v, report:\n%s", err, r)
	}
	r, err = lint.Check(input(t, "pod/s/a -> pod/s/b; pod/s/b -> pod/s/c; pod/s/c -> pod/s/a"), lint.Config{Details: 2})
	if err != nil || len(r.Findings) != 1 || r.Findings[0].Message != "3 objects own each other: pod/s/a, pod/s/b and 1 more." {
		t.Errorf("error %v, report:\n%s", err, r)
	}
}

// TestManyReferences: an object beyond the limits of the model has a bounded report, and
// the work for it is bounded.
func TestManyReferences(t *testing.T) {
	var in lint.Input
	in.Kinds = standard()
	hostile := lint.Object{Object: graph.Object{Key: graph.Key{Kind: "pod", Scope: "s", Name: "hostile", UID: "hostile"}}}
	for i := range 3000 {
		owner := graph.Object{Key: graph.Key{Kind: "pod", Scope: "s", Name: fmt.Sprint("o", i), UID: graph.UID(fmt.Sprint("u", i))}, Deleting: true, Finalizers: []string{graph.FinalizerForeground}}
		hostile.Owners = append(hostile.Owners, graph.Owner{Key: owner.Key, Block: true})
		in.Objects = append(in.Objects, lint.Object{Object: owner})
	}
	for i := range 50 {
		hostile.Name, hostile.UID = fmt.Sprint("h", i), graph.UID(fmt.Sprint("h", i))
		in.Objects = append(in.Objects, hostile)
	}
	r, err := lint.Check(in, lint.Config{PerCode: 10})
	if err != nil {
		t.Fatal(err)
	}
	want := []lint.Count{{Code: lint.Malformed, Found: 50, LeftOut: 40}, {Code: lint.HeldBlocker, Found: 150_000, LeftOut: 149_990}, {Code: lint.OldMark, Found: 3000, LeftOut: 2990}}
	if !slices.Equal(r.Counts, want) || len(r.Findings) != 30 {
		t.Errorf("counts %+v, want %+v; %d findings", r.Counts, want, len(r.Findings))
	}
}

// TestMalformed: an object that breaks a rule of the model has one finding that says so.
func TestMalformed(t *testing.T) {
	for _, c := range []struct {
		edit   func(*graph.Object)
		field  string
		reason string
	}{
		{func(o *graph.Object) { o.Owners[0].Name = "" }, "owners[0]", "a reference without a name"},
		{func(o *graph.Object) { o.Owners[0].UID = "" }, "owners[0]", "a reference without a UID"},
		{func(o *graph.Object) { o.Owners[0] = graph.FlawedOwner("no JSON\nat all") }, "owners[0]", "a fault that the store reports"},
		{func(o *graph.Object) { o.Finalizers = make([]string, 2000) }, "object", "too many finalizers"},
		{func(o *graph.Object) { o.Finalizers = []string{"a\nb"} }, "object", "a control character"},
		{func(o *graph.Object) { o.Finalizers = []string{"a\xff"} }, "object", "no text"},
	} {
		in := input(t, "pod/s/a -> pod/s/b; pod/s/b")
		c.edit(&in.Objects[0].Object)
		r, err := lint.Check(in, lint.Config{})
		if err != nil || len(r.Findings) == 0 || r.Findings[0].Code != lint.Malformed || r.Findings[0].Field != c.field || len(r.Counts) != 1 || r.Counts[0].Found != 1 {
			t.Errorf("%s: error %v, report:\n%s", c.reason, err, r)
		}
		if strings.ContainsRune(strings.TrimSuffix(r.String(), "\n"), '\n') {
			t.Errorf("%s: a name makes a line of the report:\n%s", c.reason, r)
		}
	}
}

func TestCheckErrors(t *testing.T) {
	sound := "pod/s/a; pod/s/b"
	for _, c := range []struct {
		edit   func(*lint.Input)
		want   string
		reason string
	}{
		{func(in *lint.Input) { in.Objects[1].Name = "a" }, `check pod/s/a@"pod/s/b": name: two objects at one place, the other has the uid "pod/s/a"`, "a place has one object"},
		{func(in *lint.Input) { in.Objects[1] = in.Objects[0] }, `check pod/s/a: name: two objects at one place, the other has the uid "pod/s/a"`, "an object is there once"},
		{func(in *lint.Input) { in.Objects[1].UID = "" }, "check: apply put: pod/s/b: uid: empty", "no identity"},
		{func(in *lint.Input) { in.Objects[1].Scope = "" }, `check: apply put: pod/b@"pod/s/b": scope: empty, and the kind is scoped`, "no scope"},
		{func(in *lint.Input) { in.Objects[1].Kind = "" }, `check: apply put: ""/s/b@"pod/s/b": kind: empty`, "no kind"},
		{func(in *lint.Input) { in.Objects[1].OwnerVersions = []string{"v1"} }, "check pod/s/b: ownerVersions: 1 for 0 owners", "a version of no reference"},
		{func(in *lint.Input) { in.Kinds[1].Kind = "pod" }, `check kinds[1]: kind: "pod" is there twice`, "a kind has one description"},
		{func(in *lint.Input) { in.Kinds[1].Kind = "" }, "check kinds[1]: kind: empty", "a kind has a name"},
		{func(in *lint.Input) { in.Kinds[1].Unwatched = true }, `check kinds[1]: listed: kind "rs" is not watched`, "no list without a watch"},
	} {
		in := input(t, sound)
		c.edit(&in)
		_, err := lint.Check(in, lint.Config{})
		if !errors.Is(err, graph.ErrInvalid) || err.Error() != c.want+": invalid" {
			t.Errorf("error %v, want %s: %s", err, c.want, c.reason)
		}
	}
}

// TestOrder: the findings do not depend on the order of the input, and Check changes
// nothing.
func TestOrder(t *testing.T) {
	text := "pod/s/a -> pod/s/b; pod/s/b -> pod/s/a; pod/s/c -> rs/s/a@\"pod/s/a\"!; pod/s/d@u; pod/t/d@u; node/n -> pod/s/a?"
	in := input(t, text)
	first, err := lint.Check(in, lint.Config{})
	if err != nil {
		t.Fatal(err)
	}
	for i := range in.Objects {
		other := in
		other.Objects = append(append([]lint.Object{}, in.Objects[i:]...), in.Objects[:i]...)
		r, err := lint.Check(other, lint.Config{})
		if err != nil || r.String() != first.String() {
			t.Errorf("begun at %d: error %v\n%s\nwant\n%s", i, err, r, first)
		}
	}
	if got := input(t, text); fmt.Sprint(got.Objects) != fmt.Sprint(in.Objects) {
		t.Errorf("the input is %v afterwards", in.Objects)
	}
}
