package dump

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/spell"
)

// TestReadRoundTrip: the same objects are read from any split into documents and lists,
// and with their fields in any order.
func TestReadRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		objects := drawObjects(t)
		var pieces []string
		for _, o := range rapid.Permutation(objects).Draw(t, "order") {
			pieces = append(pieces, encode(t, o))
		}
		for rapid.Bool().Draw(t, "another list") {
			from := rapid.IntRange(0, len(pieces)-1).Draw(t, "from")
			to := rapid.IntRange(from, len(pieces)).Draw(t, "to")
			list := `{"items":[` + strings.Join(pieces[from:to], ",") + `],"kind":"List"}`
			if strings.Count(list, `"List"`) > maxLists-2 {
				break
			}
			pieces = slices.Concat(pieces[:from], []string{list}, pieces[to:])
		}
		got, err := Read(strings.NewReader(strings.Join(pieces, "\n")), "input")
		if err != nil {
			t.Fatal(err)
		}
		slices.SortFunc(objects, func(a, b graph.Object) int { return a.Compare(b.Key) })
		if diff := cmp.Diff(objects, got.Objects, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("objects (-want +got):\n%s", diff)
		}
	})
}

// drawObjects makes objects of a scoped and of a global kind that own each other.
func drawObjects(t *rapid.T) []graph.Object {
	var objects []graph.Object
	for i := range rapid.IntRange(1, 6).Draw(t, "objects") {
		key := graph.Key{Kind: "Node", Name: fmt.Sprint("n", i), UID: graph.UID(fmt.Sprint("u", i))}
		if rapid.Bool().Draw(t, "scoped") {
			key.Kind, key.Scope = "apps/Deployment", rapid.SampledFrom([]string{"x", "y"}).Draw(t, "scope")
		}
		objects = append(objects, graph.Object{
			Key:                key,
			Version:            graph.Version(rapid.StringMatching(`[0-9]{0,3}`).Draw(t, "version")),
			Finalizers:         rapid.SliceOfN(rapid.SampledFrom([]string{"a/b", "orphan", "ü"}), 0, 2).Draw(t, "finalizers"),
			Deleting:           rapid.Bool().Draw(t, "deleting"),
			GraceSeconds:       rapid.Int64Range(0, 60).Draw(t, "grace"),
			Generation:         rapid.Int64().Draw(t, "generation"),
			ObservedGeneration: rapid.Int64().Draw(t, "observed"),
		})
	}
	for i := range objects {
		for range rapid.IntRange(0, 2).Draw(t, "owners") {
			objects[i].Owners = append(objects[i].Owners, drawOwner(t, objects, objects[i].Scope))
		}
	}
	return objects
}

// drawOwner makes a reference as it resolves for a dependent in scope.
func drawOwner(t *rapid.T, objects []graph.Object, scope string) graph.Owner {
	owner := graph.Owner{
		Key:        rapid.SampledFrom(objects).Draw(t, "owner").Key,
		Block:      rapid.Bool().Draw(t, "block"),
		Controller: rapid.Bool().Draw(t, "controller"),
	}
	if owner.Scope != "" {
		owner.Scope, owner.Unresolved = scope, scope == ""
	}
	return owner
}

// encode writes o in Kubernetes' notation, with its fields in some order.
func encode(t *rapid.T, o graph.Object) string {
	apiVersion := func(k graph.Kind) string {
		return strings.TrimSuffix(strings.TrimSuffix(string(k), "Deployment"), "Node") + "v1"
	}
	name := func(k graph.Kind) string { _, name := spell.Split(k); return name }
	meta := map[string]any{
		"name": o.Name, "namespace": o.Scope, "uid": o.UID, "resourceVersion": o.Version, "finalizers": o.Finalizers,
		"deletionGracePeriodSeconds": o.GraceSeconds, "generation": o.Generation, "labels": map[string]string{"uid": "no"},
	}
	if o.Deleting {
		meta["deletionTimestamp"] = "2026-01-02T03:04:05Z"
	}
	var owners []map[string]any
	for _, ref := range o.Owners {
		owners = append(owners, map[string]any{"apiVersion": apiVersion(ref.Kind), "kind": name(ref.Kind), "name": ref.Name, "uid": ref.UID,
			"blockOwnerDeletion": ref.Block, "controller": ref.Controller})
	}
	meta["ownerReferences"] = owners
	var fields []string
	for field, value := range map[string]any{
		"apiVersion": apiVersion(o.Kind), "kind": name(o.Kind), "metadata": meta,
		"status": map[string]any{"observedGeneration": o.ObservedGeneration}, "spec": []any{1, meta},
	} {
		text, err := json.Marshal(value)
		if err != nil {
			t.Fatal(err)
		}
		fields = append(fields, fmt.Sprintf("%q:%s", field, text))
	}
	slices.Sort(fields)
	return "{" + strings.Join(rapid.Permutation(fields).Draw(t, "fields"), ",") + "}"
}
