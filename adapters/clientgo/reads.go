package clientgo

import (
	"fmt"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/ownergraph/ownergraph/graph"
)

// Some kinds can be read and not watched, such as ComponentStatus. Their objects are
// nobody's dependents, but a reference may name one as an owner, and a read tells
// whether it is there.

// readable reports whether owners of a kind can be read. Where the kind has
// namespaces, a read says nothing of those beside the dependent's.
func readable(r metav1.APIResource) bool { return !r.Namespaced && slices.Contains(r.Verbs, "get") }

// addReads adds the kinds that can only be read. A reference to any other kind that
// takes no part counts by its UID: nothing is ever known of its owner. What was known
// of a kind stays known.
func (c *catalog) addReads(before *catalog) {
	for kind := range c.kinds {
		delete(c.reads, kind)
	}
	for kind := range c.reads {
		c.infos = append(c.infos, graph.KindInfo{Kind: kind, Unwatched: true})
	}
	for gvk, m := range c.means {
		_, watched := c.kinds[m.kind]
		_, read := c.reads[m.kind]
		if watched || read || before != nil && before.means[gvk] == m {
			continue
		}
		m.known = false
		c.means[gvk] = m
	}
}

// reach returns how a kind is reached, if it takes part or can be read.
func (c *catalog) reach(kind graph.Kind) (resource, bool) {
	if r, ok := c.kinds[kind]; ok {
		return r, true
	}
	r, ok := c.reads[kind]
	return r, ok
}

// unstored reports whether a server made an object for the answer alone: it has
// neither a UID nor a version. No reference can name such an object, since it names
// a UID.
func unstored(r resource, key graph.Key, m *metav1.PartialObjectMetadata) error {
	if !r.unwatched || m.UID != "" || m.ResourceVersion != "" || m.Name != key.Name || m.Namespace != key.Scope {
		return nil
	}
	return fmt.Errorf("the server stores no such object: it has no UID: %w", graph.ErrNotFound)
}
