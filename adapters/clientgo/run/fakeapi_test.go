package run

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	rbac "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"

	"github.com/ownergraph/ownergraph/adapters/clientgo/internal/fakenet"
)

// object is a whole object of the server.
type object map[string]any

func (o object) meta() *metav1.PartialObjectMetadata {
	raw, err := json.Marshal(o)
	if err != nil {
		panic(err)
	}
	m := &metav1.PartialObjectMetadata{}
	if err := json.Unmarshal(raw, m); err != nil {
		panic(err)
	}
	m.TypeMeta = metav1.TypeMeta{APIVersion: "meta.k8s.io/v1", Kind: "PartialObjectMetadata"}
	return m
}

// resource is a resource of the server. Discovery omits a resource without verbs.
type resource struct {
	group, kind, plural string
	scoped              bool
	verbs               []string
	objects             map[types.NamespacedName]object
	log                 []change
}

type change struct {
	version int
	kind    string
	object  object
}

// api is a small API server. It has paged lists, watches, unconditional writes, and the
// rights of package run's manifest. It keeps whole objects, so that a test can check
// them.
type api struct {
	mu        sync.Mutex
	version   int
	resources []*resource
	changed   chan struct{}
	calls     []string
	rules     []rbac.PolicyRule // nil grants everything
	broken    func(verb, plural string) bool
}

func newAPI() *api {
	all := []string{"create", "delete", "get", "list", "patch", "update", "watch"}
	a := &api{version: 100, changed: make(chan struct{}), resources: []*resource{
		{kind: "ConfigMap", plural: "configmaps", scoped: true, verbs: all},
		{kind: "Event", plural: "events", scoped: true, verbs: all},
		{group: "apps", kind: "Deployment", plural: "deployments", scoped: true, verbs: all},
		{group: "coordination.k8s.io", kind: "Lease", plural: "leases", scoped: true},
		{group: "authorization.k8s.io", kind: "SelfSubjectAccessReview", plural: "selfsubjectaccessreviews"},
	}}
	for _, r := range a.resources {
		r.objects = map[types.NamespacedName]object{}
	}
	return a
}

func (a *api) of(plural string) *resource {
	i := slices.IndexFunc(a.resources, func(r *resource) bool { return r.plural == plural })
	return a.resources[i]
}

// put stores the state of an object, as a client that writes unconditionally.
func (a *api) put(plural string, o metav1.ObjectMeta) metav1.ObjectMeta {
	raw, err := json.Marshal(map[string]any{"metadata": o})
	if err != nil {
		panic(err)
	}
	out := object{}
	if err := json.Unmarshal(raw, &out); err != nil {
		panic(err)
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.commit(a.of(plural), "", out).meta().ObjectMeta
}

// commit stores or removes an object in a new version.
func (a *api) commit(r *resource, what string, o object) object {
	a.version++
	m := o.meta()
	at := types.NamespacedName{Namespace: m.Namespace, Name: m.Name}
	fields, _ := o["metadata"].(map[string]any)
	fields = maps.Clone(fields)
	if m.UID == "" {
		fields["uid"] = fmt.Sprintf("uid-%d", a.version)
	}
	fields["resourceVersion"] = strconv.Itoa(a.version)
	o = maps.Clone(o)
	o["metadata"] = fields
	if _, ok := r.objects[at]; what == "" && ok {
		what = "MODIFIED"
	}
	if what = cmp.Or(what, "ADDED"); what == "DELETED" {
		delete(r.objects, at)
	} else {
		r.objects[at] = o
	}
	r.log = append(r.log, change{a.version, what, o})
	close(a.changed)
	a.changed = make(chan struct{})
	return o
}

// remove deletes an object.
func (a *api) remove(plural, namespace, name string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	r := a.of(plural)
	a.commit(r, "DELETED", r.objects[types.NamespacedName{Namespace: namespace, Name: name}])
}

// all returns the objects of a resource, by name.
func (a *api) all(plural string) []object {
	a.mu.Lock()
	defer a.mu.Unlock()
	r := a.of(plural)
	var out []object
	for _, at := range slices.SortedFunc(maps.Keys(r.objects), func(x, y types.NamespacedName) int { return cmp.Compare(x.String(), y.String()) }) {
		out = append(out, r.objects[at])
	}
	return out
}

func (a *api) set(change func()) {
	a.mu.Lock()
	defer a.mu.Unlock()
	change()
}

// takeCalls returns the calls with a verb since the last time, and forgets all calls.
func (a *api) takeCalls(verbs ...string) []string {
	a.mu.Lock()
	defer a.mu.Unlock()
	asked := a.calls
	a.calls = nil
	return slices.DeleteFunc(asked, func(s string) bool {
		verb, _, _ := strings.Cut(s, " ")
		return !slices.Contains(verbs, verb)
	})
}

// fails reports whether a request is to fail. It may take time.
func (a *api) fails(verb, plural string) bool {
	a.mu.Lock()
	broken := a.broken
	a.mu.Unlock()
	return broken != nil && broken(verb, plural)
}

// allows applies the rules as RBAC does.
func (a *api) allows(r Right) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	has := func(list []string, v string) bool { return slices.Contains(list, v) || slices.Contains(list, "*") }
	return a.rules == nil || slices.ContainsFunc(a.rules, func(p rbac.PolicyRule) bool {
		return has(p.Verbs, r.Verb) && has(p.APIGroups, r.Group) && has(p.Resources, r.Resource) &&
			(len(p.ResourceNames) == 0 || slices.Contains(p.ResourceNames, r.Name))
	})
}

// serve serves the API until the test ends, and returns its rest config.
func (a *api) serve(t *testing.T) *rest.Config {
	a.changed = make(chan struct{}) // made in this bubble
	return fakenet.Serve(t, a).Config()
}
