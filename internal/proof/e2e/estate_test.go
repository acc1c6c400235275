package e2e

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	clientv3 "go.etcd.io/etcd/client/v3"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/adapters/clientgo"
	"github.com/ownergraph/ownergraph/engine"
	"github.com/ownergraph/ownergraph/examples/tenants/tenancy"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/guard"
)

// estate is a cluster of several tenants. The name of one tenant begins with the whole
// name of another one.
type estate struct {
	*world
	tenant, quota kind
	holders       map[string]object
	spaces        map[string]object // a namespace of each tenant

	before map[string]int64 // the database: the revision of each key
	at     int64

	mu    sync.Mutex
	asked map[string]int // requests of the collectors, by verb and path
}

const gone = "111111" // the tenant that is deleted

var tenants = []string{gone, "1111112", "222222"}

// newEstate makes the tenants, each with a namespace and objects in it.
func newEstate(t *testing.T) *estate {
	e := &estate{world: enter(t, shared), holders: map[string]object{}, spaces: map[string]object{}, asked: map[string]int{}}
	t.Cleanup(func() {
		for _, c := range e.collectors {
			c.stop()
		}
		e.clear()
		e.clearSpaces()
	})
	e.tenant = e.defineGlobal(e.ns+".example.org", "Tenant")
	e.quota = e.defineGlobal("system."+e.ns+".example.org", "Quota")
	for _, name := range tenants {
		e.holders[name] = e.create(e.tenant, name)
		space := e.create(namespace, e.its(name, "web"))
		e.spaces[name] = space
		for _, k := range []kind{pod, configMap, secret, account} {
			e.create(k, "main", under(space.name))
		}
	}
	return e
}

var account = builtin("", "v1", "ServiceAccount", "serviceaccounts", true, nil)

// its returns a tenant's name for an object, of this world alone.
func (e *estate) its(tenant, what string) string {
	return tenant + tenancy.Delimiter + e.ns + "-" + what
}

// groupOf returns the group of a tenant's definitions.
func (e *estate) groupOf(tenant string) string { return tenant + "-shop." + e.ns + ".org" }

// defineGlobal makes a kind of custom resources without namespaces.
func (e *estate) defineGlobal(group, name string) kind {
	e.t.Helper()
	return e.defineIn(group, name, false)
}

func (e *estate) defineIn(group, name string, scoped bool) kind {
	e.t.Helper()
	k := kind{gvk: schema.GroupVersionKind{Group: group, Version: "v1", Kind: name}, plural: strings.ToLower(name) + "s", scoped: scoped}
	e.kinds = append(e.kinds, k)
	spec := definitionSpec(k)
	if !scoped {
		spec["scope"] = "Cluster"
	}
	e.create(definition, k.plural+"."+group, field(spec, "spec"))
	e.served(k)
	return k
}

// clearSpaces ends the namespaces, which are empty by now, as their controller would.
func (e *estate) clearSpaces() {
	for _, o := range e.made {
		if o.kind.gvk != namespace.gvk || o.name == e.ns {
			continue
		}
		_ = e.of(o).Delete(e.ctx, o.name, metav1.DeleteOptions{})
		u, err := e.of(o).Get(e.ctx, o.name, metav1.GetOptions{})
		if err != nil {
			continue
		}
		unstructured.RemoveNestedField(u.Object, "spec", "finalizers")
		_, _ = e.client.Resource(namespace.at()).Update(e.ctx, u, metav1.UpdateOptions{}, "finalize")
	}
}

// mode says which controller ends namespaces.
type mode struct {
	name  string
	ours  bool
	reach func(e *estate) []guard.Sweep
}

func modes() []mode {
	tenantsAlone := func(e *estate) []guard.Sweep {
		return []guard.Sweep{tenancy.Tenants(e.tenant.name(), false)}
	}
	return []mode{
		{"namespace controller", false, tenantsAlone},
		{"scope sweep", true, func(e *estate) []guard.Sweep { return append(tenantsAlone(e), scopeSweep()) }},
	}
}

// scopeSweep empties namespaces, pods first.
func scopeSweep() guard.Sweep {
	return guard.ScopeSweep(tenancy.Namespace, clientgo.NamespaceFinalizer, []graph.Kind{"Pod"})
}

// sweep starts a collector that sweeps tenants, and waits until all of them are
// guarded. A limited user may lack a kind for the whole test. For any other user the
// test waits until no kind is sick.
func (e *estate) sweep(s settings) *collecting {
	e.t.Helper()
	c := e.start(s)
	if s.user == "" {
		c.synced()
	}
	ctx, cancel := context.WithTimeout(e.ctx, patience)
	defer cancel()
	if _, err := c.WaitIdle(ctx); err != nil {
		e.t.Fatalf("%v; held %v; kinds %v", err, c.Held(20), c.sick())
	}
	return c
}

// start starts a collector, and counts its requests.
func (e *estate) start(s settings) *collecting {
	e.t.Helper()
	meet := s.meet
	s.meet = func(r *http.Request) error {
		e.count(r)
		if meet != nil {
			return meet(r)
		}
		return nil
	}
	c := e.collect(s)
	e.t.Cleanup(func() {
		if e.t.Failed() {
			e.t.Logf("sweeps %+v; held %v; kinds %v; %+v", c.Sweeps(10), c.Held(20), c.sick(), c.Stats())
		}
	})
	return c
}

func (e *estate) count(r *http.Request) {
	q := r.URL.Query()
	what := r.Method
	switch {
	case r.Method != http.MethodGet:
	case q.Get("watch") != "":
		what = "WATCH"
	case q.Get("limit") != "":
		what = "LIST"
	case strings.Count(r.URL.Path, "/") < 4 && !strings.HasPrefix(r.URL.Path, "/api/v1/"):
		what = "DISCOVER"
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.asked[what]++
}

// remember notes the database before a tenant is deleted.
func (e *estate) remember() {
	e.t.Helper()
	e.mu.Lock()
	clear(e.asked)
	e.mu.Unlock()
	e.at = e.revision()
	e.before = e.state(e.at)
}

// state returns the database at a revision: for each key the revision of its last
// write. An equal revision proves the same incarnation with the same bytes.
func (e *estate) state(at int64) map[string]int64 {
	e.t.Helper()
	c := e.database()
	defer c.Close()
	all, err := c.Get(e.ctx, registry, clientv3.WithPrefix(), clientv3.WithRev(at), clientv3.WithKeysOnly())
	if err != nil {
		e.t.Fatal(err)
	}
	out := map[string]int64{}
	for _, kv := range all.Kvs {
		key := strings.TrimPrefix(string(kv.Key), registry)
		if !slices.ContainsFunc(churn, func(p string) bool { return strings.HasPrefix(key, p) }) {
			out[key] = kv.ModRevision
		}
	}
	return out
}

// churn has the keys that the API server writes on its own.
var churn = []string{"leases/", "peerserverleases/", "events/", "masterleases/", "apiregistration.k8s.io/apiservices/"}

// isOf returns a pattern for a tenant's keys. It does not use the sweep's rules. It
// looks for the tenant's name at its places in the database.
func isOf(tenant string) *regexp.Regexp {
	return regexp.MustCompile(`(^|[/.])` + regexp.QuoteMeta(tenant) + `(-|$)`)
}

// demandGone demands that the tenant is gone, that none of its objects was left when it
// went, and that no key of another tenant was written since remember. It returns the
// number of the tenant's objects.
func (e *estate) demandGone(name string) (members int) {
	e.t.Helper()
	e.goes(e.holders[name])
	its := isOf(name)
	for _, at := range []int64{e.end(name), e.revision()} {
		for key := range e.state(at) {
			if its.MatchString(key) {
				e.t.Errorf("%s was left when the tenant went, at revision %d", key, at)
			}
		}
	}
	return e.untouched(its) - 1 // without itself
}

// untouched demands that only keys of one tenant were written to since remember, and
// that no key is new. It returns the number of that tenant's objects.
func (e *estate) untouched(its *regexp.Regexp) (members int) {
	e.t.Helper()
	after := e.state(e.revision())
	for _, key := range slices.Sorted(maps.Keys(e.before)) {
		now, there := after[key]
		switch {
		case its.MatchString(key):
			members++
		case !there:
			e.t.Errorf("%s is gone, and was not the tenant's", key)
		case now != e.before[key]:
			e.t.Errorf("%s was written to, and is not the tenant's", key)
		}
	}
	for key := range after {
		if _, was := e.before[key]; !was && !its.MatchString(key) {
			e.t.Errorf("%s is new", key)
		}
	}
	return members
}

// end returns the revision at which a tenant went.
func (e *estate) end(name string) int64 {
	e.t.Helper()
	c := e.database()
	defer c.Close()
	ctx, cancel := context.WithTimeout(e.ctx, patience)
	defer cancel()
	key := fmt.Sprintf("%s%s/%s/%s", registry, e.tenant.gvk.Group, e.tenant.plural, name)
	for part := range c.Watch(ctx, key, clientv3.WithRev(e.at+1)) {
		for _, ev := range part.Events {
			if ev.Type == clientv3.EventTypeDelete {
				return ev.Kv.ModRevision
			}
		}
	}
	e.t.Fatalf("the database does not show the end of tenant %s", name)
	return 0
}

// report logs the cost of a sweep.
func (e *estate) report(members int, list ...*collecting) {
	e.t.Helper()
	e.mu.Lock()
	defer e.mu.Unlock()
	writes := e.asked[http.MethodDelete] + e.asked[http.MethodPatch] + e.asked[http.MethodPut]
	e.t.Logf("%d members; requests %v; %.2f writes and %.2f reads of single objects for each member",
		members, e.asked, float64(writes)/float64(max(1, members)), float64(e.asked[http.MethodGet])/float64(max(1, members)))
	for _, c := range list {
		s := c.Stats()
		e.t.Logf("deletes %d, patches %d, conflicts %d, members gone %d, sweeps ended %d", s.Calls.Of(engine.CallDelete), s.Calls.Of(engine.CallPatch), s.Writes.Conflicts, s.Sweeps.MembersGone, s.Sweeps.Ended)
	}
}

// each runs a test once with each way to end namespaces.
func each(t *testing.T, do func(e *estate, start func() *collecting)) {
	for _, m := range modes() {
		t.Run(m.name, func(t *testing.T) {
			e := newEstate(t)
			do(e, func() *collecting {
				if !m.ours {
					e.namespaceController()
				}
				c := e.sweep(settings{engine: ownergraph.Config{Sweeps: m.reach(e)}})
				e.remember()
				return c
			})
		})
	}
}
