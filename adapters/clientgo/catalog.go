package clientgo

import (
	"maps"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/ownergraph/ownergraph/graph"
)

// resource is the path to the objects of one kind.
type resource struct {
	kind   graph.Kind
	at     schema.GroupVersionResource // the version that the store watches and writes
	gvk    schema.GroupVersionKind     // the same version, for new references
	scoped bool
	// unwatched kinds allow get and not watch.
	unwatched bool
}

// meaning is the kind that an owner reference's apiVersion and kind name.
type meaning struct {
	kind   graph.Kind
	scoped bool
	known  bool // served and in the set; otherwise the owner's place is unknown
}

// catalog is the set of kinds after one discovery. It is immutable.
type catalog struct {
	number   uint64                    // rises with each discovery
	began    time.Time                 // the start of the discovery
	kinds    map[graph.Kind]resource   // the watched kinds
	reads    map[graph.Kind]resource   // kinds without namespaces that allow get and not watch
	infos    []graph.KindInfo          // the watched kinds for KindsKnown, sorted, with the unknown groups
	sick     map[graph.Kind]string     // the reasons of sick kinds and unknown groups
	groups   map[string][]groupVersion // as discovered, for the next discovery
	meanings map[schema.GroupVersionKind]meaning
	former   map[schema.GroupVersionKind]meaning // of kinds that are no longer served

	defined    map[string]versionDefinition // definitions that discovery lacks, by name, for the next discovery
	uncertain  bool                         // the definitions or API services could not be read
	incomplete bool                         // discovery lacks a kind or group that they name
	waived     map[graph.Kind]string        // the reasons, for ignored kinds that could not be read

	services map[schema.GroupVersion]UnavailableService

	held   []graph.OnDelete // Config.HeldPolicies
	graced []graph.Kind     // Config.GraceKinds
}

// found reports whether discovery has named the resource of a definition, now or
// before. It is false for a kind that the store knows only by its definition.
func (c *catalog) found(definition string, at schema.GroupResource) bool {
	if c == nil {
		return false
	}
	if _, read := c.defined[definition]; read {
		return false
	}
	_, ok := c.byResource(at)
	return ok
}

// byResource returns the watched kind of a resource.
func (c *catalog) byResource(at schema.GroupResource) (resource, bool) {
	for _, r := range c.kinds {
		if r.at.GroupResource() == at {
			return r, true
		}
	}
	return resource{}, false
}

// kindName returns the name of a group's kind. The name has no version: "Pod",
// "apps/Deployment".
func kindName(group, kind string) graph.Kind {
	if group == "" {
		return graph.Kind(kind)
	}
	return graph.Kind(group + "/" + kind)
}

// unknownKinds names the unknown kinds of a group.
func unknownKinds(group string) graph.Kind { return kindName(group, "*") }

// resolve returns the meaning of a reference's apiVersion and kind. A version that is
// not served has no meaning, even if the kind is served in another version. A kind that
// was served once keeps its meaning, so that the engine keeps its state of the kind's
// objects.
func (c *catalog) resolve(gvk schema.GroupVersionKind) meaning {
	if m, ok := c.meanings[gvk]; ok {
		return m
	}
	if m, ok := c.former[gvk]; ok {
		return m
	}
	return meaning{kind: kindName(gvk.Group, gvk.Kind)}
}

// equal reports whether two catalogs have the same kinds, reasons and meanings.
func (c *catalog) equal(b *catalog) bool {
	return maps.Equal(c.kinds, b.kinds) && maps.Equal(c.reads, b.reads) && maps.Equal(c.sick, b.sick) && maps.Equal(c.meanings, b.meanings) &&
		slices.Equal(c.infos, b.infos)
}

// maxFormer bounds the meanings of former kinds.
const maxFormer = 4096

// keepFormer keeps the meanings of kinds that were served before.
func (c *catalog) keepFormer(before *catalog) {
	c.former = map[schema.GroupVersionKind]meaning{}
	if before == nil {
		return
	}
	alive := map[graph.Kind]bool{}
	for _, m := range c.meanings {
		alive[m.kind] = true
	}
	for _, list := range []map[schema.GroupVersionKind]meaning{before.meanings, before.former} {
		for _, gvk := range slices.SortedFunc(maps.Keys(list), compareGVK) {
			if m := list[gvk]; !alive[m.kind] && len(c.former) < maxFormer {
				c.former[gvk] = m
			}
		}
	}
}

func compareGVK(a, b schema.GroupVersionKind) int {
	return strings.Compare(a.String(), b.String())
}
