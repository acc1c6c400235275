package clientgo

import (
	"fmt"
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/ownergraph/ownergraph/graph"
)

const (
	undiscoveredKind  = "its definition exists, and discovery does not name it"
	undiscoveredGroup = "an API service names it, and discovery does not name it"
)

// withServices adds the versions that only API services name, as failed versions. Their
// groups keep their known kinds.
func withServices(found discovered, versions []schema.GroupVersion) discovered {
	if len(versions) == 0 {
		return found
	}
	out := maps.Clone(found)
	for _, gv := range versions {
		out[gv.Group] = append(slices.Clone(out[gv.Group]), groupVersion{version: gv.Version, failed: undiscoveredGroup})
	}
	return out
}

// addUndiscovered adds the kinds that discovery lacks and that have a definition. They
// are sick and block fences, because their objects exist and no watch reports them.
// While the definitions cannot be read, no kind leaves the set.
//
//test:by TestDefinitionBlocksFences TestServiceBlocksFences TestDefinitionsUnread
//test:by internal/proof/e2e.TestStartingServerBlocksKinds
//test:by internal/proof/e2e.TestUnservedVersionBlocksKinds
func (c *catalog) addUndiscovered(lacks undiscovered, before *catalog, ignore ignored) {
	c.defined, c.uncertain, c.waived = lacks.defined, len(lacks.unread) > 0, lacks.waived
	c.incomplete = len(lacks.known)+len(lacks.versions) > 0
	for _, at := range lacks.known {
		if r, ok := before.byResource(at); ok {
			c.keepKind(r, before, undiscoveredKind, ignore)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(lacks.defined)) {
		d := lacks.defined[name].definition
		if !d.rejected() {
			c.incomplete = true
			c.addDefined(d, ignore)
		}
	}
	if !c.uncertain {
		return
	}
	if before != nil {
		for _, kind := range slices.Sorted(maps.Keys(before.kinds)) {
			c.keepKind(before.kinds[kind], before, "discovery does not name it, and the definitions cannot be read", ignore)
		}
	}
	for _, kind := range slices.Sorted(maps.Keys(lacks.unread)) {
		c.addUnread(kind, lacks.unread[kind])
	}
}

// keepKind keeps a kind unchanged as a sick kind, unless the server serves it in
// another form.
func (c *catalog) keepKind(r resource, before *catalog, why string, ignore ignored) {
	if _, ok := c.kinds[r.kind]; ok || ignore.has(r.gvk.Group, r.kind) {
		return
	}
	c.kinds[r.kind] = r
	c.sick[r.kind] = why
	for gvk, m := range before.meanings {
		if _, ok := c.meanings[gvk]; !ok && m.kind == r.kind {
			c.meanings[gvk] = m
		}
	}
}

// addDefined adds the kind of a definition, in the first served version.
func (c *catalog) addDefined(d definition, ignore ignored) {
	kind := kindName(d.Spec.Group, d.Spec.Names.Kind)
	if _, ok := c.kinds[kind]; ok || len(d.Spec.Versions) == 0 || ignore.has(d.Spec.Group, kind) {
		return
	}
	scoped, at := d.Spec.Scope == "Namespaced", d.Spec.Versions[0].Name
	for _, v := range slices.Backward(d.Spec.Versions) {
		if !v.Served {
			continue
		}
		at = v.Name
		gvk := schema.GroupVersionKind{Group: d.Spec.Group, Version: v.Name, Kind: d.Spec.Names.Kind}
		if _, ok := c.meanings[gvk]; !ok {
			c.meanings[gvk] = meaning{kind: kind, scoped: scoped, known: true}
		}
	}
	gv := schema.GroupVersion{Group: d.Spec.Group, Version: at}
	c.kinds[kind] = resource{kind: kind, at: gv.WithResource(d.Spec.Names.Plural), gvk: gv.WithKind(d.Spec.Names.Kind), scoped: scoped}
	c.sick[kind] = undiscoveredKind
}

// addUnread marks definitions or API services as sick, because they cannot be read.
func (c *catalog) addUnread(kind graph.Kind, why string) {
	if _, ok := c.kinds[kind]; ok {
		c.sick[kind] = why
		return
	}
	group := definitionsAt().Group
	if kind == serviceKind {
		group = servicesAt().Group
	}
	c.addUnknown(group, fmt.Sprintf("kind %s: %s", kind, why))
}

// warnWaived logs that the config ignores definitions or API services that cannot be
// read. A fence may then miss a kind.
func (s *Store) warnWaived(before, c *catalog) {
	for _, kind := range slices.Sorted(maps.Keys(c.waived)) {
		if why := c.waived[kind]; before == nil || before.waived[kind] != why {
			s.config.Logger.Warn("the set of kinds rests on discovery alone: foreground and orphan deletions may miss a kind that is not served for a moment",
				"kind", string(kind), "err", why)
		}
	}
}
