package e2e

import (
	"errors"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/types"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/adapters/clientgo"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/guard"
	"github.com/ownergraph/ownergraph/owners"
	"github.com/ownergraph/ownergraph/policy"
)

// TestAnchor tests the proposal's alternative. The objects of a tenant have an owner
// reference to one anchor. A cluster without references is adopted in one pass, which
// can run again. The anchor is deleted by mistake, and no member goes. Members are
// released and moved. Only when a user approves the deletion, the rest goes.
func TestAnchor(t *testing.T) {
	e := newEstate(t)
	store, err := clientgo.New(e.server.Admin(), clientgo.Config{})
	if err != nil {
		t.Fatal(err)
	}
	volumes := e.several(6, volume, e.its(gone, "volume"))
	quotas := e.several(3, e.quota, e.its(gone, "quota"))
	theirs := e.several(3, volume, e.its("1111112", "volume"))
	owner := e.create(node, e.ns)
	owned := e.create(volume, e.its(gone, "owned"), owned(owner))
	anchor := e.key(e.holders[gone])

	match := func(o graph.Object) (ownergraph.Owner, bool) {
		return ownergraph.Owner{Key: anchor}, o.Scope == "" && o.Kind != "Namespace" && strings.HasPrefix(o.Name, e.its(gone, ""))
	}
	r, err := owners.AdoptAll(e.ctx, store, match)
	if err != nil || r.Adopted != 9 || r.Left != 1 || !errors.Is(r.Errors[0], owners.ErrOwned) || len(r.Unlisted) > 0 {
		t.Fatalf("adopted: %+v, %v", r, err)
	}
	if r, err = owners.AdoptAll(e.ctx, store, match); err != nil || r.Adopted != 0 || r.Already != 9 {
		t.Errorf("a second pass: %+v, %v", r, err)
	}
	e.ownedBy([]object{e.holders[gone]}, append(volumes, quotas...)...)
	e.ownedBy([]object{owner}, owned)

	limit := 2
	c := e.sweep(settings{engine: ownergraph.Config{
		Sweeps: []guard.Sweep{{
			Finalizer: "example.org/anchor", Holder: e.tenant.name(), Members: []guard.Members{{By: guard.ByOwner}},
		}},
		Guards: []guard.Guard{{Kinds: []graph.Kind{e.tenant.name()}, Above: &limit}},
	}})
	e.remember()
	e.delete(e.holders[gone], background)
	e.until("wait for the anchor to be held", func() error {
		if e.whyHeld(c, e.holders[gone]) != policy.DeletionRefused {
			return errNotYet
		}
		return nil
	})
	if _, err := c.WaitIdle(e.ctx); err != nil {
		t.Fatal(err)
	}
	e.stays(append(volumes, quotas...)...)

	other := ownergraph.Owner{Key: e.key(e.holders["1111112"])}
	if err := owners.Adopt(e.ctx, store, ownergraph.Owner{Key: anchor}, e.key(theirs[0])); !errors.Is(err, ownergraph.ErrRefused) {
		t.Errorf("an anchor that is being deleted adopts: %v", err)
	}
	if err := owners.Remove(e.ctx, store, anchor, e.key(volumes[0])); err != nil {
		t.Error(err)
	}
	if err := owners.Replace(e.ctx, store, anchor, other, e.key(volumes[1])); err != nil {
		t.Error(err)
	}
	if err := owners.Adopt(e.ctx, store, other, e.key(theirs[0])); err != nil {
		t.Error(err)
	}
	// A member that is another incarnation than the caller names is left alone.
	wrong := e.key(volumes[2])
	wrong.UID = "another"
	if err := owners.Remove(e.ctx, store, anchor, wrong); !errors.Is(err, ownergraph.ErrNotFound) {
		t.Errorf("release of another incarnation: %v", err)
	}

	e.patch(e.holders[gone], map[string]any{"finalizers": e.without(e.holders[gone], graph.FinalizerHold)})
	e.goes(e.holders[gone])
	e.gone(append(volumes[2:], quotas...)...)
	e.stays(volumes[0], volumes[1], owned)
	e.stays(theirs...)
	e.ownedBy(nil, volumes[0])
	e.ownedBy([]object{e.holders["1111112"]}, volumes[1], theirs[0])
}

// uidOf returns the UID of a namespace that was made.
func (e *estate) uidOf(name string) types.UID {
	for _, o := range e.made {
		if o.kind.gvk == namespace.gvk && o.name == name {
			return o.uid
		}
	}
	e.t.Fatalf("no namespace %s was made", name)
	return ""
}
