package clientgo

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/lint"
)

// dumpText returns the objects, and the kinds that are not listed.
func dumpText(in lint.Input) string {
	var out []string
	for _, o := range in.Objects {
		text := string(o.Kind) + "/" + o.Scope + "/" + o.Name
		for i, owner := range o.Owners {
			text += ">" + owner.Name + ":" + o.OwnerVersions[i]
		}
		if o.Deleting {
			text += "~" + o.MarkedAt.UTC().Format("15:04:05")
		}
		out = append(out, text)
	}
	slices.Sort(out)
	for _, k := range in.Kinds {
		if !k.Listed {
			out = append(out, string(k.Kind)+": "+k.Reason)
		}
	}
	return strings.Join(out, "\n")
}

// TestDump: each kind is listed by pages, without a watch, and with the facts of lint.
func TestDump(t *testing.T) {
	bubble(t, newFake(standardKinds()...), Config{PageSize: 2}, func(r *rig) {
		owner := r.create("apps/Deployment", named("ns", "d"))
		for i := range 5 {
			r.create("ConfigMap", named("ns", fmt.Sprint("c", i), ref("apps/v1beta1", "Deployment", "d", owner.UID)))
		}
		grace := int64(30)
		marked := named("", "n")
		marked.DeletionTimestamp, marked.DeletionGracePeriodSeconds = &metav1.Time{Time: time.Date(2030, 1, 2, 3, 4, 35, 0, time.UTC)}, &grace
		marked.Finalizers = []string{"x.io/y"}
		r.create("Node", marked)
		in, err := r.store.Dump(r.t.Context(), "")
		if err != nil {
			t.Fatal(err)
		}
		want := "ConfigMap/ns/c0>d:v1beta1\nConfigMap/ns/c1>d:v1beta1\nConfigMap/ns/c2>d:v1beta1\nConfigMap/ns/c3>d:v1beta1\nConfigMap/ns/c4>d:v1beta1\n" +
			"Node//n~03:04:05\napps/Deployment/ns/d"
		if got := dumpText(in); got != want {
			t.Errorf("the dump is\n%s\nwant\n%s", got, want)
		}
		for _, k := range in.Kinds {
			if k.Kind == "apps/Deployment" && !slices.Equal(k.Versions, []string{"v1", "v1beta1"}) {
				t.Errorf("the versions are %v", k.Versions)
			}
		}
		for _, call := range r.calls {
			if strings.Contains(call, "watch") {
				t.Errorf("a watch: %s", call)
			}
		}
	})
}

// TestDumpFaults: a kind that fails is named with the reason, and the others are listed.
func TestDumpFaults(t *testing.T) {
	once := 0
	for _, c := range []struct {
		reason string
		fault  func(*http.Request) *fakeResponse
		want   string // the reason of configmaps, or "" for a listing
	}{
		{"a missing right", failing("configmaps", 403), "cannot list configmaps: forbidden"},
		{"a server that is not available", failing("configmaps", 503), "cannot list configmaps: "},
		{"a path that is not served", failing("configmaps", 404), "cannot list configmaps: the server does not serve them"},
		{"a page that breaks off", listsOf("configmaps", func(*http.Request) *fakeResponse {
			return &fakeResponse{code: 200, body: `{"kind":"PartialObjectMetadataList","apiVersion":"meta.k8s.io/v1","items":[{"metadata":{"na`}
		}), "cannot list configmaps: "},
		{"an object without a UID", listsOf("configmaps", func(*http.Request) *fakeResponse {
			return &fakeResponse{code: 200, body: `{"kind":"PartialObjectMetadataList","apiVersion":"meta.k8s.io/v1","items":[{"metadata":{"name":"a"}}]}`}
		}), "cannot list configmaps: "},
		{"an expired token begins the listing anew", listsOf("configmaps", func(q *http.Request) *fakeResponse {
			if q.URL.Query().Get("continue") == "" || once > 0 {
				return nil
			}
			once++
			return &fakeResponse{code: 410}
		}), ""},
		{"a token that expires always", listsOf("configmaps", func(q *http.Request) *fakeResponse {
			if q.URL.Query().Get("continue") == "" {
				return nil
			}
			return &fakeResponse{code: 410}
		}), "cannot list configmaps: "},
	} {
		bubble(t, newFake(standardKinds()...), Config{PageSize: 1}, func(r *rig) {
			for i := range 3 {
				r.create("ConfigMap", named("ns", fmt.Sprint("c", i)))
			}
			r.create("Node", named("", "n"))
			r.locked(func() { r.fault = c.fault })
			in, err := r.store.Dump(r.t.Context(), "")
			if err != nil {
				t.Fatal(err)
			}
			got := dumpText(in)
			want := "Node//n\nConfigMap: " + c.want
			if c.want == "" {
				want = "ConfigMap/ns/c0\nConfigMap/ns/c1\nConfigMap/ns/c2\nNode//n"
			}
			if !strings.HasPrefix(got, want) || c.want == "" && got != want {
				t.Errorf("%s: the dump is\n%s\nwant\n%s", c.reason, got, want)
			}
		})
	}
}

// listsOf is a fault of the lists of one resource.
func listsOf(resource string, do func(*http.Request) *fakeResponse) func(*http.Request) *fakeResponse {
	return func(q *http.Request) *fakeResponse {
		if strings.HasSuffix(q.URL.Path, "/"+resource) {
			return do(q)
		}
		return nil
	}
}

// TestDumpFallback: a user of one namespace gets its objects, and the kinds are named.
func TestDumpFallback(t *testing.T) {
	bubble(t, newFake(standardKinds()...), Config{}, func(r *rig) {
		r.create("ConfigMap", named("mine", "a"))
		r.create("ConfigMap", named("other", "b"))
		r.locked(func() {
			r.fault = func(q *http.Request) *fakeResponse {
				if strings.HasSuffix(q.URL.Path, "/configmaps") && !strings.Contains(q.URL.Path, "/namespaces/mine/") {
					return &fakeResponse{code: 403}
				}
				return nil
			}
		})
		in, err := r.store.Dump(r.t.Context(), "mine")
		want := "ConfigMap/mine/a\nConfigMap: cannot list configmaps outside of the namespace mine: forbidden"
		if got := dumpText(in); err != nil || got != want {
			t.Errorf("the dump is\n%s\n%v, want\n%s", got, err, want)
		}
	})
}

// TestReread: a read by name brings an object that is newer than the listing, and a failure
// leaves the kind unknown.
func TestReread(t *testing.T) {
	bubble(t, newFake(standardKinds()...), Config{}, func(r *rig) {
		r.create("ConfigMap", named("ns", "old"))
		in, err := r.store.Dump(r.t.Context(), "")
		if err != nil {
			t.Fatal(err)
		}
		r.create("ConfigMap", named("ns", "new"))
		keys := []graph.Key{{Kind: "ConfigMap", Scope: "ns", Name: "old"}, {Kind: "ConfigMap", Scope: "ns", Name: "new"}, {Kind: "ConfigMap", Scope: "ns", Name: "new", UID: "former"}, {Kind: "ConfigMap", Scope: "ns", Name: "none"}, {Kind: "Other", Name: "x"}}
		if err := r.store.Reread(r.t.Context(), &in, keys); err != nil {
			t.Fatal(err)
		}
		if got, want := dumpText(in), "ConfigMap/ns/new\nConfigMap/ns/old"; got != want {
			t.Errorf("the dump is\n%s\nwant\n%s", got, want)
		}
		r.locked(func() { r.fault = failing("configmaps", 503) })
		if err := r.store.Reread(r.t.Context(), &in, keys); err != nil {
			t.Fatal(err)
		}
		if got := dumpText(in); !strings.Contains(got, "\nConfigMap: cannot list configmaps: ") {
			t.Errorf("the dump is\n%s", got)
		}
		ctx, cancel := context.WithCancel(r.t.Context())
		cancel()
		if err := r.store.Reread(ctx, &in, keys[:1]); err != nil {
			t.Errorf("a kind that is not listed is read: %v", err)
		}
		if _, err := r.store.Dump(ctx, ""); !errors.Is(err, context.Canceled) {
			t.Errorf("Dump after the end of its context: %v", err)
		}
	})
}
