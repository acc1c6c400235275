package clientgo

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/ownergraph/ownergraph/graph"
)

// Discovery alone does not say which kinds there are. For a moment after its start
// an API server answers without the groups of definitions, and names no error. So
// every look compares discovery with what the database holds: consistent lists of
// the CustomResourceDefinitions and of the APIServices. Their names are enough as
// long as discovery knows all of them. Only those that it lacks are read whole.

// lacked is what the database names and discovery does not. The zero value lacks
// nothing.
type lacked struct {
	known    []schema.GroupResource       // definitions whose kinds an earlier look found
	defined  map[string]versionDefinition // the other definitions, by name: they were read whole
	versions []schema.GroupVersion        // of API services, sorted
	unread   map[graph.Kind]string        // why definitions or API services could not be read
	waived   map[graph.Kind]string        // the same, where Config.Ignore names that kind
}

// versionDefinition is a definition as it was at a version of its object.
type versionDefinition struct {
	version string
	definition
}

// claims is what the database names: the objects' metadata.
type claims struct {
	definitions, services []metav1.PartialObjectMetadata
	failed                map[graph.Kind]error
}

// listClaims lists definitions and API services: consistent lists, metadata only.
func (s *Store) listClaims(ctx context.Context) claims {
	var out claims
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

// compareClaims returns what discovery lacks of what the database names. A server
// that serves no definitions, and whose discovery says so, names none.
func (s *Store) compareClaims(ctx context.Context, found discovered, before *catalog) lacked {
	ctx, cancel := context.WithTimeout(ctx, discoveryTimeout)
	defer cancel()
	n := s.listClaims(ctx)
	out := lacked{defined: map[string]versionDefinition{}, unread: map[graph.Kind]string{}, waived: map[graph.Kind]string{}}
	for _, what := range [...]struct {
		kind graph.Kind
		at   schema.GroupVersionResource
	}{{definitionKind, definitionsAt()}, {serviceKind, servicesAt()}} {
		err := n.failed[what.kind]
		if err == nil || unserved(err) && !found.names(what.at.GroupResource()) {
			continue
		}
		out.fail(s.ignore, what.kind, what.at.Group, err)
	}
	if err := s.readLacked(ctx, found, n.definitions, before, &out); err != nil {
		out.fail(s.ignore, definitionKind, definitionsAt().Group, err)
	}
	if err := s.readServices(ctx, found, n, &out); err != nil {
		out.fail(s.ignore, serviceKind, servicesAt().Group, err)
	}
	return out
}

// fail notes that nobody can say what the database names.
func (l *lacked) fail(ignore ignored, kind graph.Kind, group string, err error) {
	why := err.Error()
	if forbidden(err) {
		why = fmt.Sprintf("it takes the rights to get and list them, to know which kinds there are: %v", err)
	}
	if ignore.has(group, kind) {
		l.waived[kind] = why
		return
	}
	l.unread[kind] = why
}

// readLacked reads the definitions that discovery does not name. Those whose kinds an
// earlier look found are known already.
func (s *Store) readLacked(ctx context.Context, found discovered, all []metav1.PartialObjectMetadata, before *catalog, out *lacked) error {
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

// readServices finds the versions of groups that API services name and discovery does
// not. A version that the server serves by itself in a group with definitions
// is theirs: they say more.
func (s *Store) readServices(ctx context.Context, found discovered, n claims, out *lacked) error {
	missing := false
	for _, m := range n.services {
		version, group, _ := strings.Cut(m.Name, ".")
		missing = missing || !found.hasVersion(schema.GroupVersion{Group: group, Version: version})
	}
	if !missing {
		return nil
	}
	raw, err := s.client.raw(ctx, servicesAt(), "")
	if err != nil {
		return fmt.Errorf("list %s: %w", servicesAt().GroupResource(), err)
	}
	var list struct{ Items []apiService }
	if err := json.Unmarshal(raw, &list); err != nil {
		return fmt.Errorf("list %s: %w: %w", servicesAt().GroupResource(), errNoMetadata, err)
	}
	defined := map[string]bool{}
	for _, m := range n.definitions {
		defined[resourceOf(m.Name).Group] = true
	}
	for _, a := range list.Items {
		gv := schema.GroupVersion{Group: a.Spec.Group, Version: a.Spec.Version}
		if !found.hasVersion(gv) && (a.Spec.Service != nil || !defined[gv.Group]) {
			out.versions = append(out.versions, gv)
		}
	}
	slices.SortFunc(out.versions, func(a, b schema.GroupVersion) int {
		return cmp.Or(cmp.Compare(a.Group, b.Group), cmp.Compare(a.Version, b.Version))
	})
	return nil
}
