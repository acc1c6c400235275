package spell_test

import (
	"errors"
	"os"
	"strings"
	"testing"
	"unicode"

	"github.com/ownergraph/ownergraph/dump"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/spell"
)

// recorded returns the recorded cluster of the quickstart.
func recorded(t *testing.T) []graph.Object {
	t.Helper()
	f, err := os.Open("../../examples/quickstart/cluster.json")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	c, err := dump.Read(f, "cluster.json")
	if err != nil {
		t.Fatal(err)
	}
	return c.Objects
}

func TestFind(t *testing.T) {
	tests := []struct{ typed, want, reason string }{
		{"Deployment/shop/cart", "Deployment.apps/shop/cart", "the group may be left out"},
		{"deployment.apps/shop/cart", "Deployment.apps/shop/cart", "a kind is typed in any case"},
		{"DEPLOYMENT.Apps/shop/cart", "Deployment.apps/shop/cart", "and so is its group"},
		{"deployments/shop/cart", "Deployment.apps/shop/cart", "a plural"},
		{"priorityclasses/cart-critical", "PriorityClass.scheduling.k8s.io/cart-critical", "a plural in -es"},
		{"endpoints/shop/cart", "Endpoints/shop/cart", "a kind that is its own plural"},
		{"deployment/cart", "Deployment.apps/shop/cart", "the scope may be left out where the name is used once"},
		{"Cluster/orders", "Cluster.db.example.com/orders", "a global object has no scope"},
		{"customresourcedefinition/clusters.db.example.com", "CustomResourceDefinition.apiextensions.k8s.io/clusters.db.example.com", "a name may contain dots"},
		{"ConfigMap./batch/left-behind", "ConfigMap/batch/left-behind", "a dot without a group is the core group"},
	}
	objects := recorded(t)
	for _, tt := range tests {
		parsed, err := spell.ParseTarget(tt.typed)
		if err != nil {
			t.Errorf("%v: %s", err, tt.reason)
			continue
		}
		if parsed.String() != tt.typed {
			t.Errorf("String of %q = %q", tt.typed, parsed)
		}
		o, err := spell.Find(objects, parsed)
		if got := o.Key.Text(); err != nil || got != tt.want {
			t.Errorf("find %s = %s, %v, want %s: %s", tt.typed, got, err, tt.want, tt.reason)
		}
	}
}

func TestFindErrors(t *testing.T) {
	tests := []struct {
		typed    string
		sentinel error
		want     string
		reason   string
	}{
		{"deployment/payments/cart", graph.ErrNotFound,
			"no such object, but there is Deployment.apps/shop/cart", "the same kind and name in another scope comes first"},
		{"statefulset/shop/cart", graph.ErrNotFound,
			"no such object, but there is Endpoints/shop/cart, Service/shop/cart, Deployment.apps/shop/cart, PodDisruptionBudget.policy/shop/cart", "the same name of another kind"},
		{"deploymnt/shop/cart", graph.ErrNotFound,
			"no object of that kind (do you mean the kind Deployment.apps?), but there is Endpoints/shop/cart, Service/shop/cart, Deployment.apps/shop/cart, PodDisruptionBudget.policy/shop/cart", "a kind that nothing has"},
		{"deployment.batch/shop/cart", graph.ErrNotFound,
			"no object of that kind (do you mean the kind Deployment.apps?), but there is Endpoints/shop/cart, Service/shop/cart, Deployment.apps/shop/cart, PodDisruptionBudget.policy/shop/cart", "the kind of another group is another kind"},
		{"Deployment/shop/Cart", graph.ErrNotFound,
			"no such object, but there is Deployment.apps/shop/cart", "names are typed in their case"},
		{"pod/shop/frontend-7bf546966", graph.ErrNotFound,
			"no such object, but there is Pod/shop/frontend-7bf546966-49h49, Pod/shop/frontend-7bf546966-jh4qk, ReplicaSet.apps/shop/frontend-7bf546966", "names that start alike, and the same name"},
		{"deploymnt/payments/frontend", graph.ErrNotFound, "no object of that kind (do you mean the kind Deployment.apps?), but there is Endpoints/shop/frontend, Service/shop/frontend, " +
			"Deployment.apps/shop/frontend, PodDisruptionBudget.policy/shop/frontend", "the name anywhere is the last resort"},
		{"pod/nothing", graph.ErrNotFound, "no such object", "nothing comes near"},
		{"serviceaccount/default", spell.ErrAmbiguous, "ServiceAccount/batch/default, ServiceAccount/data/default, ServiceAccount/default/default, " +
			"ServiceAccount/kube-node-lease/default, ServiceAccount/kube-public/default and 4 more", "one name in several scopes, and the list is bounded"},
		{"po\x1b[2J/shop/cart", graph.ErrNotFound, "no object of that kind, but there is Endpoints/shop/cart, Service/shop/cart, " +
			"Deployment.apps/shop/cart, PodDisruptionBudget.policy/shop/cart", "the user's text cannot control the terminal"},
	}
	objects := recorded(t)
	for _, tt := range tests {
		parsed, err := spell.ParseTarget(tt.typed)
		if err != nil {
			t.Errorf("%v: %s", err, tt.reason)
			continue
		}
		_, err = spell.Find(objects, parsed)
		want := "find " + spell.Clip(tt.typed) + ": " + tt.sentinel.Error() + ": " + tt.want
		if !errors.Is(err, tt.sentinel) || err.Error() != want {
			t.Errorf("error %v\nwant  %s: %s", err, want, tt.reason)
		}
	}
}

// TestFindAmbiguousGroup: two groups may have one kind and one name. The user can type
// each candidate.
func TestFindAmbiguousGroup(t *testing.T) {
	objects := []graph.Object{
		{Key: graph.Key{Kind: "Pod", Scope: "n", Name: "a", UID: "uid-a"}},
		{Key: graph.Key{Kind: "example.com/Pod", Scope: "n", Name: "a", UID: "other"}},
	}
	_, err := spell.Find(objects, spell.Target{Kind: "pod", Name: "a"})
	want := "find pod/a: ambiguous: Pod./n/a, Pod.example.com/n/a"
	if err == nil || err.Error() != want {
		t.Fatalf("error %v, want %s", err, want)
	}
	for typed, uid := range map[string]graph.UID{"Pod./n/a": "uid-a", "Pod.example.com/n/a": "other"} {
		parsed, err := spell.ParseTarget(typed)
		if err != nil {
			t.Fatal(err)
		}
		if o, err := spell.Find(objects, parsed); err != nil || o.UID != uid {
			t.Errorf("find %s = %s, %v, want UID %s", typed, o.UID, err, uid)
		}
	}
}

func TestEverySpellingIsFound(t *testing.T) {
	objects := recorded(t)
	for _, o := range objects {
		parsed, err := spell.ParseTarget(o.Key.Text())
		if err != nil {
			t.Fatal(err)
		}
		if got, err := spell.Find(objects, parsed); err != nil || got.Key != o.Key {
			t.Errorf("find %s = %v, %v", o.Key.Text(), got.Key, err)
		}
	}
}

// TestFindOddNames: a store of a user may have any names. Each spelling is printable, and
// can be typed.
func TestFindOddNames(t *testing.T) {
	for _, k := range []graph.Key{
		{Kind: "pod", Scope: "a b", Name: "c"},
		{Kind: "pod", Name: "a/b"},
		{Kind: "pod", Name: "\x1b[2J"},
		{Kind: "pod", Name: `"`},
		{Kind: "v1.pod", Name: "a"},
		{Kind: "a/b/c", Name: "a"},
		{Kind: "pod", Name: "\xff"},
	} {
		k.UID = "u"
		text := k.Text()
		parsed, err := spell.ParseTarget(text)
		if err != nil {
			t.Error(err)
			continue
		}
		o, err := spell.Find([]graph.Object{{Key: graph.Key{Kind: "x", Name: "y"}}, {Key: k}}, parsed)
		if err != nil || o.Key != k || parsed.String() != text {
			t.Errorf("find %s = %v, %v, want %v", text, o.Key, err, k)
		}
		if strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsPrint(r) }) {
			t.Errorf("spelling %q cannot be shown", text)
		}
		if _, err := spell.Find(nil, parsed); !errors.Is(err, graph.ErrNotFound) {
			t.Errorf("find %s in nothing: %v", text, err)
		}
	}
}

func TestParseTargetErrors(t *testing.T) {
	tests := []struct{ typed, reason string }{
		{"", "nothing"},
		{"pod", "no name"},
		{"pod/", "an empty name"},
		{"/shop/cart", "an empty kind"},
		{".apps/cart", "an empty kind with a group"},
		{"pod//cart", "an empty scope does not mean any scope"},
		{"apps/Deployment/shop/cart", "the group belongs behind the kind"},
		{`"pod"/a`, "quotes without need are no place"},
	}
	for _, tt := range tests {
		if parsed, err := spell.ParseTarget(tt.typed); err == nil || !strings.HasPrefix(err.Error(), "parse object ") {
			t.Errorf("ParseTarget(%q) = %v, %v: %s", tt.typed, parsed, err, tt.reason)
		}
	}
}

func TestPlural(t *testing.T) {
	tests := []struct{ kind, want, reason string }{
		{"Pod", "pods", "the plain case"},
		{"Ingress", "ingresses", "a hiss"},
		{"NetworkPolicy", "networkpolicies", "a consonant and y"},
		{"Gateway", "gateways", "a vowel and y"},
		{"IPAddress", "ipaddresses", "a hiss"},
		{"Patch", "patches", "a hiss of two letters"},
	}
	for _, tt := range tests {
		if got := spell.Plural(tt.kind); got != tt.want {
			t.Errorf("Plural(%s) = %s, want %s: %s", tt.kind, got, tt.want, tt.reason)
		}
	}
}
