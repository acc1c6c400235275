package clientgo

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/ownergraph/ownergraph/graph"
)

// Discovery alone does not prove the set of kinds. For a moment after its start, an API
// server answers without the groups of definitions and reports no error. So each
// discovery is compared with consistent lists of the CustomResourceDefinitions and the
// APIServices. If discovery has all of them, their names suffice. The store reads whole
// only the definitions that discovery lacks.

// undiscovered has the kinds and groups that definitions or API services name and
// discovery lacks. The zero value is empty.
type undiscovered struct {
	known    []schema.GroupResource       // definitions whose kinds an earlier discovery found
	defined  map[string]versionDefinition // the other definitions, by name, read whole
	versions []schema.GroupVersion        // of API services, sorted
	services map[schema.GroupVersion]UnavailableService
	unread   map[graph.Kind]string // the errors of definitions or API services
	waived   map[graph.Kind]string // the same, for kinds that Config.Ignore names
}

// versionDefinition is a definition at a version of its object.
type versionDefinition struct {
	version string
	definition
}

// declared has the metadata of the definitions and API services.
type declared struct {
	definitions, services []metav1.PartialObjectMetadata
	failed                map[graph.Kind]error
}

// listDeclared reads consistent lists of definitions and API services, metadata only.
func (s *Store) listDeclared(ctx context.Context) declared {
	var out declared
	var noDefinitions, noServices error
	out.definitions, noDefinitions = s.listAll(ctx, definitionsAt())
	out.services, noServices = s.listAll(ctx, servicesAt())
	out.failed = map[graph.Kind]error{}
	if noDefinitions != nil {
		out.failed[definitionKind] = noDefinitions
	}
	if noServices != nil {
		out.failed[serviceKind] = noServices
	}
	return out
}

// listAll reads all pages of a consistent list.
func (s *Store) listAll(ctx context.Context, at schema.GroupVersionResource) ([]metav1.PartialObjectMetadata, error) {
	var out []metav1.PartialObjectMetadata
	for next := ""; ; {
		page, err := s.client.list(ctx, at, metav1.ListOptions{Limit: int64(s.config.PageSize), Continue: next})
		if err != nil {
			return nil, fmt.Errorf("list %s: %w", at.GroupResource(), err)
		}
		out = append(out, page.Items...)
		if next = page.Continue; next == "" {
			return out, nil
		}
	}
}

// compareDeclared returns the declared kinds and groups that discovery lacks. If
// discovery says that the server does not serve definitions, there are none.
func (s *Store) compareDeclared(ctx context.Context, found discovered, before *catalog) undiscovered {
	ctx, cancel := context.WithTimeout(ctx, discoveryTimeout)
	defer cancel()
	n := s.listDeclared(ctx)
	out := undiscovered{defined: map[string]versionDefinition{}, unread: map[graph.Kind]string{}, waived: map[graph.Kind]string{},
		services: map[schema.GroupVersion]UnavailableService{}}
	for _, what := range [...]struct {
		kind graph.Kind
		at   schema.GroupVersionResource
	}{{definitionKind, definitionsAt()}, {serviceKind, servicesAt()}} {
		err := n.failed[what.kind]
		if err == nil || notServed(err) && !found.names(what.at.GroupResource()) {
			continue
		}
		out.setUnread(s.ignore, what.kind, what.at.Group, err)
	}
	if err := s.readUndiscovered(ctx, found, n.definitions, before, &out); err != nil {
		out.setUnread(s.ignore, definitionKind, definitionsAt().Group, err)
	}
	if err := s.readServices(ctx, found, n, &out); err != nil {
		out.setUnread(s.ignore, serviceKind, servicesAt().Group, err)
	}
	return out
}

// setUnread records that the definitions or API services could not be read.
//
//test:by TestDefinitionsUnread TestDefinitionsUnreadAtFirst
func (l *undiscovered) setUnread(ignore ignored, kind graph.Kind, group string, err error) {
	why := err.Error()
	if forbidden(err) {
		why = fmt.Sprintf("it takes the rights to get and list them, to know the set of kinds: %v", err)
	}
	if ignore.has(group, kind) {
		l.waived[kind] = why
		return
	}
	l.unread[kind] = why
}

// readUndiscovered reads the definitions that discovery lacks. It skips definitions
// whose kinds an earlier discovery found.
func (s *Store) readUndiscovered(ctx context.Context, found discovered, all []metav1.PartialObjectMetadata, before *catalog, out *undiscovered) error {
	var missing []metav1.PartialObjectMetadata
	for _, m := range all {
		at := resourceOf(m.Name)
		switch {
		case found.names(at):
		case before.found(m.Name, at):
			out.known = append(out.known, at)
		default:
			missing = append(missing, m)
		}
	}
	read := make([]*definition, len(missing))
	work, ctx := errgroup.WithContext(ctx)
	work.SetLimit(discoveryParallel)
	for i, m := range missing {
		work.Go(func() (err error) {
			read[i], err = s.readDefinition(ctx, m, before)
			return err
		})
	}
	if err := work.Wait(); err != nil {
		return err
	}
	for i, d := range read {
		if d != nil {
			out.defined[missing[i].Name] = versionDefinition{missing[i].ResourceVersion, *d}
		}
	}
	return nil
}

// readServices finds the versions of groups that API services name and discovery lacks.
// If a group has definitions, its local versions belong to them, and the definitions
// decide. If discovery has failed for a version, readServices finds the API services that
// are not available, too.
func (s *Store) readServices(ctx context.Context, found discovered, n declared, out *undiscovered) error {
	missing := false
	for _, m := range n.services {
		version, group, _ := strings.Cut(m.Name, ".")
		missing = missing || !found.hasVersion(schema.GroupVersion{Group: group, Version: version})
	}
	if !missing && (!found.anyFailed() || n.failed[serviceKind] != nil) {
		return nil
	}
	list, err := s.listServices(ctx)
	switch {
	case err != nil && !missing: // the set of kinds does not need them
		return nil
	case err != nil:
		return err
	}
	defined := map[string]bool{}
	for _, m := range n.definitions {
		defined[resourceOf(m.Name).Group] = true
	}
	for _, a := range list {
		gv := schema.GroupVersion{Group: a.Spec.Group, Version: a.Spec.Version}
		if u, is := a.unavailable(a.Name); is && len(out.services) < maxServices {
			out.services[gv] = u
		}
		if !found.hasVersion(gv) && (a.Spec.Service != nil || !defined[gv.Group]) {
			out.versions = append(out.versions, gv)
		}
	}
	slices.SortFunc(out.versions, func(a, b schema.GroupVersion) int {
		return cmp.Or(cmp.Compare(a.Group, b.Group), cmp.Compare(a.Version, b.Version))
	})
	return nil
}
