package clientgo

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
	"unique"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/ownergraph/ownergraph/graph"
)

// objectOf returns the part of an object that decisions need. The result shares only
// text with m. Repeated texts (namespaces, owners, finalizers) are shared with all
// other objects.
//
//test:by TestManyOwnersAreHeld
func (c *catalog) objectOf(kind graph.Kind, m *metav1.PartialObjectMetadata) graph.Object {
	return c.objectWith(intern, kind, m)
}

// objectWith returns such an object, with repeated texts that share returns.
func (c *catalog) objectWith(share func(string) string, kind graph.Kind, m *metav1.PartialObjectMetadata) graph.Object {
	o := graph.Object{
		Key:        graph.Key{Kind: kind, Scope: share(m.Namespace), Name: m.Name, UID: graph.UID(m.UID)},
		Version:    graph.Version(m.ResourceVersion),
		Deleting:   m.DeletionTimestamp != nil,
		Generation: m.Generation,

		GraceSeconds: c.graceOf(kind, m),
	}
	if n := len(m.OwnerReferences); n > 0 {
		o.Owners = make([]graph.Owner, n)
		for i := range m.OwnerReferences {
			o.Owners[i] = c.ownerOf(share, o.Scope, &m.OwnerReferences[i])
		}
	}
	if m.Annotations != nil {
		c.addAnnotated(share, &o, m)
	}
	if n := len(m.Finalizers); n > 0 {
		o.Finalizers = make([]string, n)
		for i, f := range m.Finalizers {
			o.Finalizers[i] = share(f)
		}
	}
	return o
}

// ownerOf resolves a reference of an object in a scope. An owner whose kind has scopes
// lives in its dependent's scope. Any other owner is global.
//
// The owner is Unresolved if its place is unknown. That is so if its version or kind is
// not served or not in the set of kinds, or if no object can have its name. It is also
// so if its kind has scopes and the dependent has none.
//
//test:by TestOwnerOf TestOwnerOfHostileName TestOrphanFreesByUID
func (c *catalog) ownerOf(share func(string) string, scope string, r *metav1.OwnerReference) graph.Owner {
	m := c.resolve(gvkOf(r))
	if !validName(r.Name) {
		m.known = false
	}
	o := graph.Owner{
		Key:        graph.Key{Kind: m.kind, Name: share(r.Name), UID: graph.UID(share(string(r.UID)))},
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

// maxName is the longest name of an object in the graph.
const maxName = 1024

// validName reports whether an object may have the name. A path can contain it, and the
// graph accepts it.
func validName(s string) bool {
	return len(s) <= maxName && notSegment(s) == "" && utf8.ValidString(s) && strings.IndexFunc(s, unicode.IsControl) < 0
}

// notSegment returns the reason for which no server accepts the text as one segment of a path, or
// "". The functions of apimachinery for it are not in all supported versions.
func notSegment(s string) string {
	switch {
	case s == ".", s == "..":
		return fmt.Sprintf("%q is a folder in a path", s)
	case strings.ContainsAny(s, "/%"):
		return fmt.Sprintf("%q contains '/' or '%%'", s)
	}
	return ""
}

// gvkOf returns the group, version and kind of a reference. A malformed apiVersion
// becomes a group that no server has.
func gvkOf(r *metav1.OwnerReference) schema.GroupVersionKind {
	gv, err := schema.ParseGroupVersion(r.APIVersion)
	if err != nil {
		return schema.GroupVersionKind{Group: r.APIVersion, Kind: r.Kind}
	}
	return gv.WithKind(r.Kind)
}

// intern returns s as text that all its users share.
func intern(s string) string {
	if s == "" {
		return ""
	}
	return unique.Make(s).Value()
}

// identified reports whether an object has a name, a UID and a version. Each object
// that an API server stores has them.
func identified(m *metav1.PartialObjectMetadata) bool {
	return m.Name != "" && m.UID != "" && m.ResourceVersion != ""
}

// needsLayout reports whether a patch of the object needs its layout, because index 0
// may be wrong, or because its annotation has references.
func needsLayout(m *metav1.PartialObjectMetadata) bool {
	value, is := m.Annotations[OwnersAnnotation]
	return (len(m.OwnerReferences) > 1 || len(m.Finalizers) > 1 || is) && len(value) <= maxLayoutAnnotation
}
