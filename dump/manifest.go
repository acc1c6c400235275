package dump

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/lint"
)

// ReadManifests reads objects that no server has yet, in the form that Read takes. They need no
// UID. A field of ownership that is missing or malformed becomes a flaw of its object, which
// lint.CheckManifests reports. The result has no Store and no Scope, and its kinds are those whose
// scope the input or every Kubernetes cluster tells.
//
// An error is that of Read. It stands for text that is no JSON, for a field of another type, for a
// field that stands twice, and for an input without an object.
//
//test:by TestReadManifests
func ReadManifests(r io.Reader, name string) (lint.Manifests, error) {
	d := newDecoder(r, maxBytes)
	m := manifests{inventory: d.inventory, guessed: map[graph.Kind]bool{}, defined: map[graph.Kind]string{}}
	d.manifest = func(r *record) { m.add(r, name+", "+d.place()) }
	if err := d.documents(name); err != nil {
		return lint.Manifests{}, err
	}
	if len(m.objects) == 0 {
		return lint.Manifests{}, fmt.Errorf("read %s: no object in %d documents", name, d.number-1)
	}
	return lint.Manifests{Objects: m.objects, Kinds: m.kinds()}, nil
}

// manifests collects the objects of one input.
type manifests struct {
	inventory *inventory          // of the scopes of defined kinds
	guessed   map[graph.Kind]bool // kinds with an object that names a namespace
	objects   []lint.Manifest
	defined   map[graph.Kind]string // the name of the definition of each kind
}

func (m *manifests) add(r *record, at string) {
	o := r.manifest(at)
	if o.Scope != "" {
		m.guessed[o.Kind] = true
	}
	m.define(&o.Object.Object, r)
	m.objects = append(m.objects, o)
}

// define takes the kind that a definition of the files defines, with its scope.
func (m *manifests) define(o *graph.Object, r *record) {
	var spec struct {
		Scope string `json:"scope"`
	}
	kind, err := r.definition(o)
	if err != nil || kind == "" || json.Unmarshal(r.spec, &spec) != nil || spec.Scope == "" {
		return
	}
	m.inventory.scoped[kind], m.defined[kind] = spec.Scope != "Cluster", o.Name
}

// kinds returns the kinds of known scope, sorted. A namespace in a file tells the scope of a kind
// that nothing else tells: many files name one for an object of a global kind, and the server
// drops it there.
func (m *manifests) kinds() (list []graph.KindInfo) {
	seen := map[graph.Kind]bool{"": true}
	add := func(k graph.Kind) {
		scoped, known := m.inventory.scopedKind(k)
		if (known || m.guessed[k]) && !seen[k] {
			scoped = scoped || !known
			seen[k] = true
			list = append(list, graph.KindInfo{Kind: k, Scoped: scoped, NoOwner: isEvent(k), Container: container(k), Definition: m.defined[k]})
		}
	}
	for i := range m.objects {
		add(m.objects[i].Kind)
		for _, r := range m.objects[i].Owners {
			add(r.Kind)
		}
	}
	for k := range m.defined {
		add(k)
	}
	slices.SortFunc(list, byName)
	return list
}

// manifest returns the record as an object of a file, with the flaws of its fields.
func (r *record) manifest(at string) lint.Manifest {
	o, m := lint.Manifest{At: at}, &r.meta
	flaw := func(prefix string, err error) {
		if err != nil {
			field, cause, _ := strings.Cut(err.Error(), ": ")
			o.Flaws = append(o.Flaws, lint.FieldFlaw{Field: prefix + field, Cause: prefix + field + ": " + cause})
		}
	}
	kind, err := whole(joinKind(r.apiVersion, r.kind))
	flaw("", err)
	o.Kind, o.Scope, o.Name, o.UID, o.Version = kind, m.Namespace, m.Name, graph.UID(m.UID), graph.Version(m.ResourceVersion)
	if o.Generated = m.Name == "" && m.GenerateName != ""; o.Generated {
		o.Name = m.GenerateName
	}
	flaw("", checkName("name", o.Name))
	if m.Namespace != "" {
		flaw("", checkName("namespace", m.Namespace))
	}
	if m.UID != "" {
		flaw("", checkName("uid", m.UID))
	}
	o.Finalizers = m.Finalizers
	for i := range m.OwnerReferences {
		ref := &m.OwnerReferences[i]
		kind, err := whole(joinKind(ref.APIVersion, ref.Kind))
		prefix := fmt.Sprintf("owners[%d].", i)
		flaw(prefix, err)
		flaw(prefix, checkName("name", ref.Name))
		o.Owners = append(o.Owners, graph.Owner{Key: graph.Key{Kind: kind, Name: ref.Name, UID: graph.UID(ref.UID)}, Block: ref.Block, Controller: ref.Controller})
		o.OwnerVersions = append(o.OwnerVersions, versionIn(ref.APIVersion))
	}
	refs, err := m.annotated(o.Key)
	flaw("", err)
	for _, ref := range refs {
		o.Owners = append(o.Owners, ref.owner)
		o.OwnerVersions = append(o.OwnerVersions, versionIn(ref.apiVersion))
	}
	return o
}

// versionIn returns the version of an apiVersion.
func versionIn(apiVersion string) string {
	return apiVersion[strings.LastIndexByte(apiVersion, '/')+1:]
}

// whole returns no kind beside an error.
func whole(kind graph.Kind, err error) (graph.Kind, error) {
	if err != nil {
		return "", err
	}
	return kind, nil
}
