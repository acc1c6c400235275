package clientgo

import (
	"net/http"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/ownergraph/ownergraph/graph"
)

// readKinds returns the standard kinds and two kinds that allow get and not watch. The
// server makes the objects of the first for the answer, and stores those of the second.
func readKinds() []*fakeKind {
	verbs := []string{"get", "list"}
	return append(standardKinds(),
		&fakeKind{kind: "ComponentStatus", plural: "componentstatuses", versions: []string{"v1"}, verbs: verbs},
		&fakeKind{group: "image.example", kind: "Tag", plural: "tags", versions: []string{"v1"}, verbs: verbs})
}

// unstoredStatus answers for the component "scheduler" as kube-apiserver does.
func unstoredStatus(q *http.Request) *fakeResponse {
	if !strings.HasSuffix(q.URL.Path, "/componentstatuses/scheduler") {
		return nil
	}
	return &fakeResponse{code: 200, body: `{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1","metadata":{"name":"scheduler","creationTimestamp":null}}`}
}

// names returns the ConfigMaps with their owners.
func (r *rig) names() string {
	r.fake.mu.Lock()
	defer r.fake.mu.Unlock()
	var out []string
	for _, o := range r.kindOf("ConfigMap").sorted() {
		text := o.Name
		for _, ref := range o.OwnerReferences {
			text += ">" + ref.Name
		}
		out = append(out, text)
	}
	return strings.Join(out, " ")
}

// TestReadOwners: the store reads an owner whose kind is served and cannot be watched.
// A kind outside of the set blocks no fence.
func TestReadOwners(t *testing.T) {
	bubble(t, newFake(readKinds()...), Config{}, func(r *rig) {
		r.fault = unstoredStatus
		tag := r.create("image.example/Tag", named("", "t"))
		r.create("ConfigMap", named("ns", "of-status", ref("v1", "ComponentStatus", "scheduler", "x")))
		r.create("ConfigMap", named("ns", "of-none", ref("v1", "ComponentStatus", "none", "x")))
		r.create("ConfigMap", named("ns", "of-tag", ref("image.example/v1", "Tag", "t", tag.UID)))
		r.create("ConfigMap", named("ns", "of-former-tag", ref("image.example/v1", "Tag", "t", "former")))
		c := r.collect()
		pass(time.Minute)
		if got := r.names(); got != "of-tag>t" {
			t.Errorf("there are %q, want the one whose owner is there", got)
		}
		if held, err := c.WaitIdle(r.t.Context()); err != nil || len(held) > 0 {
			t.Errorf("held %v, %v", held, err)
		}
		r.delete("image.example/Tag", "", "t", 0)
		pass(time.Minute)
		if got := r.names(); got != "of-tag>t" {
			t.Errorf("there are %q, and nothing has said that the owner is gone", got)
		}
		pass(10 * time.Minute) // an audit
		if got := r.names(); got != "" {
			t.Errorf("there are %q, and the owner is gone", got)
		}
	})
}

// TestGetUnstored: an object without a UID counts as absent only if the server makes it
// for the answer alone.
func TestGetUnstored(t *testing.T) {
	bubble(t, newFake(readKinds()...), Config{}, func(r *rig) {
		r.create("ConfigMap", named("ns", "a"))
		status := graph.Key{Kind: "ComponentStatus", Name: "scheduler"}
		for _, c := range []struct {
			key          graph.Key
			path, answer string
			want         error
			reason       string
		}{
			{status, "/componentstatuses/scheduler", `{"name":"scheduler"}`, graph.ErrNotFound, "it is not stored"},
			{status, "/componentstatuses/scheduler", `{"name":"other"}`, nil, "another object than was asked for"},
			{status, "/componentstatuses/scheduler", `{"name":"scheduler","resourceVersion":"7"}`, nil, "it is stored, and its UID is missing"},
			{graph.Key{Kind: "ConfigMap", Scope: "ns", Name: "a"}, "/configmaps/a", `{"name":"a","namespace":"ns"}`, nil, "a kind that is watched has UIDs"},
		} {
			r.locked(func() {
				r.fault = func(q *http.Request) *fakeResponse {
					if !strings.HasSuffix(q.URL.Path, c.path) {
						return nil
					}
					return &fakeResponse{code: 200, body: `{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1","metadata":` + c.answer + `}`}
				}
			})
			_, err := r.store.Get(r.t.Context(), c.key)
			only(t, c.reason, err, c.want)
		}
	})
}

// TestOrphanFreesByUID: an orphan deletion drops each Unresolved reference with the
// owner's UID, as Kubernetes does. A reference to a name that another object may have
// stays.
func TestOrphanFreesByUID(t *testing.T) {
	kinds := append(readKinds(), &fakeKind{kind: "Event", plural: "events", versions: []string{"v1"}, scoped: true},
		&fakeKind{kind: "Binding", plural: "bindings", versions: []string{"v1"}, scoped: true, verbs: []string{"create"}})
	bubble(t, newFake(kinds...), Config{}, func(r *rig) {
		owner := r.create("ConfigMap", named("ns", "owner"))
		add := func(name string, ref metav1.OwnerReference) {
			ref.UID = types.UID(owner.UID)
			r.create("ConfigMap", named("ns", name, ref))
		}
		add("a-plain", ref("v1", "ConfigMap", "owner", ""))
		add("b-event", ref("v1", "Event", "owner", ""))
		add("c-binding", ref("v1", "Binding", "owner", ""))
		add("d-unserved", ref("nowhere.example/v1", "Thing", "owner", ""))
		add("e-path", ref("v1", "ConfigMap", "../owner", ""))
		add("f-control", ref("v1", "ConfigMap", "owner\x01", ""))
		add("g-long", ref("v1", "ConfigMap", strings.Repeat("o", 2000), ""))
		c := r.collect()
		pass(time.Second)
		r.delete("ConfigMap", "ns", "owner", graph.Orphan)
		pass(time.Minute)
		if got, want := r.names(), "a-plain b-event c-binding d-unserved e-path f-control g-long"; got != want {
			t.Errorf("there are %q, want %q", got, want)
		}
		if held, err := c.WaitIdle(r.t.Context()); err != nil || len(held) > 0 {
			t.Errorf("held %v, %v", held, err)
		}
	})
}
