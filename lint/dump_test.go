package lint_test

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/lint"
)

// dump is a cluster as a client of Kubernetes sees it.
type dump struct {
	kinds []served
	items []item
	now   time.Time
}

// served is one kind of a cluster, in its versions. The client lists it in the first one.
type served struct {
	group, kind string
	versions    []string
	namespaced  bool
	// failure is the error of the listing. undiscovered says that discovery fails, too.
	failure      string
	undiscovered bool
	// banned says that objects of the kind may not own, and houses that they are containers of scopes.
	banned, houses bool
}

// item is the metadata of one object.
type item struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Metadata   meta   `json:"metadata"`
}

type meta struct {
	Name              string     `json:"name"`
	Namespace         string     `json:"namespace"`
	UID               string     `json:"uid"`
	ResourceVersion   string     `json:"resourceVersion"`
	Finalizers        []string   `json:"finalizers"`
	DeletionTimestamp *time.Time `json:"deletionTimestamp"`
	OwnerReferences   []ref      `json:"ownerReferences"`
}

type ref struct {
	APIVersion         string `json:"apiVersion"`
	Kind               string `json:"kind"`
	Name               string `json:"name"`
	UID                string `json:"uid"`
	Controller         bool   `json:"controller"`
	BlockOwnerDeletion bool   `json:"blockOwnerDeletion"`
}

// recorded reads the recorded cluster. Its kinds are those of its objects, and Event.
func recorded(t testing.TB) *dump {
	t.Helper()
	text, err := os.ReadFile("../examples/quickstart/cluster.json")
	if err != nil {
		t.Fatal(err)
	}
	var list struct{ Items []item }
	if err := json.Unmarshal(text, &list); err != nil {
		t.Fatal(err)
	}
	d := &dump{items: list.Items, now: time.Date(2026, 11, 21, 0, 0, 0, 0, time.UTC)}
	for _, o := range d.items {
		group, version := groupVersion(o.APIVersion)
		if d.kind(group, o.Kind) == nil {
			d.kinds = append(d.kinds, served{group: group, kind: o.Kind, versions: []string{version}, namespaced: o.Metadata.Namespace != "", houses: o.Kind == "Namespace"})
		}
	}
	d.kinds = append(d.kinds, served{kind: "Event", versions: []string{"v1"}, namespaced: true, banned: true})
	return d
}

// groupVersion splits an apiVersion at its last slash.
func groupVersion(apiVersion string) (group, version string) {
	at := strings.LastIndex(apiVersion, "/")
	return apiVersion[:max(at, 0)], apiVersion[at+1:]
}

func (d *dump) kind(group, kind string) *served {
	i := slices.IndexFunc(d.kinds, func(s served) bool { return s.group == group && s.kind == kind })
	if i < 0 {
		return nil
	}
	return &d.kinds[i]
}

// at returns the object at a place, such as Pod/ns/name or Node/name.
func (d *dump) at(place string) *item {
	for i := range d.items {
		if d.items[i].place() == place {
			return &d.items[i]
		}
	}
	panic("no object at " + place)
}

func (o *item) place() string {
	if o.Metadata.Namespace == "" {
		return o.Kind + "/" + o.Metadata.Name
	}
	return o.Kind + "/" + o.Metadata.Namespace + "/" + o.Metadata.Name
}

// ref returns a reference to the object.
func (o *item) ref() ref {
	return ref{APIVersion: o.APIVersion, Kind: o.Kind, Name: o.Metadata.Name, UID: o.Metadata.UID}
}

// add adds an object at a place, with a UID made of the place.
func (d *dump) add(apiVersion, place string, owners ...ref) *item {
	parts := strings.Split(place, "/")
	o := item{APIVersion: apiVersion, Kind: parts[0], Metadata: meta{Name: parts[len(parts)-1], UID: "uid-of-" + strings.ReplaceAll(place, "/", "-"), OwnerReferences: owners}}
	if len(parts) == 3 {
		o.Metadata.Namespace = parts[1]
	}
	d.items = append(d.items, o)
	return &d.items[len(d.items)-1]
}

func kindName(group, kind string) graph.Kind {
	if group == "" {
		return graph.Kind(kind)
	}
	return graph.Kind(group + "/" + kind)
}

// input returns the dump as data of package lint, as an adapter resolves it.
func (d *dump) input() lint.Input {
	in := lint.Input{Now: d.now, Kubernetes: true}
	for _, k := range d.kinds {
		if k.undiscovered {
			in.Kinds = append(in.Kinds, lint.Kind{KindInfo: graph.KindInfo{Kind: kindName(k.group, "*")}, Reason: "discovery fails"})
			continue
		}
		to := lint.Kind{
			KindInfo: graph.KindInfo{Kind: kindName(k.group, k.kind), Scoped: k.namespaced, NoOwner: k.banned},
			Listed:   k.failure == "", Reason: k.failure, Versions: k.versions,
		}
		if k.houses {
			to.Container = graph.Container{Members: graph.ScopeMembers, Actor: "the namespace controller"}
		}
		in.Kinds = append(in.Kinds, to)
	}
	for _, o := range d.items {
		group, _ := groupVersion(o.APIVersion)
		m := o.Metadata
		to := lint.Object{Object: graph.Object{
			Key:     graph.Key{Kind: kindName(group, o.Kind), Scope: m.Namespace, Name: m.Name, UID: graph.UID(m.UID)},
			Version: graph.Version(m.ResourceVersion), Finalizers: m.Finalizers,
		}}
		if m.DeletionTimestamp != nil {
			to.Deleting, to.MarkedAt = true, *m.DeletionTimestamp
		}
		for _, r := range m.OwnerReferences {
			owner, version := d.owner(m.Namespace, r)
			to.Owners = append(to.Owners, owner)
			to.OwnerVersions = append(to.OwnerVersions, version)
		}
		in.Objects = append(in.Objects, to)
	}
	return in
}

// owner resolves a reference of an object in a namespace.
func (d *dump) owner(namespace string, r ref) (o graph.Owner, version string) {
	group, version := groupVersion(r.APIVersion)
	o = graph.Owner{
		Key:   graph.Key{Kind: kindName(group, r.Kind), Name: r.Name, UID: graph.UID(r.UID)},
		Block: r.BlockOwnerDeletion, Controller: r.Controller,
	}
	i := slices.IndexFunc(d.kinds, func(s served) bool { return s.group == group && s.matches(r.Kind) })
	switch {
	case i < 0 || d.kinds[i].undiscovered || !slices.Contains(d.kinds[i].versions, version) || d.kinds[i].namespaced && namespace == "":
		o.Unresolved = true
	case d.kinds[i].namespaced:
		o.Scope = namespace
	}
	return o, version
}

// matches reports whether the REST mapper takes the name for the kind: the kind itself, or
// all of it in small letters.
func (s served) matches(kind string) bool { return kind == s.kind || kind == strings.ToLower(s.kind) }
