package run

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/policy"
)

// reasons returns the constants of package policy by their values, from its source.
func reasons(t *testing.T) (names []string) {
	t.Helper()
	dir, err := exec.CommandContext(t.Context(), "go", "list", "-f", "{{.Dir}}", "github.com/ownergraph/ownergraph/policy").Output()
	if err != nil {
		t.Fatal(err)
	}
	f, err := parser.ParseFile(token.NewFileSet(), filepath.Join(strings.TrimSpace(string(dir)), "reason.go"), nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range f.Decls {
		g, ok := d.(*ast.GenDecl)
		if !ok || g.Tok != token.CONST {
			continue
		}
		for _, s := range g.Specs {
			names = append(names, s.(*ast.ValueSpec).Names[0].Name)
		}
	}
	return names
}

// TestReasonNames: every reason that an Event reports has the name of its constant. Every
// reason that holds an object is reported, except for settings, for one that ends by itself, and for one of another program.
func TestReasonNames(t *testing.T) {
	names := reasons(t)
	if len(names) < 20 {
		t.Fatalf("constants %q", names)
	}
	silent := []policy.Reason{policy.ObserveOnly, policy.LevelTooLow, policy.NeedGrace, policy.OtherShare}
	for i, name := range names {
		r := policy.Reason(i)
		if got := r.Code(); mentionOf(r) != mentionNever && got != name {
			t.Errorf("%s (%s) is called %q", name, r, got)
		}
		if silent := slices.Contains(silent, r); r.Held() && silent != (mentionOf(r) == mentionNever) {
			t.Errorf("%s: reported as %d, want silence %v", name, mentionOf(r), silent)
		}
	}
	if mentionOf(200) != mentionNever {
		t.Error("a reason that is none is reported")
	}
}

func TestUnresolvable(t *testing.T) {
	for _, c := range []struct {
		r      policy.Reason
		d      graph.Doubt
		want   bool
		reason string
	}{
		{policy.OnlySelf, 0, true, "only its author can correct it"},
		{policy.OwnerUnknown, graph.UnresolvedScope, true, "the reference cannot be read"},
		{policy.OwnerUnknown, graph.ScopedOwner, true, "it never can be"},
		{policy.OwnerUnknown, graph.Misplaced, true, "the owner is elsewhere"},
		{policy.OwnerUnknown, graph.Renamed, true, "the owner has another name"},
		{policy.OwnerUnknown, graph.Unobserved, false, "a read can resolve it"},
		{policy.OwnerUnknown, graph.UnservedKind, false, "a definition may be on its way"},
		{policy.OwnerUnknown, graph.Unreadable, false, "the server may be ill"},
		{policy.OwnerSolid, graph.UnresolvedScope, false, "it is kept anyway"},
	} {
		if got := unresolvable(c.r, c.d); got != c.want {
			t.Errorf("unresolvable(%s, %s) = %v: %s", c.r, c.d, got, c.reason)
		}
	}
}

// TestNamed: a kind that is no longer served is named without a version.
func TestNamed(t *testing.T) {
	w := &sender{version: func(graph.Kind) (schema.GroupVersionKind, bool) { return schema.GroupVersionKind{}, false }}
	for kind, want := range map[graph.Kind]string{"Pod": "Pod", "apps/Deployment": "Deployment"} {
		if got := w.named(kind); got != (schema.GroupVersionKind{Kind: want}) {
			t.Errorf("%s is named %v", kind, got)
		}
	}
}

func TestEventForm(t *testing.T) {
	at := time.Unix(1000, 0)
	cluster := schema.GroupVersionKind{Group: "rbac.authorization.k8s.io", Version: "v1", Kind: "ClusterRole"}
	about := func(kind graph.Kind, scope string, uid graph.UID, r policy.Reason, detail ...string) report {
		return report{key: graph.Key{Kind: kind, Scope: scope, Name: "Some:Name", UID: uid}, topic: topic{uid: uid, reason: r}, detail: detail}
	}
	e := about("rbac.authorization.k8s.io/ClusterRole", "", "u", policy.NeedFinalizers).event("x", cluster, at)
	if e.Namespace != "default" || e.InvolvedObject.GroupVersionKind() != cluster || e.InvolvedObject.Namespace != "" || e.Message != "finalizers hold it" {
		t.Errorf("of an object without a namespace: %+v", e)
	}
	names := map[string]bool{}
	for _, s := range []report{
		about("Pod", "ns", "u", policy.NeedFinalizers), about("Pod", "ns", "u", policy.OnlySelf), about("Pod", "ns", "v", policy.OnlySelf),
		{topic: topic{uid: "u", reason: policy.OnlySelf, doubt: graph.Misplaced}},
	} {
		names[s.event("x", schema.GroupVersionKind{}, at).Name] = true
	}
	if len(names) != 4 {
		t.Errorf("names %v, want one for each object, reason and doubt", names)
	}
	if a, b := about("Pod", "ns", "u", policy.OnlySelf, "a"), about("Pod", "ns", "u", policy.OnlySelf, "b"); a.event("x", cluster, at).Name != b.event("y", schema.GroupVersionKind{}, time.Now()).Name {
		t.Error("a repeated report has another name")
	}
	long := about("Pod", "ns", "u", policy.NeedFinalizers, "x\xff", strings.Repeat("é", maxMessage)).message()
	if len(long) > maxMessage || len(long) < maxMessage-1 || !utf8.ValidString(long) || !strings.HasSuffix(long, "...") {
		t.Errorf("a long message of %d bytes: %q", len(long), long)
	}
}
