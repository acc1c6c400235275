package plan_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/plan"
	"github.com/ownergraph/ownergraph/policy"
)

// wide has a root with n pods below it.
func wide(n int) plan.Plan {
	root := key("set/s@r")
	p := plan.Plan{Request: plan.Request{Delete: []plan.Target{{Key: root}}}, Objects: []plan.Object{{Key: root, Outcome: plan.Removed, Root: true}}}
	for i := range n {
		p.Objects = append(p.Objects, plan.Object{
			Key: graph.Key{Kind: "pod", Name: fmt.Sprintf("p%06d", i), UID: graph.UID(fmt.Sprint(i))}, Parent: root, Outcome: plan.Removed,
		})
	}
	return counted(p)
}

// counted fills in the counts of the plan's objects.
func counted(p plan.Plan) plan.Plan {
	scopes := map[string]int{}
	p.Totals = []plan.Total{{}}
	for _, o := range p.Objects {
		t := &p.Totals[0]
		t.Affected++
		switch o.Outcome {
		case plan.Removed:
			t.Removed++
			scopes[o.Key.Scope]++
		case plan.Orphaned:
			t.Orphaned++
		case plan.Trimmed:
			t.Trimmed++
		case plan.Kept:
			t.Kept++
		case plan.Held:
			t.Held++
		}
		if o.Possible {
			t.Possible++
		}
	}
	for _, scope := range slices.Sorted(maps.Keys(scopes)) {
		p.Scopes = append(p.Scopes, plan.ScopeTotal{Scope: scope, Removed: scopes[scope]})
	}
	return p
}

// TestTextSigns: each end has its sign and its words. A reason stands only where a reader does not
// expect the end.
func TestTextSigns(t *testing.T) {
	a, b, c, d := key("pod/s/a@1"), key("set/s/b@2"), key("set/s/c@3"), key("set/s/d@4")
	step := func(action policy.Action, finalizer string, owners ...graph.Key) []plan.Step {
		return []plan.Step{{Action: action, Key: a, Finalizer: finalizer, Owners: owners}}
	}
	for _, tt := range []struct {
		object       plan.Object
		steps        []plan.Step
		want, reason string
	}{
		{plan.Object{Outcome: plan.Removed, Reason: policy.OwnersGone, Wave: 3, Phase: 2}, nil, "- pod/s/a", "a reader expects the end of what is below"},
		{plan.Object{Outcome: plan.Removed, Possible: true}, nil, "! pod/s/a may go", "the end is not certain"},
		{plan.Object{Outcome: plan.Removed, Holder: b}, nil, "- pod/s/a goes by the sweep of set/s/b", "no line above it says why it goes"},
		{plan.Object{Outcome: plan.Removed, Holder: b, Parent: b}, nil, "- pod/s/a", "it stands below its holder"},
		{plan.Object{Outcome: plan.Removed, Container: b, Possible: true}, nil, "! pod/s/a may go by the actor of set/s/b", "a member of a container"},
		{plan.Object{Outcome: plan.Orphaned, Reason: policy.NoOwners}, step(policy.Orphan, "", b), "~ pod/s/a loses the owner set/s/b", "the owner leaves it"},
		{plan.Object{Outcome: plan.Orphaned}, step(policy.Orphan, "", b, c), "~ pod/s/a loses the owners set/s/b, set/s/c", "both leave it"},
		{plan.Object{Outcome: plan.Orphaned}, nil, "~ pod/s/a loses an owner", "a limit has cut the step"},
		{plan.Object{Outcome: plan.Orphaned, Possible: true}, step(policy.Orphan, "", b), "! pod/s/a may lose the owner set/s/b", "the end is not certain"},
		{plan.Object{Outcome: plan.Trimmed, Owners: []graph.Key{c}}, step(policy.Trim, "", b), "~ pod/s/a loses the owner set/s/b; set/s/c keeps it", "why it does not go"},
		{plan.Object{Outcome: plan.Kept, Owners: []graph.Key{b}, Parent: b, Reason: policy.OwnerSolid}, nil, "  pod/s/a stays", "its owner stands above it"},
		{plan.Object{Outcome: plan.Kept, Owners: []graph.Key{c, d}, Parent: b, Reason: policy.OwnerSolid}, nil, "  pod/s/a stays: set/s/c, set/s/d keep it", "why it does not go"},
		{plan.Object{Outcome: plan.Kept, Reason: policy.OwnerOrphaned}, nil, "  pod/s/a stays: an owner has left it", "why it does not go"},
		{plan.Object{Outcome: plan.Kept, Reason: policy.NoOwners}, nil, "  pod/s/a stays", "nothing could end it"},
		{plan.Object{Outcome: plan.Kept, Possible: true}, nil, "! pod/s/a may stay", "the end is not certain"},
		{plan.Object{Outcome: plan.Kept}, step(policy.Attach, "x.io/f"), "~ pod/s/a gets the finalizer x.io/f", "the engine writes to it"},
		{plan.Object{Outcome: plan.Kept}, step(policy.Release, "x.io/f"), "~ pod/s/a loses the finalizer x.io/f", "the engine writes to it"},
		{plan.Object{Outcome: plan.Held, Reason: policy.NeedFinalizers, Causes: []string{"x.io/f"}}, nil, "! pod/s/a stays: the finalizer x.io/f holds it", "the finalizer is named"},
		{plan.Object{Outcome: plan.Held, Reason: policy.NeedFinalizers, Causes: []string{"x", "y"}}, nil, "! pod/s/a stays: the finalizers x, y hold it", "both are named"},
		{plan.Object{Outcome: plan.Held, Reason: policy.NeedFinalizers}, nil, "! pod/s/a stays: finalizers hold it", "no finalizer is known"},
		{plan.Object{Outcome: plan.Held, Reason: policy.HandlerFailed, Causes: []string{"a/b@c"}}, nil, "! pod/s/a stays: a finalizer's handler failed (a/b@c)", "a finalizer is no key"},
		{plan.Object{Outcome: plan.Held, Reason: policy.NeedDependents, Causes: []string{`"apps/Set"/s/x@9`}}, nil, "! pod/s/a stays: dependents hold it (Set.apps/s/x)", "a cause is spelled as people read it"},
		{plan.Object{Outcome: plan.Held, Possible: true, Reason: policy.OwnerUnknown, Doubt: graph.Unobserved}, nil, "! pod/s/a may stay: owner not observed", "the doubt is the reason"},
		{plan.Object{}, nil, "! pod/s/a has no end in this plan", "the zero value has a line"},
		{plan.Object{Outcome: plan.Held + 1}, nil, "! pod/s/a has no end in this plan", "so has an unknown value"},
	} {
		tt.object.Key = a
		got, _, _ := strings.Cut(plan.Plan{Objects: []plan.Object{tt.object}, Steps: tt.steps}.Text(), "\n")
		if got != tt.want {
			t.Errorf("got %q, want %q: %s", got, tt.want, tt.reason)
		}
	}
}

// TestText: a text has each fact that a reader needs, and its last line is the sum.
func TestText(t *testing.T) {
	a := key("a/s/a@1")
	for _, c := range []struct {
		plan         plan.Plan
		want, reason string
	}{
		{plan.Plan{}, "without a deletion 0 objects go; 0 are held\n", "an empty request asks for the writes that are due"},
		{plan.Plan{Truncated: 7}, "... and 7 more objects left out by the limit\n", "never silently"},
		{plan.Plan{BestEffort: true}, "best effort", "the store has no fences"},
		{plan.Plan{WithoutBlocker: []graph.Key{a}}, "no dependent blocks the deletion of a/s/a, so it does not wait for its dependents\n", "the foreground is of no use"},
		{plan.Plan{WithoutBlocker: make([]graph.Key, 101)}, "... and 1 more deletion without a blocker\n", "the text is bounded"},
		{plan.Plan{Torn: true}, "not of one instant", "the copy is of several instants"},
		{plan.Plan{Busy: true}, "the collector had work under way", "the plan includes that work"},
		{plan.Plan{Verdicts: []plan.Verdict{{Root: a, Guard: "g", Restricted: []graph.Key{a}, RestrictedMore: 3}}}, "! guard g refuses the deletion of a/s/a: restricted by others: a/s/a and 3 more\n", "a restricted object that has to go"},
		{plan.Plan{Verdicts: []plan.Verdict{{Root: a, Guard: "g", Always: true}}}, "! guard g refuses the deletion of a/s/a: every deletion needs an approval\n", "the deletion does not begin"},
		{plan.Plan{Verdicts: make([]plan.Verdict, 200)}, "without a deletion", "a guard that lets all pass is no news"},
		{plan.Plan{Assumptions: make([]plan.Assumption, 103)}, "... and 3 more assumptions\n", "the text is bounded"},
		{plan.Plan{Objects: []plan.Object{{Key: a, Outcome: plan.Removed, Parent: key("gone")}}}, "- a/s/a\n", "an absent parent puts the object at the top"},
	} {
		got := c.plan.Text()
		if !strings.Contains(got, c.want) || !strings.HasSuffix(got, "\n"+c.plan.Sum()+"\n") && got != c.plan.Sum()+"\n" || strings.Contains(got, "pass") {
			t.Errorf("%q is not in\n%s: %s", c.want, got, c.reason)
		}
	}
	if text := shop().Text(); strings.Contains(text, "wave") || strings.Contains(text, "read") || strings.Contains(text, "fingerprint") {
		t.Errorf("a fact of the details:\n%s", text)
	}
}

// TestTextFolds: more than 10 siblings that are alike share a line, and those that need a look come
// first.
func TestTextFolds(t *testing.T) {
	held := wide(500)
	held.Objects[500].Outcome, held.Objects[500].Reason = plan.Held, policy.NeedFinalizers
	held = counted(held)
	deep, uneven, other := wide(11), wide(11), wide(11)
	for n, o := range deep.Objects[1:] {
		child := plan.Object{Key: graph.Key{Kind: "k", Scope: "s", Name: fmt.Sprint("c", n), UID: o.Key.UID + "c"}, Parent: o.Key, Outcome: plan.Removed}
		deep.Objects = append(deep.Objects, child)
		if n > 0 {
			uneven.Objects = append(uneven.Objects, child)
		}
		other.Objects[n+1].Key.Scope = "t"
	}
	stays := wide(11)
	for n := range stays.Objects {
		stays.Objects[n].Outcome = plan.Kept
	}
	for _, c := range []struct {
		plan         plan.Plan
		want, reason string
	}{
		{wide(10), "- set/s\n  - pod/p000000\n  - pod/p000001\n  - pod/p000002\n  - pod/p000003\n  - pod/p000004\n  - pod/p000005\n  - pod/p000006\n  - pod/p000007\n  - pod/p000008\n  - pod/p000009\n11 ", "10 have a line each"},
		{wide(40), "- set/s\n  - pod x 40: p000000, p000001, p000002 and 37 more\n41 ", "40 share a line"},
		{held, "- set/s\n  ! pod/p000499 stays: finalizers hold it\n  - pod x 499: p000000, p000001, p000002 and 496 more\n500 ", "the held one comes first"},
		{deep, "  - pod x 11: p000000, p000001, p000002 and 8 more; below them 11 go\n", "the trees below are alike"},
		{uneven, "- set/s\n  - pod/p000000\n  - pod/p000001\n    - k/s/c1\n", "one of them has no child, and the others are few"},
		{other, "  - pod x 11: t/p000000, t/p000001, t/p000002 and 8 more\n", "another scope than that of the parent shows"},
		{stays, "    pod x 11: p000000, p000001, p000002 and 8 more; each stays\n", "an end in words"},
	} {
		if got := c.plan.Text(); !strings.Contains(got, c.want) {
			t.Errorf("%q is not in\n%s: %s", c.want, got, c.reason)
		}
	}
}

// TestTextOf: a limit opens the lines that siblings share, and bounds the lines.
func TestTextOf(t *testing.T) {
	p := wide(40)
	p.Objects[30].Outcome = plan.Held
	p = counted(p)
	for _, c := range []struct {
		limit, lines int
		want, reason string
	}{
		{0, 4, "  - pod x 39: ", "the default"},
		{-1, 4, "  - pod x 39: ", "so is a limit below 0"},
		{1000, 42, "  ! pod/p000029 stays: unset\n  - pod/p000000\n", "each object has a line"},
		{5, 7, "  - pod/p000002\n  ... and 36 more objects: 36 go\n40 objects go; 1 is held\n", "the others are counted, and the sum has all"},
		{1, 3, "- set/s\n  ... and 40 more objects: 39 go, 1 is held\n", "the root alone"},
	} {
		if got := p.TextOf(c.limit); !strings.Contains(got, c.want) || strings.Count(got, "\n") != c.lines {
			t.Errorf("limit %d: %q is not in the %d lines of\n%s: %s", c.limit, c.want, c.lines, got, c.reason)
		}
	}
}

// TestTextRings: parents in a ring, and a deep chain, end, and each object is counted once.
func TestTextRings(t *testing.T) {
	ring := plan.Plan{Objects: []plan.Object{
		{Key: key("a"), Parent: key("c")}, {Key: key("b"), Parent: key("a")}, {Key: key("c"), Parent: key("b")}, {Key: key("d"), Parent: key("a")}, {Key: key("e"), Parent: key("e")},
	}}
	if got := ring.Text(); strings.Count(got, " has no end in this plan\n") != 5 {
		t.Errorf("ring:\n%s", got)
	}
	chain := wide(5000)
	for i := 1; i < len(chain.Objects); i++ {
		chain.Objects[i].Parent = chain.Objects[i-1].Key
	}
	if got := chain.Text(); !strings.Contains(got, "... and 4969 more objects: 4969 go\n") {
		t.Errorf("chain:\n%s", got)
	}
}

// TestTextBounded: a text of 100,000 objects with hostile names has few lines, is short, and
// controls no terminal. Equal plans have equal text.
func TestTextBounded(t *testing.T) {
	p := wide(100_000)
	for i := range p.Objects[1:] {
		o := &p.Objects[i+1]
		o.Key.Kind, o.Key.Scope = "a\x1b[2J/b", "\u202e"
		o.Key.Name = fmt.Sprint(i, "a", strings.Repeat("\u0301", 80), "\r\n", strings.Repeat("x", 2000))
		o.Outcome, o.Reason, o.Causes = plan.Held, policy.NeedFinalizers, []string{fmt.Sprint("\x1b[2J", strings.Repeat("\u0301", 80), i)}
	}
	p = counted(p)
	for _, got := range []string{p.Text(), p.TextOf(50), p.Details()} {
		odd := func(r rune) bool { return r != '\n' && !unicode.IsPrint(r) }
		if strings.ContainsFunc(got, odd) || strings.Contains(got, strings.Repeat("\u0301", 5)) || strings.Count(got, "\n") > 1010 || len(got) > 2<<20 {
			t.Errorf("%d lines of %d bytes:\n%.5000s", strings.Count(got, "\n"), len(got), got)
		}
	}
	same := p
	same.Objects = slices.Clone(p.Objects)
	if p.Text() != same.Text() || p.Details() != same.Details() {
		t.Error("equal plans have other texts")
	}
}

func BenchmarkText(b *testing.B) {
	p := wide(100_000)
	for b.Loop() {
		_ = p.Text()
	}
}
