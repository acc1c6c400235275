package dump

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/lint"
)

// readRecorded returns the recorded cluster of the quickstart.
func readRecorded(t testing.TB) Content {
	t.Helper()
	f, err := os.Open("../examples/quickstart/cluster.json")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	c, err := Read(f, "cluster.json")
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func mustRead(t *testing.T, input string) Content {
	t.Helper()
	c, err := Read(strings.NewReader(input), "input")
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestReadRecorded: another program counted the objects in the file.
func TestReadRecorded(t *testing.T) {
	c := readRecorded(t)
	want := "287 objects of 27 kinds, 164 owner references (1 cannot be resolved), 38 objects with finalizers"
	if got := c.Summary(); got != want {
		t.Errorf("summary = %q, want %q", got, want)
	}
	uids := make(map[graph.UID]graph.Key)
	for _, o := range c.Objects {
		uids[o.UID] = o.Key
	}
	var wrong []string
	for _, o := range c.Objects {
		for _, ref := range o.Owners {
			if ref.Unresolved || uids[ref.UID] != ref.Key {
				wrong = append(wrong, o.Key.Text()+" -> "+ref.Key.Text())
			}
		}
	}
	wantWrong := []string{
		"ConfigMap/batch/left-behind -> Job.batch/batch/import-2025",
		"ConfigMap/payments/cart-settings-copy -> Deployment.apps/payments/cart",
		"PriorityClass.scheduling.k8s.io/cart-critical -> Deployment.apps/cart",
	}
	if diff := cmp.Diff(wantWrong, wrong); diff != "" {
		t.Errorf("references that lead nowhere (-want +got):\n%s", diff)
	}
}

func TestReadTakesEveryField(t *testing.T) {
	c := mustRead(t, `{"kind": "Rollout", "apiVersion": "example.com/v1beta1", "spec": {"deep": [[1, {"kind": "no"}]]},
		"metadata": {"name": "web", "namespace": "shop", "uid": "u1", "resourceVersion": "7", "generation": 4,
			"finalizers": ["example.com/drain", "orphan"], "deletionTimestamp": "2026-01-02T03:04:05Z", "deletionGracePeriodSeconds": 30,
			"ownerReferences": [
				{"apiVersion": "apps/v1", "kind": "Deployment", "name": "gone", "uid": "u2", "blockOwnerDeletion": true},
				{"apiVersion": "v1", "kind": "Node", "name": "n", "uid": "u3", "controller": true}]},
		"status": {"observedGeneration": 3, "conditions": []}}`)
	want := []graph.Object{{
		Key:     graph.Key{Kind: "example.com/Rollout", Scope: "shop", Name: "web", UID: "u1"},
		Version: "7", Generation: 4, ObservedGeneration: 3, Deleting: true, GraceSeconds: 30,
		Finalizers: []string{"example.com/drain", "orphan"},
		Owners: []graph.Owner{
			{Key: graph.Key{Kind: "apps/Deployment", Scope: "shop", Name: "gone", UID: "u2"}, Block: true},
			{Key: graph.Key{Kind: "Node", Name: "n", UID: "u3"}, Controller: true},
		},
	}}
	if diff := cmp.Diff(want, c.Objects); diff != "" {
		t.Errorf("objects (-want +got):\n%s", diff)
	}
	wantKinds := []graph.KindInfo{{Kind: "example.com/Rollout", Scoped: true}}
	if diff := cmp.Diff(wantKinds, c.Kinds); diff != "" {
		t.Errorf("kinds (-want +got):\n%s", diff)
	}
}

// pod is an object in the shortest notation.
func pod(name string) string {
	return `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"` + name + `","namespace":"n","uid":"uid-` + name + `"}}`
}

func TestReadShapes(t *testing.T) {
	tests := []struct{ name, reason, input string }{
		{"objects", "documents may follow each other without a separator", pod("a") + pod("b") + "\n" + pod("c")},
		{"list", "kubectl prints a List with its kind behind the items", `{"apiVersion":"v1","items":[` + pod("a") + `,` + pod("b") + `,` + pod("c") + `],"kind":"List","metadata":{"resourceVersion":""}}`},
		{"lists", "several lists may follow each other", `{"items":[` + pod("b") + `,` + pod("c") + `],"kind":"List"} {"items":[` + pod("a") + `],"kind":"PodList"}`},
		{"nested", "a list may contain lists", `{"kind":"List","items":[` + pod("a") + `,{"items":[{"kind":"List","items":[` + pod("c") + `]},` + pod("b") + `],"kind":"List"}]}`},
		{"typed", "a server's own list leaves the kind of its items out", `{"kind":"PodList","apiVersion":"v1","items":[
			{"metadata":{"name":"a","namespace":"n","uid":"uid-a"}},{"metadata":{"name":"b","namespace":"n","uid":"uid-b"}},` + pod("c") + `]}`},
		{"empty list", "an empty list among others is no error, in either of its spellings", `{"kind":"PodList","items":null}` + pod("a") + `{"kind":"List","items":[]}` + pod("b") + pod("c")},
		{"own items", "items of an object are its payload where its kind comes first", strings.Replace(pod("a"), `"metadata"`, `"items":[1,{"kind":2}],"metadata"`, 1) + pod("b") + pod("c")},
		{"odd metadata", "a field counts only in its place", strings.Replace(pod("a"), `"uid"`, `"labels":{"uid":"x","UID":"y"},"finalizers":[],"managedFields":[{"name":"x","name":"y","f":["uid","uid"]}],"uid"`, 1) + pod("b") + pod("c")},
		{"odd owners", "a list of owners may be empty, with other fields behind it", strings.Replace(pod("a"), `"uid"`, `"ownerReferences":[],"creationTimestamp":[{"uid":1,"uid":2}],"uid"`, 1) + pod("b") + pod("c")},
		{"mark", "Windows writes a byte order mark", "\ufeff" + pod("a") + pod("b") + pod("c")},
		{"odd status", "a status that means something else by the name is payload", strings.Replace(pod("a"), `{`, `{"status":{"observedGeneration":"6f8d"},`, 1) + strings.Replace(pod("b"), `{`, `{"status":"fine",`, 1) + pod("c")},
	}
	want := mustRead(t, pod("c")+pod("b")+pod("a"))
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := Read(iotest.OneByteReader(strings.NewReader(tt.input)), "input")
			if err != nil {
				t.Fatalf("%v: %s", err, tt.reason)
			}
			if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tt.reason, diff)
			}
		})
	}
}

func TestObservedGeneration(t *testing.T) {
	tests := []struct {
		status string
		want   int64
		reason string
	}{
		{`{"observedGeneration":12}`, 12, "the usual spelling"},
		{`{"observedGeneration":"12"}`, 12, "some kinds write it as text"},
		{`{"observedGeneration":"6f8d"}`, 0, "some kinds put a hash there"},
		{`{"observedGeneration":null}`, 0, "null is none"},
		{`{}`, 0, "most kinds have none"},
		{`[1]`, 0, "a status need not be an object"},
	}
	for _, tt := range tests {
		if got := observedGeneration([]byte(tt.status)); got != tt.want {
			t.Errorf("observedGeneration(%s) = %d, want %d: %s", tt.status, got, tt.want, tt.reason)
		}
	}
}

func TestResolveOwnerScope(t *testing.T) {
	const owner = `"ownerReferences":[{"apiVersion":"%s","kind":"%s","name":"o","uid":"u"}]`
	tests := []struct {
		dependent  string // namespace, "" for a global dependent
		apiVersion string
		kind       string
		others     string
		scope      string
		unresolved bool
		reason     string
	}{
		{"n", "apps/v1", "Deployment", "", "n", false, "every cluster has Deployments, and they are scoped"},
		{"n", "v1", "Node", "", "", false, "every cluster has Nodes, and they are global"},
		{"", "v1", "Node", "", "", false, "a global dependent may have a global owner"},
		{"", "apps/v1", "Deployment", "", "", true, "a global dependent cannot say in which scope its owner is"},
		{"n", "example.com/v1", "Database", "", "", true, "nothing tells whether the kind is scoped"},
		{"n", "example.com/v1", "Database", `{"apiVersion":"example.com/v2","kind":"Database","metadata":{"name":"d","namespace":"m","uid":"x"}}`, "n", false,
			"an object of the kind has a namespace, in any version and place of the input"},
		{"n", "example.com/v1", "Database", `{"apiVersion":"example.com/v1","kind":"Database","metadata":{"name":"d","uid":"x"}}`, "", false, "an object of the kind has no namespace"},
		{"n", "example.org/v1", "Deployment", "", "", true, "a kind of another group says nothing"},
	}
	for _, tt := range tests {
		ref := strings.Replace(strings.Replace(owner, "%s", tt.apiVersion, 1), "%s", tt.kind, 1)
		namespace := ""
		if tt.dependent != "" {
			namespace = `"namespace":"` + tt.dependent + `",`
		}
		c := mustRead(t, `{"apiVersion":"test/v1","kind":"Dependent","metadata":{"name":"a","uid":"a",`+namespace+ref+`}}`+tt.others)
		got := c.Objects[len(c.Objects)-1].Owners[0]
		if got.Scope != tt.scope || got.Unresolved != tt.unresolved {
			t.Errorf("%+v of a dependent in %q: scope %q, unresolved %v: %s", ref, tt.dependent, got.Scope, got.Unresolved, tt.reason)
		}
	}
}

func TestEventsMayNotOwn(t *testing.T) {
	c := mustRead(t, strings.Replace(pod("a"), "Pod", "Event", 1)+pod("b"))
	want := []graph.KindInfo{{Kind: "Event", Scoped: true, NoOwner: true}, {Kind: "Pod", Scoped: true}}
	if diff := cmp.Diff(want, c.Kinds); diff != "" {
		t.Errorf("kinds (-want +got):\n%s", diff)
	}
}

func TestMarkedAt(t *testing.T) {
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for _, c := range []struct {
		grace  int64
		want   time.Time
		reason string
	}{
		{0, at, "no grace period"},
		{30, at.Add(-30 * time.Second), "the mark has the end of the grace period"},
		{math.MaxInt64, at.Add(-maxGrace * time.Second), "an enormous period does not turn the time around"},
	} {
		text := at.Format(time.RFC3339)
		if got, ok := (&metadata{DeletionTimestamp: &text, GraceSeconds: c.grace}).markedAt(); !ok || !got.Equal(c.want) {
			t.Errorf("%v, %t, want %v: %s", got, ok, c.want, c.reason)
		}
	}
}

// TestLint: the input of package lint has the same objects and kinds, and the instants of
// the marks.
func TestLint(t *testing.T) {
	marked := strings.Replace(pod("a"), `"uid"`, `"deletionTimestamp":"2026-01-02T03:04:35Z","deletionGracePeriodSeconds":30,"uid"`, 1)
	odd := strings.Replace(pod("b"), `"uid"`, `"deletionTimestamp":"soon","uid"`, 1)
	c := mustRead(t, marked+odd+`{"apiVersion":"v1","kind":"Node","metadata":{"name":"n","uid":"n"}}`)
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	now := at.Add(time.Hour)
	in := c.Lint(now, []graph.Kind{"Pod"})
	want := lint.Input{
		Now: now, Kubernetes: true,
		Kinds: []lint.Kind{
			{KindInfo: graph.KindInfo{Kind: "Node"}, Listed: true},
			{KindInfo: graph.KindInfo{Kind: "Pod", Scoped: true}, Reason: "the dump has a part of its objects"},
		},
		Objects: []lint.Object{{Object: c.Objects[0]}, {Object: c.Objects[1], MarkedAt: at}, {Object: c.Objects[2]}},
	}
	if diff := cmp.Diff(want, in); diff != "" {
		t.Errorf("input (-want +got):\n%s", diff)
	}
	if _, err := lint.Check(in, lint.Config{}); err != nil {
		t.Error(err)
	}
}

// BenchmarkRead reads 60,000 objects in the form of kubectl.
func BenchmarkRead(b *testing.B) {
	text := large(b, 60_000)
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Read(strings.NewReader(text), "input"); err != nil {
			b.Fatal(err)
		}
	}
}

// large repeats the pods of the recorded cluster under other names, as kubectl prints them.
func large(t testing.TB, objects int) string {
	text, err := os.ReadFile("../examples/quickstart/cluster.json")
	if err != nil {
		t.Fatal(err)
	}
	var list struct{ Items []json.RawMessage }
	if err := json.Unmarshal(text, &list); err != nil {
		t.Fatal(err)
	}
	c := readRecorded(t)
	var pairs []string
	for _, o := range c.Objects {
		pairs = append(pairs, string(o.UID), string(o.UID)+"-ROUND", `"name": "`+o.Name+`"`, `"name": "`+o.Name+`-ROUND"`)
	}
	renamed := strings.NewReplacer(pairs...)
	var out strings.Builder
	out.WriteString(`{"apiVersion":"v1","items":[`)
	for n := 0; n < objects; n++ {
		if n > 0 {
			out.WriteByte(',')
		}
		item := renamed.Replace(string(list.Items[n%len(list.Items)]))
		out.WriteString(strings.ReplaceAll(item, "-ROUND", fmt.Sprint("-", n/len(list.Items))))
	}
	out.WriteString(`],"kind":"List"}`)
	return out.String()
}
