package clientgo

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/ownergraph/ownergraph/graph"
)

// TestNamespaceFinalizers: each read and watch reports the finalizers of a Namespace's
// metadata and spec. No other kind has a spec.
func TestNamespaceFinalizers(t *testing.T) {
	f := newFake(standardKinds()...)
	n := withNamespaces(t, f, space("a", []string{"x.io/f"}, []string{"kubernetes"}), space("b", nil, nil), space("c", nil, []string{"kubernetes", "x.io/other"}))
	want := map[string][]string{
		"a": {"x.io/f", NamespaceFinalizer}, "b": nil, "c": {NamespaceFinalizer, "spec.finalizers:x.io/other"},
	}
	bubble(t, f, Config{NoStreaming: true}, func(r *rig) {
		n.t = r.t
		r.watch()
		pass(time.Minute)
		r.mu.Lock()
		events := slices.Clone(r.events)
		r.mu.Unlock()
		seen := map[string]int{}
		for _, e := range events {
			if e.Type != graph.Put || e.Object.Kind != "Namespace" {
				continue
			}
			seen[e.Object.Name]++
			if got := e.Object.Finalizers; !slices.Equal(got, want[e.Object.Name]) {
				r.t.Errorf("%s is reported with %q, want %q", e.Object.Name, got, want[e.Object.Name])
			}
		}
		for name, f := range want {
			if seen[name] < 2 {
				r.t.Errorf("%s was reported %d times, want by the listing and by the watch", name, seen[name])
			}
			o, err := r.store.Get(r.t.Context(), graph.Key{Kind: "Namespace", Name: name})
			if err != nil || !slices.Equal(o.Finalizers, f) {
				r.t.Errorf("get %s: %q, %v, want %q", name, o.Finalizers, err, f)
			}
		}
	})
}

// TestFinalize: a change of the spec's finalizers goes to the finalize endpoint, under
// UID and version. The rest of the namespace does not change.
func TestFinalize(t *testing.T) {
	const other = "spec.finalizers:x.io/other"
	exact := graph.Precondition{UID: "a-uid", Version: "7"}
	for _, c := range []struct {
		metadata, spec string
		pre            graph.Precondition
		change         graph.Change
		moved          bool   // another client writes between the read and the write
		put            string // the written namespace, or ""
		want           error
		reason         string
	}{
		{"", "kubernetes", exact, graph.Change{DropFinalizer: NamespaceFinalizer}, false,
			"a labels map[team:red] metadata [] spec []", nil, "it is ended"},
		{"x.io/f", "kubernetes,x.io/other", exact, graph.Change{DropFinalizer: NamespaceFinalizer}, false,
			"a labels map[team:red] metadata [x.io/f] spec [x.io/other]", nil, "nothing else is taken away"},
		{"", "", exact, graph.Change{AddFinalizer: NamespaceFinalizer}, false,
			"a labels map[team:red] metadata [] spec [kubernetes]", nil, "a sweep guards one that was bare"},
		{"", "x.io/other", exact, graph.Change{AddFinalizer: NamespaceFinalizer, DropFinalizer: other}, false,
			"a labels map[team:red] metadata [] spec [kubernetes]", nil, "both at once"},
		{"", "", exact, graph.Change{DropFinalizer: NamespaceFinalizer}, false, "", nil, "another client has removed it: nothing changes"},
		{"", "kubernetes", exact, graph.Change{AddFinalizer: NamespaceFinalizer}, false, "", nil, "it is there already"},
		{"", "kubernetes", graph.Precondition{UID: "a-uid", Version: "6"}, graph.Change{DropFinalizer: NamespaceFinalizer}, false, "", graph.ErrConflict, "another version"},
		{"", "kubernetes", graph.Precondition{UID: "b-uid"}, graph.Change{DropFinalizer: NamespaceFinalizer}, false, "", graph.ErrConflict, "another incarnation"},
		{"", "", graph.Precondition{UID: "a-uid", Version: "6"}, graph.Change{DropFinalizer: NamespaceFinalizer}, false, "", graph.ErrConflict, "another version, and nothing to change"},
		{"", "kubernetes", exact, graph.Change{DropFinalizer: NamespaceFinalizer}, true, "", graph.ErrConflict, "upstream writes meanwhile: it is judged anew, and not tried again here"},
		{"", "kubernetes", graph.Precondition{UID: "a-uid"}, graph.Change{DropFinalizer: NamespaceFinalizer}, true,
			"a labels map[team:blue] metadata [] spec []", nil, "a patch without a version applies to any state"},
		{"x.io/f", "kubernetes", exact, graph.Change{DropFinalizer: NamespaceFinalizer, AddFinalizer: "x.io/g"}, false, "", graph.ErrRefused, "two endpoints cannot be written at once"},
		{"", "kubernetes", exact, graph.Change{DropFinalizer: NamespaceFinalizer, DropOwners: []graph.Owner{{Key: graph.Key{Kind: "Node", Name: "n", UID: "u"}}}}, false, "", graph.ErrRefused, "the same"},
	} {
		t.Run(c.reason, func(t *testing.T) {
			f := newFake(standardKinds()...)
			n := withNamespaces(t, f, space("a", fields(c.metadata), fields(c.spec)))
			bubble(t, f, Config{}, func(r *rig) {
				n.t = r.t
				if c.moved {
					n.moved = func() {
						o := n.live["a"].DeepCopy()
						o.ResourceVersion, o.Labels["team"] = "8", "blue"
						n.live["a"] = o
					}
				}
				err := r.store.Patch(r.t.Context(), graph.Key{Kind: "Namespace", Name: "a", UID: "a-uid"}, c.pre, c.change)
				if c.want != nil {
					only(r.t, c.reason, err, c.want)
				} else if err != nil {
					r.t.Error(err)
				}
				if got := strings.Join(n.put, "; "); got != c.put {
					r.t.Errorf("written %q, want %q", got, c.put)
				}
			})
		})
	}
}

// TestFinalizeEnds: the change removes a marked namespace without other finalizers. A
// removed namespace is not found.
func TestFinalizeEnds(t *testing.T) {
	f := newFake(standardKinds()...)
	o := space("a", nil, []string{"kubernetes"})
	o.DeletionTimestamp = &metav1.Time{Time: time.Unix(1, 0)}
	n := withNamespaces(t, f, o)
	bubble(t, f, Config{}, func(r *rig) {
		n.t = r.t
		k := graph.Key{Kind: "Namespace", Name: "a", UID: "a-uid"}
		drop := graph.Change{DropFinalizer: NamespaceFinalizer}
		if err := r.store.Patch(r.t.Context(), k, graph.Precondition{UID: "a-uid", Version: "7"}, drop); err != nil || len(n.live) != 0 {
			r.t.Errorf("finalize: %v, and there are %d namespaces", err, len(n.live))
		}
		only(r.t, "it is gone", r.store.Patch(r.t.Context(), k, graph.Precondition{UID: "a-uid", Version: "7"}, drop), graph.ErrNotFound)
		got := of(r.takeCalls(), "namespaces", "finalize", "get a")
		r.want(got, "get a", "put finalize", "get a")
	})
}

// TestExactPatchOfNamespace: the indexes of a metadata patch do not count the
// finalizers of the spec.
func TestExactPatchOfNamespace(t *testing.T) {
	c := buildCatalog(discovered{}, undiscovered{}, nil, newIgnored(nil))
	for _, x := range []struct {
		kind       graph.Kind
		finalizers []string
		change     graph.Change
		want       string
		reason     string
	}{
		{"Namespace", []string{NamespaceFinalizer}, graph.Change{AddFinalizer: "x.io/f"}, "add /metadata/finalizers [x.io/f]", "the list is not there"},
		{"Namespace", []string{"x.io/e", NamespaceFinalizer}, graph.Change{AddFinalizer: "x.io/f"}, "add /metadata/finalizers/- x.io/f", "it is"},
		{"Namespace", []string{"x.io/e", "orphan", NamespaceFinalizer}, graph.Change{DropFinalizer: "orphan"}, "test /metadata/finalizers/1 orphan, remove /metadata/finalizers/1 <nil>", "the places are the metadata's"},
		{"Pod", []string{NamespaceFinalizer}, graph.Change{AddFinalizer: "x.io/f"}, "add /metadata/finalizers/- x.io/f", "a pod has none in its spec"},
	} {
		m := named("", "a")
		m.UID, m.ResourceVersion, m.Finalizers = "u", "1", x.finalizers
		ops, err := c.exactPatch(c.objectOf(x.kind, &m), &m, x.change)
		var got []string
		for _, op := range ops[min(2, len(ops)):] {
			got = append(got, fmt.Sprint(op.Op, " ", op.Path, " ", op.Value))
		}
		if err != nil || strings.Join(got, ", ") != x.want {
			t.Errorf("%q, %v, want %q: %s", got, err, x.want, x.reason)
		}
	}
}
