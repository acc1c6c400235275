package clientgo

import (
	"strings"
	"unicode"
	"unicode/utf8"
	"unique"

	"k8s.io/apimachinery/pkg/api/validate/content"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/ownergraph/ownergraph/graph"
)

// objectOf returns what decisions need of an object of a kind. The result
// shares nothing with m but text: text that comes again and again (namespaces,
// owners, finalizers) is shared with all other objects.
func (c *catalog) objectOf(kind graph.Kind, m *metav1.PartialObjectMetadata) graph.Object {
	o := graph.Object{
		Key:        graph.Key{Kind: kind, Scope: common(m.Namespace), Name: m.Name, UID: graph.UID(m.UID)},
		Version:    graph.Version(m.ResourceVersion),
		Deleting:   m.DeletionTimestamp != nil,
		Generation: m.Generation,
	}
	if m.DeletionGracePeriodSeconds != nil {
		o.GraceSeconds = *m.DeletionGracePeriodSeconds
	}
	if n := len(m.OwnerReferences); n > 0 {
		o.Owners = make([]graph.Owner, n)
		for i := range m.OwnerReferences {
			o.Owners[i] = c.ownerOf(o.Scope, &m.OwnerReferences[i])
		}
	}
	if n := len(m.Finalizers); n > 0 {
		o.Finalizers = make([]string, n)
		for i, f := range m.Finalizers {
			o.Finalizers[i] = common(f)
		}
	}
	return o
}

// ownerOf resolves a reference of an object in a scope: an owner of a kind with
// scopes lives in its dependent's, any other is global. It is Unresolved if
// nobody can say where it lives: its version or kind is not served or takes no part,
// or has scopes and the dependent has none, or no object can have its name. Held by
// TestOwnerOf and TestOwnerOfHostileName.
func (c *catalog) ownerOf(scope string, r *metav1.OwnerReference) graph.Owner {
	m := c.resolve(gvkOf(r))
	if !possibleName(r.Name) {
		m.known = false
	}
	o := graph.Owner{
		Key:        graph.Key{Kind: m.kind, Name: common(r.Name), UID: graph.UID(common(string(r.UID)))},
		Block:      r.BlockOwnerDeletion != nil && *r.BlockOwnerDeletion,
		Controller: r.Controller != nil && *r.Controller,
	}
	switch {
	case !m.known, m.scoped && scope == "":
		o.Unresolved = true
	case m.scoped:
		o.Scope = scope
	}
	return o
}

// mostName is the longest name that an object of the graph may have.
const mostName = 1024

// possibleName reports whether an object may have the name: a path can hold it, and
// the graph would not call it flawed.
func possibleName(s string) bool {
	return len(s) <= mostName && len(content.IsPathSegmentName(s)) == 0 && utf8.ValidString(s) && strings.IndexFunc(s, unicode.IsControl) < 0
}

// gvkOf returns what a reference names. An apiVersion that is none is a group
// that nobody serves.
func gvkOf(r *metav1.OwnerReference) schema.GroupVersionKind {
	gv, err := schema.ParseGroupVersion(r.APIVersion)
	if err != nil {
		return schema.GroupVersionKind{Group: r.APIVersion, Kind: r.Kind}
	}
	return gv.WithKind(r.Kind)
}

// common returns s as text that all its users share.
func common(s string) string {
	if s == "" {
		return ""
	}
	return unique.Make(s).Value()
}

// complete reports whether an object is identified, which every object is that
// an API server of this world stores.
func complete(m *metav1.PartialObjectMetadata) bool {
	return m.Name != "" && m.UID != "" && m.ResourceVersion != ""
}

// several reports whether a change of the object cannot be made on the guess
// that the first reference or finalizer is meant.
func several(m *metav1.PartialObjectMetadata) bool {
	return len(m.OwnerReferences) > 1 || len(m.Finalizers) > 1
}
