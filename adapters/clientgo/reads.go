package clientgo

import (
	"fmt"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/ownergraph/ownergraph/graph"
)

// Some kinds allow get and not watch, such as ComponentStatus. Their objects are never
// dependents, because no watch reports them. A reference may name such an object as an
// owner, and a read shows whether it exists.

// readable reports whether the store can read owners of a kind. If the kind has
// namespaces, a read shows only the dependent's namespace.
func readable(r metav1.APIResource) bool { return !r.Namespaced && slices.Contains(r.Verbs, "get") }

// addReads adds the kinds that allow only get. A reference to any other kind outside of
// the set counts by its UID, because the store never learns about its owner. A kind
// that was known keeps its meaning.
//
//test:by TestReadOwners
func (c *catalog) addReads(before *catalog) {
	for kind := range c.kinds {
		delete(c.reads, kind)
	}
	for kind := range c.reads {
		c.infos = append(c.infos, graph.KindInfo{Kind: kind, Unwatched: true})
	}
	for gvk, m := range c.meanings {
		_, watched := c.kinds[m.kind]
		_, read := c.reads[m.kind]
		if watched || read || before != nil && before.meanings[gvk] == m {
			continue
		}
		m.known = false
		c.meanings[gvk] = m
	}
}

// reach returns the resource of a kind that the store watches or reads.
func (c *catalog) reach(kind graph.Kind) (resource, bool) {
	if r, ok := c.kinds[kind]; ok {
		return r, true
	}
	r, ok := c.reads[kind]
	return r, ok
}

// checkStored returns ErrNotFound for an object that the server made for the answer
// alone. Such an object has neither a UID nor a version. A reference names a UID, so no
// reference can name the object.
//
//test:by TestGetUnstored
func checkStored(r resource, key graph.Key, m *metav1.PartialObjectMetadata) error {
	if !r.unwatched || m.UID != "" || m.ResourceVersion != "" || m.Name != key.Name || m.Namespace != key.Scope {
		return nil
	}
	return fmt.Errorf("the server stores no such object: it has no UID: %w", graph.ErrNotFound)
}
