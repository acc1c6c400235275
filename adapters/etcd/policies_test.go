package etcdstore

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/ownergraph/ownergraph/graph"
)

const policyFormat = `{"format":2,`

// reread returns the value of the object's key.
func (r *rig) reread(t *testing.T, o graph.Object) string {
	t.Helper()
	got, err := r.client.Get(t.Context(), r.at(t, o.Key))
	if err != nil || len(got.Kvs) != 1 {
		t.Fatalf("read the key of %s: %v", o, err)
	}
	return string(got.Kvs[0].Value)
}

// policyWrites are the writes that add a policy to a reference of o. The owner is another object.
func (r *rig) policyWrites(t *testing.T, o, owner graph.Object, policy graph.OnDelete) map[string]func() error {
	ref := graph.Owner{Key: owner.Key, OnDelete: policy}
	change := graph.Change{DropOwners: o.Owners, AddOwner: &ref}
	writes := map[string]func() error{
		"create": func() error {
			_, err := r.Create(t.Context(), Record{Object: graph.Object{Key: graph.Key{Kind: "pod", Scope: "ns", Name: "new-" + policy.String()}, Owners: []graph.Owner{ref}}})
			return err
		},
		"update": func() error {
			_, err := r.Update(t.Context(), Record{Object: graph.Object{Key: o.Key, Owners: []graph.Owner{ref}}})
			return err
		},
		"patch": func() error { return r.Patch(t.Context(), o.Key, graph.Precondition{}, change) },
	}
	if !r.conf.Kine {
		writes["batch"] = func() error {
			results, err := r.Batch(t.Context(), []graph.Write{{Type: graph.WritePatch, Key: o.Key, Change: change}, {Type: graph.WriteDelete, Key: graph.Key{Kind: "pod", Scope: "ns", Name: "none"}}})
			return errors.Join(results[0], err)
		}
	}
	return writes
}

// TestPoliciesBegin: before the step the store refuses each write that adds a policy, and keeps a
// stored one in the form of the older programs. After the step it writes each of them in the new
// format. A Store without the setting does so too.
func TestPoliciesBegin(t *testing.T) {
	for _, onKine := range []bool{false, true} {
		t.Run(fmt.Sprintf("kine=%t", onKine), func(t *testing.T) {
			r := newRig(t, Config{Kine: onKine})
			owner := r.create(t, "pod/ns/owner")
			o := r.create(t, "pod/ns/a -> pod/ns/owner@"+string(owner.UID))
			kept := r.create(t, "pod/ns/kept -> pod/ns/owner@"+string(owner.UID))
			kept.Owners[0].OnDelete = graph.OnDeleteRelease
			kept.Version = ""
			text, err := kept.MarshalJSON()
			if err != nil {
				t.Fatal(err)
			}
			r.mustPut(t, r.at(t, kept.Key), []byte(`{"object":`+string(text)+"}\n"))
			for _, policy := range []graph.OnDelete{graph.OnDeleteRelease, graph.OnDeleteRestrict, graph.OnDeleteCascade} {
				for name, write := range r.policyWrites(t, o, owner, policy) {
					if err := write(); !errors.Is(err, graph.ErrRefused) || !strings.Contains(err.Error(), "owners[0].onDelete: "+policy.String()+": Config.Policies begins") {
						t.Errorf("%s of %s on version 1: %v, want ErrRefused with the field and the step", name, policy, err)
					}
				}
			}
			r.patchFinalizer(t, kept, "x/a")
			if v := r.reread(t, kept); strings.HasPrefix(v, policyFormat) || !strings.Contains(v, `"onDelete":"release"`) {
				t.Errorf("the kept policy on version 1 is written as %q", v)
			}
			step := *r
			step.conf.Policies = true
			step.connect()
			if _, err := step.Get(t.Context(), o.Key); err != nil {
				t.Fatal(err)
			}
			if got, err := r.client.Get(t.Context(), r.versionKey); err != nil || len(got.Kvs) != 1 || string(got.Kvs[0].Value) != "2" {
				t.Errorf("the key of the version after the step: %v, %v", got, err)
			}
			if onKine { // a write has no condition there, so the next look tells the Store
				if _, err := r.Select(t.Context(), graph.SelectRequest{Kind: "pod", Selector: "a=b"}); err != nil {
					t.Fatal(err)
				}
			}
			r.patchFinalizer(t, kept, "x/b")
			for name, write := range r.policyWrites(t, o, owner, graph.OnDeleteCascade) {
				if err := write(); err != nil {
					t.Errorf("%s of a cascade on version 2: %v", name, err)
				}
			}
			for _, o := range []graph.Object{o, kept} {
				if v := r.reread(t, o); !strings.HasPrefix(v, policyFormat) {
					t.Errorf("after the step %s is written as %q", o, v)
				}
			}
		})
	}
}

func (r *rig) patchFinalizer(t *testing.T, o graph.Object, name string) {
	t.Helper()
	if err := r.Patch(t.Context(), o.Key, graph.Precondition{}, graph.Change{AddFinalizer: name}); err != nil {
		t.Fatal(err)
	}
}

// TestPoliciesFormatOfRace: another program takes the step between the judgement of a write and its
// transaction. The value then has the new format.
func TestPoliciesFormatOfRace(t *testing.T) {
	r := newRig(t, Config{})
	o := r.create(t, "pod/ns/a")
	o.Owners = []graph.Owner{{Key: graph.Key{Kind: "pod", Scope: "ns", Name: "gone", UID: "1"}, OnDelete: graph.OnDeleteRelease}}
	it := &item{verb: "update", key: o.Key, at: r.at(t, o.Key)}
	if err := r.checkOnce(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := r.readAll(t.Context(), []*item{it}); err != nil {
		t.Fatal(err)
	}
	it.next = step{revision: it.live.revision, record: Record{Object: o}}
	r.encode(it)
	if strings.HasPrefix(string(it.next.value), policyFormat) {
		t.Fatalf("the value for version 1 is %q", it.next.value)
	}
	r.mustPut(t, r.versionKey, []byte("2"))
	if r.swap(t.Context(), []*item{it}); it.err != nil || !it.done {
		t.Fatalf("the write ends with %v", it.err)
	}
	if v := r.reread(t, o); !strings.HasPrefix(v, policyFormat) {
		t.Errorf("after the step the value is %q", v)
	}
}
