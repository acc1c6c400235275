package clientgo

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/ownergraph/ownergraph/graph"
)

// buildCatalog makes a catalog of a discovery. A group version that failed keeps its
// known kinds, and they are sick. A kind with a definition that discovery lacks is sick
// too.
//
//test:by TestBuildCatalog TestKindsPartialFailure TestKindsUnknownGroup
func buildCatalog(found discovered, lacks undiscovered, before *catalog, ignore ignored) *catalog {
	c := &catalog{
		number:   1,
		kinds:    map[graph.Kind]resource{},
		reads:    map[graph.Kind]resource{},
		sick:     map[graph.Kind]string{},
		groups:   map[string][]groupVersion{},
		meanings: map[schema.GroupVersionKind]meaning{},
	}
	if before != nil {
		c.number = before.number + 1
	}
	c.services = lacks.services
	found = withServices(found, lacks.versions)
	for _, group := range slices.Sorted(maps.Keys(found)) {
		var known []groupVersion
		if before != nil {
			known = before.groups[group]
		}
		c.groups[group] = keepFailed(found[group], known)
		c.addGroup(group, ignore)
	}
	c.addUndiscovered(lacks, before, ignore)
	c.keepFormer(before)
	c.addReads(before)
	for _, r := range c.kinds {
		c.infos = append(c.infos, r.info())
	}
	slices.SortFunc(c.infos, byKind)
	return c
}

func byKind(a, b graph.KindInfo) int { return cmp.Compare(a.Kind, b.Kind) }

// keepFailed returns the versions of a group. A failed version keeps its known
// resources.
func keepFailed(versions, before []groupVersion) []groupVersion {
	out := slices.Clone(versions)
	for i, v := range out {
		j := slices.IndexFunc(before, func(b groupVersion) bool { return b.version == v.version })
		if v.failed != "" && j >= 0 {
			out[i].resources = before[j].resources
		}
	}
	return out
}

// addGroup adds the kinds of a group. It uses the preferred version of each kind, or
// the first version with the needed verbs.
func (c *catalog) addGroup(group string, ignore ignored) {
	versions := slices.Clone(c.groups[group])
	slices.SortStableFunc(versions, func(a, b groupVersion) int {
		switch {
		case a.preferred == b.preferred:
			return 0
		case a.preferred:
			return -1
		}
		return 1
	})
	for _, v := range versions {
		if v.failed != "" && v.resources == nil && !ignore.has(group, unknownKinds(group)) {
			c.addUnknown(group, c.undiscoveredWhy(schema.GroupVersion{Group: group, Version: v.version}, v.failed))
		}
		for _, r := range v.resources {
			if strings.Contains(r.Name, "/") || r.Kind == "" || r.Name == "" {
				continue // a subresource, or invalid
			}
			c.addResource(group, v, r, ignore)
		}
	}
}

// addUnknown records that a group has unknown kinds.
func (c *catalog) addUnknown(group, why string) {
	kind := unknownKinds(group)
	if _, twice := c.sick[kind]; twice {
		return
	}
	c.sick[kind] = why
	c.infos = append(c.infos, graph.KindInfo{Kind: kind})
}

func (c *catalog) addResource(group string, v groupVersion, r metav1.APIResource, ignore ignored) {
	// A resource may belong to another group or version than the one it is served
	// under. References to its objects name its own.
	gvk := schema.GroupVersionKind{Group: cmp.Or(r.Group, group), Version: cmp.Or(r.Version, v.version), Kind: r.Kind}
	kind := kindName(gvk.Group, gvk.Kind)
	if _, ok := c.meanings[gvk]; !ok {
		c.meanings[gvk] = meaning{kind: kind, scoped: r.Namespaced, known: true}
	}
	at := schema.GroupVersionResource{Group: group, Version: v.version, Resource: r.Name}
	if ignore.has(gvk.Group, kind) || ignore.resource(group, r.Name) {
		return
	}
	if _, ok := c.reads[kind]; !ok && readable(r) {
		c.reads[kind] = resource{kind: kind, at: at, gvk: gvk, unwatched: true}
	}
	if _, ok := c.kinds[kind]; ok || !watchable(r) {
		return
	}
	c.kinds[kind] = resource{kind: kind, at: at, gvk: gvk, scoped: r.Namespaced}
	if v.failed != "" {
		c.sick[kind] = c.undiscoveredWhy(at.GroupVersion(), v.failed)
	}
}
