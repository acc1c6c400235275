package clientgo

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/annotation"
	"github.com/ownergraph/ownergraph/engine"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/policy"
)

// configMaps is the kind of the dependents.
var configMaps = schema.GroupVersionKind{Version: "v1", Kind: "ConfigMap"}

// policied returns a ConfigMap in ns whose annotation has a reference with a policy to each owner.
func policied(t *testing.T, name string, d graph.OnDelete, owners ...metav1.OwnerReference) meta {
	t.Helper()
	m := named("ns", name)
	for _, r := range owners {
		if err := SetOwner(&m, configMaps, r, d); err != nil {
			t.Fatal(err)
		}
	}
	return m
}

// withValue returns a ConfigMap in ns with a value of the annotation.
func withValue(name, value string, owners ...metav1.OwnerReference) meta {
	m := named("ns", name, owners...)
	m.Annotations = map[string]string{OwnersAnnotation: value}
	return m
}

// policiesOf returns the references of an object in one line, with their policies.
func policiesOf(o graph.Object) string {
	var out []string
	for _, r := range o.Owners {
		out = append(out, strings.TrimSuffix(fmt.Sprintf("%s@%s:%s", r.Name, r.UID, r.OnDelete), ":unset"))
	}
	return strings.Join(out, ", ")
}

// TestAnnotationReads: a read, a watch, a listing, a conversion and a dump have the references of the
// annotation behind the owner references. A copy has none, and the fault of a value is a reference.
func TestAnnotationReads(t *testing.T) {
	node, deployment := ref("v1", "Node", "n", "u1"), ref("apps/v1", "Deployment", "d", "u2")
	of := policied(t, "a", graph.OnDeleteCascade, node).Annotations[OwnersAnnotation]
	for _, c := range []struct {
		object meta
		want   string
		flaw   string
		reason string
	}{
		{policied(t, "a", graph.OnDeleteRelease, node), "n@u1:release", "", "a reference with a policy"},
		{withValue("a", of, deployment), "d@u2, n@u1:cascade", "", "one of each list"},
		{policied(t, "a", graph.OnDeleteRestrict, node, deployment), "n@u1:restrict, d@u2:restrict", "", "two of them"},
		{withValue("b", of, deployment), "d@u2", "", "a copy of another object's value"},
		{withValue("a", of, node), "n@u1, n@u1:cascade", "owners[1].onDelete: cascade, and unset in another reference", "one owner with two policies"},
		{withValue("a", "{", deployment), "d@u2, read annotation", "owners[1]: read annotation " + OwnersAnnotation + ": text", "no JSON"},
		{withValue("a", strings.Replace(of, "cascade", "later", 1)), "read annotation", "references[0].onDelete: \"later\" is unknown", "an unknown policy"},
		{withValue("a", ""), "read annotation", "owners[0]: read annotation", "an empty value"},
		{withValue("a", strings.Repeat(" ", annotation.MaxBytes+1)), "read annotation", "65537 bytes, more than 65536", "too long"},
	} {
		t.Run(c.reason, func(t *testing.T) {
			bubble(t, newFake(standardKinds()...), Config{PageSize: 1}, func(r *rig) {
				live := r.create("ConfigMap", c.object)
				got, err := r.store.ObjectOf(r.t.Context(), configMaps, live)
				if err != nil {
					t.Fatal(err)
				}
				if text := policiesOf(got); !strings.HasPrefix(text, c.want) || c.flaw == "" && text != c.want {
					t.Errorf("references %s, want %s", text, c.want)
				}
				flaw := graph.Flaw(got, graph.Limits{})
				if (flaw == nil) != (c.flaw == "") || flaw != nil && !strings.Contains(flaw.Error(), c.flaw) {
					t.Errorf("the flaw is %v, want %q", flaw, c.flaw)
				}
				if read, err := r.store.Get(r.t.Context(), got.Key); err != nil || !read.Equal(got) {
					t.Errorf("a read has %+v, %v", read, err)
				}
				dumped, err := r.store.Dump(r.t.Context(), "")
				if err != nil || len(dumped.Objects) != 1 || !dumped.Objects[0].Equal(got) || len(dumped.Objects[0].OwnerVersions) > len(got.Owners) {
					t.Errorf("a dump has %+v, %v", dumped.Objects, err)
				}
				r.watch()
				pass(time.Minute)
				if listed := r.live[got.Key]; !listed.Equal(got) {
					t.Errorf("a watch has %+v", listed)
				}
			})
		})
	}
}

// TestAnnotationKinds: a kind that comes later gives the references of annotations their place.
func TestAnnotationKinds(t *testing.T) {
	bubble(t, newFake(definitionKinds()...), Config{}, func(r *rig) {
		live := r.create("ConfigMap", policied(t, "a", graph.OnDeleteCascade, ref("shop.example/v1", "Cart", "c", "u1")))
		at := graph.Key{Kind: "ConfigMap", Scope: "ns", Name: "a", UID: graph.UID(live.UID)}
		r.hide(true)
		r.watch()
		pass(time.Minute)
		if o := r.live[at]; len(o.Owners) != 1 || !o.Owners[0].Unresolved {
			t.Errorf("before its kind is served: %+v", o.Owners)
		}
		r.hide(false)
		pass(5 * time.Minute)
		if o := r.live[at]; len(o.Owners) != 1 || o.Owners[0].Unresolved || o.Owners[0].Scope != "ns" {
			t.Errorf("after that: %+v", o.Owners)
		}
	})
}

// TestPatchAnnotation: a patch changes the references of the annotation, tests its former value, and
// leaves all other annotations. An object that the watch has shown costs one request.
func TestPatchAnnotation(t *testing.T) {
	node, deployment := blocking(ref("v1", "Node", "n", "u1")), blocking(ref("apps/v1", "Deployment", "d", "u2"))
	toNode := graph.Owner{Key: graph.Key{Kind: "Node", Name: "n", UID: "u1"}, Block: true, OnDelete: graph.OnDeleteRelease}
	toDeployment := graph.Owner{Key: graph.Key{Kind: "apps/Deployment", Scope: "ns", Name: "d", UID: "u2"}, Block: true, OnDelete: graph.OnDeleteRelease}
	plain := toDeployment
	plain.OnDelete = graph.OnDeleteUnset
	both := policied(t, "a", graph.OnDeleteRelease, node, deployment)
	mixed := policied(t, "a", graph.OnDeleteRelease, node)
	mixed.OwnerReferences = []metav1.OwnerReference{deployment}
	long := policied(t, "a", graph.OnDeleteRelease, node, ref("v1", "Node", strings.Repeat("m", maxLayoutAnnotation), "u3"))
	for _, c := range []struct {
		reason  string
		object  meta
		change  graph.Change
		owners  string // after it, of both lists
		unblock bool   // the first one
		calls   string
	}{
		{"the last one takes the annotation along", policied(t, "a", graph.OnDeleteRelease, node), graph.Change{DropOwners: []graph.Owner{toNode}}, "", false, "patch a"},
		{"one of two", both, graph.Change{DropOwners: []graph.Owner{toNode}}, "d@u2:release", false, "patch a"},
		{"one of each list, in one request", mixed, graph.Change{DropOwners: []graph.Owner{plain, toNode}}, "", false, "patch a"},
		{"the one of the other list", mixed, graph.Change{DropOwners: []graph.Owner{plain}}, "n@u1:release", false, "patch a"},
		{"unblock", both, graph.Change{Unblock: []graph.Owner{toNode}}, "n@u1:release, d@u2:release", true, "patch a"},
		{"one that is not there", policied(t, "a", graph.OnDeleteRelease, node), graph.Change{DropOwners: []graph.Owner{toDeployment}}, "n@u1:release", false, "get a"},
		{"the policy changes", mixed, graph.Change{DropOwners: []graph.Owner{plain}, AddOwner: &toDeployment}, "n@u1:release, d@u2:release", false, "get a, patch a"},
		{"the policy goes", both, graph.Change{DropOwners: []graph.Owner{toDeployment}, AddOwner: &plain}, "d@u2, n@u1:release", false, "get a, patch a"},
		{"the first one of an object without annotations", named("ns", "a"), graph.Change{AddOwner: &toNode}, "n@u1:release", false, "get a, patch a"},
		{"a copy is replaced", withValue("a", policied(t, "b", graph.OnDeleteCascade, deployment).Annotations[OwnersAnnotation]), graph.Change{AddOwner: &toNode}, "n@u1:release", false, "get a, patch a"},
		{"a long value is read first", long, graph.Change{DropOwners: []graph.Owner{toNode}}, strings.Repeat("m", maxLayoutAnnotation) + "@u3:release", false, "get a, patch a"},
	} {
		for _, others := range []map[string]string{nil, {"x.io/note": "kept~/\"<", OwnersAnnotation + "x": "kept too"}} {
			t.Run(fmt.Sprint(c.reason, len(others)), func(t *testing.T) {
				bubble(t, newFake(standardKinds()...), Config{}, func(r *rig) {
					m := *c.object.DeepCopy()
					if m.Annotations == nil && others != nil {
						m.Annotations = map[string]string{}
					}
					maps.Copy(m.Annotations, others)
					live := r.create("ConfigMap", m)
					r.watch()
					r.takeCalls()
					at := key("ConfigMap", "ns", "a")
					if err := r.store.Patch(r.t.Context(), at, exactly(live), c.change); err != nil {
						t.Fatal(err)
					}
					if got := strings.Join(r.takeCalls(), ", "); got != c.calls {
						t.Errorf("it took %q, want %q", got, c.calls)
					}
					o, err := r.store.Get(r.t.Context(), at)
					if err != nil || policiesOf(o) != c.owners || graph.Flaw(o, graph.Limits{Text: 1 << 14}) != nil {
						t.Errorf("references %s, %v, want %s", policiesOf(o), err, c.owners)
					}
					if len(o.Owners) > 0 && o.Owners[0].Block == c.unblock && !strings.HasPrefix(c.reason, "a long") {
						t.Errorf("the first reference blocks: %t", o.Owners[0].Block)
					}
					left := maps.Clone(r.stored("ConfigMap", "ns", "a").Annotations)
					if _, is := left[OwnersAnnotation]; is != strings.Contains(c.owners, ":") {
						t.Errorf("the annotation is there: %t", is)
					}
					delete(left, OwnersAnnotation)
					if !maps.Equal(left, others) {
						t.Errorf("other annotations %q, want %q", left, others)
					}
				})
			})
		}
	}
}

// TestPatchAnnotationRefused: a patch never replaces a value that it cannot read or that has changed,
// and makes no object flawed.
func TestPatchAnnotationRefused(t *testing.T) {
	node := ref("v1", "Node", "n", "u1")
	toNode := graph.Owner{Key: graph.Key{Kind: "Node", Name: "n", UID: "u1"}, OnDelete: graph.OnDeleteRelease}
	plain, other := toNode, toNode
	plain.OnDelete, other.OnDelete = graph.OnDeleteUnset, graph.OnDeleteCascade
	self := toNode
	self.Key = graph.Key{Kind: "ConfigMap", Scope: "ns", Name: "a", UID: "u9"}
	for _, c := range []struct {
		object meta
		before func(*rig)
		change graph.Change
		want   error
		reason string
	}{
		{withValue("a", "{"), func(*rig) {}, graph.Change{AddOwner: &toNode}, graph.ErrRefused, "a value that cannot be read"},
		{policied(t, "a", graph.OnDeleteRelease, node), func(r *rig) {
			r.update("ConfigMap", "ns", "a", func(m *meta) { m.Annotations[OwnersAnnotation] = "{}" })
		}, graph.Change{DropOwners: []graph.Owner{toNode}}, graph.ErrConflict, "another client has changed it"},
		{policied(t, "a", graph.OnDeleteRelease, node), func(*rig) {}, graph.Change{AddOwner: &other}, graph.ErrRefused, "a second policy for one owner"},
		{policied(t, "a", graph.OnDeleteRelease, node), func(*rig) {}, graph.Change{AddOwner: &plain}, graph.ErrRefused, "the same as an owner reference"},
		{policied(t, "a", graph.OnDeleteRelease, node), func(*rig) {}, graph.Change{AddOwner: &toNode}, graph.ErrRefused, "the same one twice"},
		{named("ns", "a"), func(*rig) {}, graph.Change{AddOwner: &self}, graph.ErrRefused, "the object itself"},
	} {
		t.Run(c.reason, func(t *testing.T) {
			bubble(t, newFake(standardKinds()...), Config{}, func(r *rig) {
				live := r.create("ConfigMap", c.object)
				r.watch()
				c.before(r)
				was := r.stored("ConfigMap", "ns", "a")
				err := r.store.Patch(r.t.Context(), key("ConfigMap", "ns", "a"), exactly(live), c.change)
				if !errors.Is(err, c.want) || errors.Is(c.want, graph.ErrRefused) && !errors.Is(err, graph.ErrInvalid) {
					t.Errorf("%v, want %v", err, c.want)
				}
				if r.stored("ConfigMap", "ns", "a") != was {
					t.Error("it was changed")
				}
			})
		})
	}
}

// TestHeldPolicies: an object with a policy that the settings hold is flawed, and keeps its references.
func TestHeldPolicies(t *testing.T) {
	bubble(t, newFake(standardKinds()...), Config{HeldPolicies: []graph.OnDelete{graph.OnDeleteCascade, graph.OnDeleteRestrict}}, func(r *rig) {
		for _, c := range []struct {
			d    graph.OnDelete
			flaw string
		}{
			{graph.OnDeleteRelease, ""},
			{graph.OnDeleteCascade, "owners[1]: annotation " + OwnersAnnotation + ": references[0].onDelete: the settings of the store hold objects with cascade: invalid"},
			{graph.OnDeleteRestrict, "owners[1]: annotation " + OwnersAnnotation + ": references[0].onDelete: the settings of the store hold objects with restrict: invalid"},
		} {
			m := policied(t, "of-"+c.d.String(), c.d, ref("v1", "Node", "n", "u1"))
			o, err := r.store.ObjectOf(r.t.Context(), configMaps, r.create("ConfigMap", m))
			if err != nil {
				t.Fatal(err)
			}
			flaw := graph.Flaw(o, graph.Limits{})
			if len(o.Owners) == 0 || o.Owners[0].OnDelete != c.d || (flaw == nil) != (c.flaw == "") || flaw != nil && !strings.HasSuffix(flaw.Error(), c.flaw) {
				t.Errorf("%s: references %s, flaw %v", c.d, policiesOf(o), flaw)
			}
		}
	})
	for _, d := range []graph.OnDelete{graph.OnDeleteUnset, 9} {
		if _, err := New(newFake().serve(t), Config{HeldPolicies: []graph.OnDelete{d}}); !errors.Is(err, graph.ErrInvalid) {
			t.Errorf("%s is held: %v", d, err)
		}
	}
}

// TestPoliciesOnServer: the engine deletes, releases and restricts by annotations. It holds objects
// whose value it cannot read, and a copy decides nothing.
func TestPoliciesOnServer(t *testing.T) {
	bubble(t, newFake(standardKinds()...), Config{}, func(r *rig) {
		n, live := r.create("Node", named("", "n")), r.create("Node", named("", "live"))
		gone, kept := ref("v1", "Node", "n", n.UID), ref("v1", "Node", "live", live.UID)
		cascade := policied(t, "cascade", graph.OnDeleteCascade, gone)
		cascade.OwnerReferences = []metav1.OwnerReference{kept}
		r.create("ConfigMap", cascade)
		r.create("ConfigMap", policied(t, "release", graph.OnDeleteRelease, gone))
		r.create("ConfigMap", withValue("copy", cascade.Annotations[OwnersAnnotation], kept))
		r.create("ConfigMap", withValue("unreadable", strings.Replace(policied(t, "unreadable", graph.OnDeleteCascade, gone).Annotations[OwnersAnnotation], "cascade", "later", 1), gone))
		r.create("ConfigMap", withValue("alone", "cascade"))
		d := r.create("apps/Deployment", named("ns", "restricted", gone))
		r.create("ConfigMap", policied(t, "restrict", graph.OnDeleteRestrict, ref("apps/v1", "Deployment", "restricted", d.UID)))
		col := r.collectWith(ownergraph.Config{Policies: true})
		pass(time.Minute)
		r.delete("Node", "", "n", graph.Background)
		pass(10 * time.Minute)
		var left []string
		r.locked(func() {
			for _, o := range r.kindOf("ConfigMap").sorted() {
				left = append(left, o.Name)
			}
		})
		if want := []string{"alone", "copy", "release", "restrict", "unreadable"}; !slices.Equal(left, want) {
			t.Errorf("left %q, want %q", left, want)
		}
		if m := r.stored("ConfigMap", "ns", "release"); len(m.Annotations) > 0 {
			t.Errorf("the released object has %q", m.Annotations)
		}
		if m := r.stored("apps/Deployment", "ns", "restricted"); m == nil {
			t.Error("the restricted object is gone")
		}
		held := map[string]engine.Held{}
		for _, h := range col.Held(10) {
			held[h.Key.Name] = h
		}
		for _, c := range []struct {
			name   string
			want   policy.Reason
			detail string
		}{
			{"unreadable", policy.ObjectFlawed, OwnersAnnotation + ": references[0].onDelete"},
			{"alone", policy.ObjectFlawed, OwnersAnnotation + ": text"},
			{"restricted", policy.Restricted, "ConfigMap/ns/restrict"},
		} {
			if h := held[c.name]; h.Reason != c.want || !strings.Contains(strings.Join(h.Detail, " "), c.detail) {
				t.Errorf("%s is held: %v %q, want %v and %q", c.name, h.Reason, h.Detail, c.want, c.detail)
			}
		}
		r.delete("ConfigMap", "ns", "restrict", graph.Background)
		pass(10 * time.Minute)
		if m := r.stored("apps/Deployment", "ns", "restricted"); m != nil {
			t.Error("the object is no longer restricted, and stays")
		}
	})
}
