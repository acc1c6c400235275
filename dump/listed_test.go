package dump

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/lint"
)

// ownedBy is a Pod with one owner.
func ownedBy(name, apiVersion, kind string) string {
	owner := `"ownerReferences":[{"apiVersion":"` + apiVersion + `","kind":"` + kind + `","name":"o","uid":"uid-of-o"}],"uid"`
	return strings.Replace(pod(name), `"uid"`, owner, 1)
}

// onlyFinding returns the one finding about an object, as code and fate.
func onlyFinding(t *testing.T, c Content) string {
	t.Helper()
	r, err := lint.Check(c.Lint(time.Time{}, nil), lint.Config{})
	if err != nil || len(r.Findings) != 1 {
		t.Fatalf("error %v, findings:\n%s", err, r)
	}
	return r.Findings[0].Code.String() + ": " + r.Findings[0].Message + " " + r.Findings[0].Fate.String()
}

// TestUnlisted: a kind that references name and no object has is not listed. The dump does not
// tell whether the cluster serves it.
func TestUnlisted(t *testing.T) {
	for _, c := range []struct {
		apiVersion, kind string
		want             graph.KindInfo
		finding          string
		reason           string
	}{
		{"batch/v1", "Job", graph.KindInfo{Kind: "batch/Job", Scoped: true}, `OG002: The dump does not list the kind "Job.batch" (the dump has no object of it), so the owner may exist. not known from this dump`, "a kind of every cluster"},
		{"x.io/v1", "Y", graph.KindInfo{Kind: "x.io/Y"}, `OG002: The dump does not list the kind "Y.x.io" (the dump has no object of it), so the owner may exist. not known from this dump`, "a kind of unknown scope"},
		{"v1", "Event", graph.KindInfo{Kind: "Event", Scoped: true, NoOwner: true}, `OG008: Objects of the kind "Event" may not own. not known from this dump`, "no event owns in any cluster"},
	} {
		got := mustRead(t, ownedBy("a", c.apiVersion, c.kind))
		if diff := cmp.Diff([]graph.KindInfo{c.want}, got.Unlisted); diff != "" || len(got.Kinds) != 1 {
			t.Errorf("%s: kinds %v, unlisted (-want +got):\n%s", c.reason, got.Kinds, diff)
		}
		if f := onlyFinding(t, got); f != c.finding {
			t.Errorf("%s: finding\n%s, want\n%s", c.reason, f, c.finding)
		}
	}
	wrong := mustRead(t, strings.Replace(ownedBy("a", "x.io/v1", "Y"), "uid-of-o", "uid-b", 1)+pod("b"))
	if f := onlyFinding(t, wrong); !strings.HasPrefix(f, `OG005: The object with this UID has the kind "Pod".`) {
		t.Errorf("the dump shows the owner under another kind: %s", f)
	}
}

// TestWithListed: the word of the caller lists a kind without an object, so its owners are gone.
func TestWithListed(t *testing.T) {
	c := mustRead(t, ownedBy("a", "batch/v1", "Job")+ownedBy("b", "x.io/v1", "Y"))
	before := c.Lint(time.Time{}, nil)
	full, err := c.WithListed([]graph.KindInfo{{Kind: "batch/Job", Scoped: true}, {Kind: "x.io/Y", Scoped: true}, {Kind: "Pod", Scoped: true}})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(before, c.Lint(time.Time{}, nil)); diff != "" {
		t.Errorf("the content itself changed (-want +got):\n%s", diff)
	}
	r, err := lint.Check(full.Lint(time.Time{}, nil), lint.Config{})
	if got := r.String(); err != nil || strings.Count(got, "OG001") != 2 || len(full.Kinds) != 3 || len(full.Unlisted) != 0 {
		t.Errorf("error %v, kinds %v, unlisted %v, findings:\n%s", err, full.Kinds, full.Unlisted, got)
	}
	if owner := full.Objects[1].Owners[0]; owner.Unresolved || owner.Scope != "n" {
		t.Errorf("the reference %v is not resolved", owner)
	}
	for _, k := range []struct {
		kind   graph.KindInfo
		reason string
	}{
		{graph.KindInfo{Kind: "batch/Job"}, "every cluster has namespaced jobs"},
		{graph.KindInfo{Kind: "Pod"}, "the dump has namespaced pods"},
		{graph.KindInfo{}, "no name"},
	} {
		if _, err := c.WithListed([]graph.KindInfo{k.kind}); !errors.Is(err, graph.ErrInvalid) {
			t.Errorf("%v: %v, want a refusal: %s", k.kind, err, k.reason)
		}
	}
	twice, err := c.WithListed(slices.Repeat([]graph.KindInfo{{Kind: "x.io/Y"}}, 2))
	if err != nil || len(twice.Kinds) != 2 {
		t.Errorf("a kind given twice: %v, kinds %v", err, twice.Kinds)
	}
}
