package clientgo

import (
	"maps"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/ownergraph/ownergraph/graph"
)

// resource is how one kind is reached.
type resource struct {
	kind   graph.Kind
	at     schema.GroupVersionResource // the version that is watched and written
	gvk    schema.GroupVersionKind     // the same, for references that are made
	scoped bool
	// unwatched: it can be read, and not watched.
	unwatched bool
}

// meaning is what an owner reference's apiVersion and kind stand for.
type meaning struct {
	kind   graph.Kind
	scoped bool
	known  bool // it is served and takes part; otherwise nobody can say where the owner lives
}

// catalog is one look at what the server serves. It never changes.
type catalog struct {
	number uint64                    // rises with each look
	begun  time.Time                 // when it began
	kinds  map[graph.Kind]resource   // those that take part
	reads  map[graph.Kind]resource   // those without namespaces that can be read, and not watched
	infos  []graph.KindInfo          // the same for a watch, sorted, with what stands for unknown groups
	sick   map[graph.Kind]string     // of the latter, and of the kinds of failed groups
	groups map[string][]groupVersion // as discovered, for the next look
	means  map[schema.GroupVersionKind]meaning
	former map[schema.GroupVersionKind]meaning // of kinds that are not served any more

	defined map[string]versionDefinition // definitions that discovery lacks, by name, for the next look
	partial bool                         // nobody could say which definitions and API services there are
	gaps    bool                         // discovery lacks a part of what these name
	waived  map[graph.Kind]string        // why they could not be read, where the config ignores them
}

// found reports whether discovery has named the resource of a definition, in this look
// or before. It is false for those that are known by their definition alone.
func (c *catalog) found(definition string, at schema.GroupResource) bool {
	if c == nil {
		return false
	}
	if _, read := c.defined[definition]; read {
		return false
	}
	_, ok := c.reached(at)
	return ok
}

// reached returns the kind of a resource that takes part.
func (c *catalog) reached(at schema.GroupResource) (resource, bool) {
	for _, r := range c.kinds {
		if r.at.GroupResource() == at {
			return r, true
		}
	}
	return resource{}, false
}

// kindName returns the name of a group's kind, which is the same whatever the
// version: "Pod", "apps/Deployment".
func kindName(group, kind string) graph.Kind {
	if group == "" {
		return graph.Kind(kind)
	}
	return graph.Kind(group + "/" + kind)
}

// unknownKinds stands for the kinds of a group that could not be discovered yet.
func unknownKinds(group string) graph.Kind { return kindName(group, "*") }

// resolve returns what a reference's apiVersion and kind stand for. One that is
// not served, though its kind is in another version, stands for nothing; one of
// a kind that was served once keeps its meaning, so that what is known of its
// objects stays known.
func (c *catalog) resolve(gvk schema.GroupVersionKind) meaning {
	if m, ok := c.means[gvk]; ok {
		return m
	}
	if m, ok := c.former[gvk]; ok {
		return m
	}
	return meaning{kind: kindName(gvk.Group, gvk.Kind)}
}

// same reports whether two catalogs say the same.
func (c *catalog) same(b *catalog) bool {
	return maps.Equal(c.kinds, b.kinds) && maps.Equal(c.reads, b.reads) && maps.Equal(c.sick, b.sick) && maps.Equal(c.means, b.means) &&
		slices.Equal(c.infos, b.infos)
}

// mostFormer bounds what is kept of kinds that are gone.
const mostFormer = 4096

// remember notes what the references to kinds that were served meant.
func (c *catalog) remember(before *catalog) {
	c.former = map[schema.GroupVersionKind]meaning{}
	if before == nil {
		return
	}
	alive := map[graph.Kind]bool{}
	for _, m := range c.means {
		alive[m.kind] = true
	}
	for _, list := range []map[schema.GroupVersionKind]meaning{before.means, before.former} {
		for _, gvk := range slices.SortedFunc(maps.Keys(list), compareGVK) {
			if m := list[gvk]; !alive[m.kind] && len(c.former) < mostFormer {
				c.former[gvk] = m
			}
		}
	}
}

func compareGVK(a, b schema.GroupVersionKind) int {
	return strings.Compare(a.String(), b.String())
}
