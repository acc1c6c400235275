package clientgo

import (
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/ownergraph/ownergraph/graph"
)

// owners returns the references in one line, with their Block flags.
func owners(m *meta) string {
	var out []string
	for _, r := range m.OwnerReferences {
		s := r.APIVersion + " " + r.Name
		if r.BlockOwnerDeletion != nil && *r.BlockOwnerDeletion {
			s += "!"
		}
		out = append(out, s)
	}
	return strings.Join(out, ", ")
}

func blocking(r metav1.OwnerReference) metav1.OwnerReference {
	yes := true
	r.BlockOwnerDeletion = &yes
	return r
}

func TestPatch(t *testing.T) {
	node := graph.Key{Kind: "Node", Name: "n", UID: "u1"}
	deployment := graph.Key{Kind: "apps/Deployment", Scope: "ns", Name: "d", UID: "u2"}
	toNode, toDeployment := blocking(ref("v1", "Node", "n", "u1")), blocking(ref("apps/v1beta1", "Deployment", "d", "u2"))
	for _, c := range []struct {
		reason     string
		refs       []metav1.OwnerReference
		finalizers []string
		watched    bool // a watch has reported the object
		loose      bool // without a precondition
		change     graph.Change
		owners     string
		finals     string
		calls      string
	}{
		{reason: "the one reference of an object that was seen: one request", refs: []metav1.OwnerReference{toNode}, watched: true,
			change: graph.Change{DropOwners: []graph.Owner{{Key: node}}}, calls: "patch a"},
		{reason: "the one finalizer: one request, seen or not", finalizers: []string{"f"},
			change: graph.Change{DropFinalizer: "f"}, calls: "patch a"},
		{reason: "one reference of several that were seen: one request, the others stay to the letter", refs: []metav1.OwnerReference{toNode, toDeployment}, watched: true,
			change: graph.Change{DropOwners: []graph.Owner{{Key: deployment}}}, owners: "v1 n!", calls: "patch a"},
		{reason: "all of several that were seen", refs: []metav1.OwnerReference{toNode, toDeployment}, watched: true,
			change: graph.Change{DropOwners: []graph.Owner{{Key: deployment}, {Key: node}}}, calls: "patch a"},
		{reason: "one finalizer of several that were seen", finalizers: []string{"f", "g", "h"}, watched: true,
			change: graph.Change{DropFinalizer: "g"}, finals: "f,h", calls: "patch a"},
		{reason: "both at once", refs: []metav1.OwnerReference{toNode}, finalizers: []string{"f"}, watched: true,
			change: graph.Change{DropOwners: []graph.Owner{{Key: node}}, DropFinalizer: "f"}, calls: "patch a"},
		{reason: "unblock the one reference", refs: []metav1.OwnerReference{toNode}, watched: true,
			change: graph.Change{Unblock: []graph.Owner{{Key: node}}}, owners: "v1 n", calls: "patch a"},
		{reason: "unblock one of several", refs: []metav1.OwnerReference{toNode, toDeployment}, watched: true,
			change: graph.Change{Unblock: []graph.Owner{{Key: deployment}}}, owners: "v1 n!, apps/v1beta1 d", calls: "patch a"},
		{reason: "nothing was seen: it is read", refs: []metav1.OwnerReference{toNode, toDeployment},
			change: graph.Change{DropOwners: []graph.Owner{{Key: deployment}}}, owners: "v1 n!", calls: "get a, patch a"},
		{reason: "a finalizer that is not the first, not seen: a wrong guess is put right", finalizers: []string{"f", "g"},
			change: graph.Change{DropFinalizer: "g"}, finals: "f", calls: "patch a, get a, patch a"},
		{reason: "a reference that is not there: nothing changes", refs: []metav1.OwnerReference{toNode}, watched: true,
			change: graph.Change{DropOwners: []graph.Owner{{Key: deployment}}}, owners: "v1 n!", calls: "get a"},
		{reason: "the same UID by another name is another claim", refs: []metav1.OwnerReference{toNode}, watched: true,
			change: graph.Change{DropOwners: []graph.Owner{{Key: graph.Key{Kind: "Node", Name: "m", UID: "u1"}}}}, owners: "v1 n!", calls: "patch a, get a"},
		{reason: "add an owner: by the version that is served first", refs: []metav1.OwnerReference{toNode},
			change: graph.Change{AddOwner: &graph.Owner{Key: deployment, Block: true}}, owners: "v1 n!, apps/v1 d!", calls: "get a, patch a"},
		{reason: "the first owner and finalizer", change: graph.Change{AddOwner: &graph.Owner{Key: node}, AddFinalizer: "f"},
			owners: "v1 n", finals: "f", calls: "get a, patch a"},
		{reason: "a finalizer that is there already", finalizers: []string{"f"}, change: graph.Change{AddFinalizer: "f"}, finals: "f", calls: "get a"},
		{reason: "no change", finalizers: []string{"f"}, finals: "f", calls: "get a"},
		{reason: "without precondition", finalizers: []string{"f", "g"}, loose: true, change: graph.Change{DropFinalizer: "g"}, finals: "f", calls: "get a, patch a"},
	} {
		t.Run(c.reason, func(t *testing.T) {
			bubble(t, newFake(standardKinds()...), Config{}, func(r *rig) {
				m := named("ns", "a", c.refs...)
				m.Finalizers = c.finalizers
				live := r.create("ConfigMap", m)
				if c.watched {
					r.watch()
				} else if _, err := r.store.discover(r.t.Context(), time.Now()); err != nil {
					t.Fatal(err)
				}
				r.takeCalls()
				pre := exactly(live)
				if c.loose {
					pre = graph.Precondition{}
				}
				if err := r.store.Patch(r.t.Context(), key("ConfigMap", "ns", "a"), pre, c.change); err != nil {
					t.Error(err)
				}
				if got := strings.Join(r.takeCalls(), ", "); got != c.calls {
					t.Errorf("it took %q, want %q", got, c.calls)
				}
				o := r.stored("ConfigMap", "ns", "a")
				if got := owners(o); got != c.owners {
					t.Errorf("owners %q, want %q", got, c.owners)
				}
				if got := strings.Join(o.Finalizers, ","); got != c.finals {
					t.Errorf("finalizers %q, want %q", got, c.finals)
				}
			})
		})
	}
}

// TestPatchIsExact: a patch changes exactly the intended state, or nothing.
func TestPatchIsExact(t *testing.T) {
	node := graph.Owner{Key: graph.Key{Kind: "Node", Name: "n", UID: "u1"}}
	for _, c := range []struct {
		reason string
		pre    func(*meta) graph.Precondition
		before func(*rig)
		change graph.Change
		want   error
	}{
		{"another version", func(m *meta) graph.Precondition { return graph.Precondition{UID: graph.UID(m.UID), Version: "1"} },
			func(*rig) {}, graph.Change{DropOwners: []graph.Owner{node}}, graph.ErrConflict},
		{"another incarnation", func(m *meta) graph.Precondition {
			return graph.Precondition{UID: "other", Version: graph.Version(m.ResourceVersion)}
		}, func(*rig) {}, graph.Change{DropOwners: []graph.Owner{node}}, graph.ErrConflict},
		{"another incarnation, in any version", func(*meta) graph.Precondition { return graph.Precondition{UID: "other"} },
			func(*rig) {}, graph.Change{DropOwners: []graph.Owner{node}}, graph.ErrConflict},
		{"another version, and nothing to change", func(m *meta) graph.Precondition { return graph.Precondition{Version: "1"} },
			func(*rig) {}, graph.Change{}, graph.ErrConflict},
		{"written meanwhile: the first place has something else", exactly, func(r *rig) {
			r.update("ConfigMap", "ns", "a", func(m *meta) { m.OwnerReferences = []metav1.OwnerReference{ref("v1", "Node", "o", "u9")} })
		}, graph.Change{DropOwners: []graph.Owner{node}}, graph.ErrConflict},
		{"gone meanwhile", exactly, func(r *rig) { r.delete("ConfigMap", "ns", "a", 0) },
			graph.Change{DropOwners: []graph.Owner{node}}, graph.ErrNotFound},
		{"a finalizer for an object that is being deleted: the server forbids it", exactly, func(*rig) {},
			graph.Change{AddFinalizer: "g"}, graph.ErrRefused},
		{"an owner of a kind that is not served", exactly, func(*rig) {},
			graph.Change{AddOwner: &graph.Owner{Key: graph.Key{Kind: "X", Name: "x", UID: "u"}}}, graph.ErrRefused},
		{"an unknown policy", exactly, func(*rig) {},
			graph.Change{DropOwners: []graph.Owner{node}, AddOwner: &graph.Owner{Key: node.Key, OnDelete: 9}}, graph.ErrRefused},
		{"a second policy for one owner", exactly, func(*rig) {},
			graph.Change{AddOwner: &graph.Owner{Key: node.Key, OnDelete: graph.OnDeleteRestrict}}, graph.ErrRefused},
	} {
		t.Run(c.reason, func(t *testing.T) {
			bubble(t, newFake(standardKinds()...), Config{}, func(r *rig) {
				m := named("ns", "a", ref("v1", "Node", "n", "u1"))
				if c.change.AddFinalizer != "" {
					m.Finalizers = []string{"f"}
				}
				live := r.create("ConfigMap", m)
				if c.change.AddFinalizer != "" {
					r.delete("ConfigMap", "ns", "a", 0)
					live = r.stored("ConfigMap", "ns", "a")
				}
				r.watch()
				c.before(r)
				was := r.stored("ConfigMap", "ns", "a")
				err := r.store.Patch(r.t.Context(), key("ConfigMap", "ns", "a"), c.pre(live), c.change)
				only(t, c.reason, err, c.want)
				if r.stored("ConfigMap", "ns", "a") != was {
					t.Error("it was changed")
				}
			})
		})
	}
}
