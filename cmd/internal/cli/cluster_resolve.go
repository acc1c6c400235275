package cli

import (
	"cmp"
	"fmt"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/printing"
)

// target is an object that the user names.
type target struct {
	key      graph.Key // without a UID
	resource schema.GroupResource
	version  string // of the resource
}

func (t target) String() string {
	if t.key.Scope == "" {
		return t.resource.String() + "/" + t.key.Name
	}
	return t.resource.String() + "/" + t.key.Name + " in the namespace " + t.key.Scope
}

// resolve returns the objects that the arguments name.
//
//test:by TestResolve
func (a *app) resolve(args []string) ([]target, error) {
	names, err := namedIn(args)
	if err != nil {
		return nil, err
	}
	mapper, err := a.cluster.Mapper()
	if err != nil {
		return nil, fmt.Errorf("read kubeconfig: %w", err)
	}
	namespace, err := a.namespace()
	if err != nil {
		return nil, err
	}
	var out []target
	for _, n := range names {
		if n.typ == "" {
			return nil, printing.UsageError("a cluster has no name in quotes: want TYPE/NAME")
		}
		m, err := mappingOf(mapper, n.typ)
		if err != nil {
			return nil, a.doubtful(err)
		}
		t := target{graph.Key{Kind: kindOf(m.GroupVersionKind.GroupKind()), Name: n.name}, m.Resource.GroupResource(), m.Resource.Version}
		switch inside := m.Scope.Name() == meta.RESTScopeNameNamespace; {
		case inside:
			t.key.Scope = cmp.Or(n.scope, namespace)
		case n.scope != "":
			return nil, printing.UsageError(fmt.Sprintf("%s: objects of this type have no namespace", n))
		}
		out = append(out, t)
	}
	return out, nil
}

// doubtful adds the groups whose discovery has failed to the error of a type that is not found.
// The type may be in one of them.
//
//test:by TestTypeOfUnknownGroup
func (a *app) doubtful(err error) error {
	client, wrong := a.cluster.Discovery()
	if wrong != nil {
		return err
	}
	if _, _, wrong = client.ServerGroupsAndResources(); wrong != nil {
		return fmt.Errorf("%w; not all types are known: %w", err, wrong)
	}
	return err
}

// kindOf returns the name of a kind in the graph.
func kindOf(gk schema.GroupKind) graph.Kind {
	if gk.Group == "" {
		return graph.Kind(gk.Kind)
	}
	return graph.Kind(gk.Group + "/" + gk.Kind)
}

// mappingOf returns the resource of a type: a resource, a short name or a kind, with or
// without version and group, such as deployments.v1.apps.
func mappingOf(mapper meta.RESTMapper, typ string) (*meta.RESTMapping, error) {
	versioned, resource := schema.ParseResourceArg(typ)
	var gvk schema.GroupVersionKind
	if versioned != nil {
		gvk, _ = mapper.KindFor(*versioned)
	}
	var err error
	if gvk.Empty() {
		gvk, err = mapper.KindFor(resource.WithVersion(""))
	}
	if err == nil {
		return mapper.RESTMapping(gvk.GroupKind(), gvk.Version)
	}
	if !meta.IsNoMatchError(err) {
		return nil, fmt.Errorf("find type %q: %w", typ, err)
	}
	exact, kind := schema.ParseKindArg(typ)
	if exact != nil {
		if m, err := mapper.RESTMapping(exact.GroupKind(), exact.Version); err == nil {
			return m, nil
		}
	}
	m, kindErr := mapper.RESTMapping(kind)
	switch {
	case kindErr == nil:
		return m, nil
	case meta.IsNoMatchError(kindErr):
		return nil, fmt.Errorf("the server has no resource type %q", typ)
	}
	return nil, fmt.Errorf("find type %q: %w", typ, kindErr)
}

// path returns the path of the object on the server.
func (t target) path() []string {
	return pathOf(t.resource.WithVersion(t.version), t.key.Scope, t.key.Name)
}

// scope returns the namespace that the target is in, or that it stands for.
func (t target) scope() string {
	if t.key.Kind == namespaceKind {
		return t.key.Name
	}
	return t.key.Scope
}
