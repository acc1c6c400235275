package clientgo

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/ownergraph/ownergraph/graph"
)

func key(kind graph.Kind, scope, name string) graph.Key {
	return graph.Key{Kind: kind, Scope: scope, Name: name}
}

// stored returns an object of the fake.
func (r *rig) stored(kind graph.Kind, scope, name string) *meta {
	r.fake.mu.Lock()
	defer r.fake.mu.Unlock()
	return r.kindOf(kind).objects[types.NamespacedName{Namespace: scope, Name: name}]
}

func exactly(m *meta) graph.Precondition {
	return graph.Precondition{UID: graph.UID(m.UID), Version: graph.Version(m.ResourceVersion)}
}

func TestGet(t *testing.T) {
	bubble(t, newFake(definitionKinds()...), Config{}, func(r *rig) {
		n := r.create("Node", named("", "n"))
		m := named("ns", "a", ref("v1", "Node", "n", n.UID), ref("apps/v1beta1", "Deployment", "d", "u1"), ref("gone/v1", "X", "x", "u2"))
		yes, grace := true, int64(30)
		m.OwnerReferences[1].BlockOwnerDeletion, m.OwnerReferences[1].Controller = &yes, &yes
		m.Finalizers = []string{"foregroundDeletion", "x"}
		m.DeletionTimestamp, m.DeletionGracePeriodSeconds = &metav1.Time{Time: time.Now()}, &grace
		a := r.create("ConfigMap", m)
		want := graph.Object{
			Key:     graph.Key{Kind: "ConfigMap", Scope: "ns", Name: "a", UID: graph.UID(a.UID)},
			Version: graph.Version(a.ResourceVersion), Deleting: true, GraceSeconds: 30, Generation: 1,
			Finalizers: []string{"foregroundDeletion", "x"},
			Owners: []graph.Owner{
				{Key: graph.Key{Kind: "Node", Name: "n", UID: graph.UID(n.UID)}},
				{Key: graph.Key{Kind: "apps/Deployment", Scope: "ns", Name: "d", UID: "u1"}, Block: true, Controller: true},
				{Key: graph.Key{Kind: "gone/X", Name: "x", UID: "u2"}, Unresolved: true},
			},
		}
		if _, err := r.store.discover(r.t.Context(), time.Now()); err != nil {
			t.Fatal(err)
		}
		r.takeCalls()
		got, err := r.store.Get(context.Background(), key("ConfigMap", "ns", "a"))
		r.want(r.takeCalls(), "get a")
		if err != nil || !got.Equal(want) {
			t.Errorf("got %+v, %v\nwant %+v", got, err, want)
		}
		for _, c := range []struct {
			reason string
			key    graph.Key
			want   error
		}{
			{"nothing there", key("ConfigMap", "ns", "b"), graph.ErrNotFound},
			{"nothing in that scope", key("ConfigMap", "other", "a"), graph.ErrNotFound},
			{"nothing of a scoped kind is global", key("ConfigMap", "", "a"), graph.ErrNotFound},
			{"nothing of a global kind has a scope", key("Node", "ns", "n"), graph.ErrNotFound},
			{"a kind that is not served", key("shop.example/Cart", "ns", "a"), graph.ErrKindUnknown},
			{"an unknown kind", key("X", "ns", "a"), graph.ErrKindUnknown},
			{"a name that leads elsewhere", key("ConfigMap", "ns", "../../../nodes/n"), graph.ErrRefused},
			{"a name that leads nowhere", key("ConfigMap", "ns", ".."), graph.ErrRefused},
			{"a scope that leads elsewhere", key("ConfigMap", "ns/configmaps/a", "b"), graph.ErrRefused},
			{"no name: that would be the whole kind", key("ConfigMap", "ns", ""), graph.ErrRefused},
		} {
			_, err := r.store.Get(context.Background(), c.key)
			only(t, c.reason, err, c.want)
		}
	})
}

// only checks that an error wraps exactly one of the sentinels.
func only(t *testing.T, reason string, err, want error) {
	t.Helper()
	for _, s := range []error{graph.ErrNotFound, graph.ErrConflict, graph.ErrKindUnknown, graph.ErrRefused} {
		if errors.Is(err, s) != (s == want) {
			t.Errorf("%s: got %v, want %v", reason, err, want)
			return
		}
	}
	if err == nil {
		t.Errorf("%s: got no error", reason)
	}
}

func TestServerErrors(t *testing.T) {
	status := func(body string) string {
		return `{"kind":"Status","apiVersion":"v1","status":"Failure",` + body + `}`
	}
	for _, c := range []struct {
		reason string
		fault  fakeResponse
		want   error
		after  time.Duration
	}{
		{"the server says that this object is not there", fakeResponse{code: 404, body: status(`"reason":"NotFound","code":404,"details":{"name":"a","kind":"configmaps"}`)}, graph.ErrNotFound, 0},
		{"it says so of another object", fakeResponse{code: 404, body: status(`"reason":"NotFound","code":404,"details":{"name":"b","kind":"configmaps"}`)}, graph.ErrKindUnknown, 0},
		{"it says so of another kind: the namespace, say", fakeResponse{code: 404, body: status(`"reason":"NotFound","code":404,"details":{"name":"a","kind":"namespaces"}`)}, graph.ErrKindUnknown, 0},
		{"it does not say of what", fakeResponse{code: 404, body: status(`"reason":"NotFound","code":404`)}, graph.ErrKindUnknown, 0},
		{"a server that starts: a page", fakeResponse{code: 404, body: "404 page not found"}, graph.ErrKindUnknown, 0},
		{"a conflict", fakeResponse{code: 409}, graph.ErrConflict, 0},
		{"forbidden", fakeResponse{code: 403}, graph.ErrRefused, 0},
		{"invalid, twice", fakeResponse{code: 422}, graph.ErrRefused, 0},
		{"a webhook's no", fakeResponse{code: 400}, graph.ErrRefused, 0},
		{"not allowed", fakeResponse{code: 405}, graph.ErrRefused, 0},
		{"the caller is not known: a token may be renewed", fakeResponse{code: 401}, nil, 0},
		{"too many requests", fakeResponse{code: 429, after: 7}, nil, 7 * time.Second},
		{"too many requests, by a page", fakeResponse{code: 429, after: 3, body: "later"}, nil, 3 * time.Second},
		{"a server that breaks", fakeResponse{code: 500}, nil, 0},
		{"an aggregated server that is down", fakeResponse{code: 503, body: "service unavailable"}, nil, 0},
		{"a gateway that waited", fakeResponse{code: 504}, nil, 0},
		{"no answer before the call's deadline", fakeResponse{hang: true}, context.DeadlineExceeded, 0},
	} {
		t.Run(c.reason, func(t *testing.T) {
			bubble(t, newFake(standardKinds()...), Config{}, func(r *rig) {
				if _, err := r.store.discover(r.t.Context(), time.Now()); err != nil {
					t.Fatal(err)
				}
				r.fault = func(*http.Request) *fakeResponse { return &c.fault }
				k := key("ConfigMap", "ns", "a")
				pre := graph.Precondition{UID: "u", Version: "1"}
				for verb, call := range map[string]func(context.Context) error{
					"get":    func(ctx context.Context) error { _, err := r.store.Get(ctx, k); return err },
					"delete": func(ctx context.Context) error { return r.store.Delete(ctx, k, graph.DeleteOptions{}) },
					"patch": func(ctx context.Context) error {
						return r.store.Patch(ctx, k, pre, graph.Change{DropFinalizer: "f"})
					},
				} {
					ctx, cancel := context.WithTimeout(r.t.Context(), time.Minute)
					began := time.Now()
					err := call(ctx)
					cancel()
					if c.want == context.DeadlineExceeded {
						if !errors.Is(err, c.want) {
							t.Errorf("%s: %v", verb, err)
						}
						continue
					}
					only(t, verb, err, c.want)
					var l interface{ RetryAfter() time.Duration }
					if got := errors.As(err, &l); got != (c.after > 0) || got && l.RetryAfter() != c.after {
						t.Errorf("%s: %v: retry after: %t, want %v", verb, err, got, c.after)
					}
					if err != nil && strings.Count(err.Error(), "ConfigMap/ns/a") != 1 {
						t.Errorf("%s: the error names its object not once: %v", verb, err)
					}
					if time.Since(began) != 0 {
						t.Errorf("%s: it waited %v", verb, time.Since(began))
					}
				}
			})
		})
	}
}

func TestDelete(t *testing.T) {
	for _, c := range []struct {
		reason string
		opts   func(*meta) graph.DeleteOptions
		want   error
		left   string // finalizers, or "-" for a removed object
	}{
		{"exact, in the background", func(m *meta) graph.DeleteOptions {
			return graph.DeleteOptions{Precondition: exactly(m), Propagation: graph.Background}
		}, nil, "-"},
		{"in the foreground: it is marked", func(m *meta) graph.DeleteOptions {
			return graph.DeleteOptions{Precondition: exactly(m), Propagation: graph.Foreground}
		}, nil, "foregroundDeletion"},
		{"orphaning: it is marked", func(m *meta) graph.DeleteOptions {
			return graph.DeleteOptions{Precondition: exactly(m), Propagation: graph.Orphan}
		}, nil, "orphan"},
		{"any state", func(m *meta) graph.DeleteOptions { return graph.DeleteOptions{} }, nil, "-"},
		{"another incarnation", func(m *meta) graph.DeleteOptions {
			return graph.DeleteOptions{Precondition: graph.Precondition{UID: "other"}}
		}, graph.ErrConflict, ""},
		{"another version", func(m *meta) graph.DeleteOptions {
			return graph.DeleteOptions{Precondition: graph.Precondition{UID: graph.UID(m.UID), Version: "1"}}
		}, graph.ErrConflict, ""},
	} {
		t.Run(c.reason, func(t *testing.T) {
			bubble(t, newFake(standardKinds()...), Config{}, func(r *rig) {
				m := r.create("ConfigMap", named("ns", "a"))
				if _, err := r.store.discover(r.t.Context(), time.Now()); err != nil {
					t.Fatal(err)
				}
				r.takeCalls()
				err := r.store.Delete(r.t.Context(), key("ConfigMap", "ns", "a"), c.opts(m))
				if c.want != nil {
					only(t, c.reason, err, c.want)
				} else if err != nil {
					t.Error(err)
				}
				left := "-"
				if o := r.stored("ConfigMap", "ns", "a"); o != nil {
					left = strings.Join(o.Finalizers, ",")
				}
				if left != c.left {
					t.Errorf("left %q, want %q", left, c.left)
				}
				r.want(r.takeCalls(), "delete a")
			})
		})
	}
}

func TestCompareVersions(t *testing.T) {
	s, err := New(nil, Config{})
	if s != nil || !errors.Is(err, graph.ErrInvalid) {
		t.Errorf("a store of no server: %v", err)
	}
	for _, c := range []struct {
		reason, a, b string
		want         int
	}{
		{"numbers", "9", "10", -1}, {"equal", "10", "10", 0}, {"numbers", "11", "10", 1},
		{"longer than any integer", "99999999999999999999999", "99999999999999999999998", 1},
		{"no number", "abc", "10", 0}, {"no number", "10", "", 0}, {"0 stands for any", "0", "10", 0}, {"no order is written so", "010", "9", 0},
	} {
		if got := (*Store)(nil).CompareVersions("", graph.Version(c.a), graph.Version(c.b)); got != c.want {
			t.Errorf("%s: compare %q with %q: %d", c.reason, c.a, c.b, got)
		}
	}
}

func TestConfig(t *testing.T) {
	for _, c := range []struct {
		reason string
		config Config
		field  string
	}{
		{"a negative page", Config{PageSize: -1}, "PageSize"},
		{"a negative period", Config{Rediscover: -1}, "Rediscover"},
		{"a negative number", Config{Listings: -1}, "Listings"},
		{"an empty kind", Config{Ignore: []graph.Kind{""}}, "Ignore"},
	} {
		if _, err := c.config.filled(); !errors.Is(err, graph.ErrInvalid) || !strings.Contains(err.Error(), c.field) {
			t.Errorf("%s: %v", c.reason, err)
		}
	}
	if c, err := (Config{}).filled(); err != nil || len(c.Ignore) == 0 || c.Logger == nil || c.PageSize == 0 {
		t.Errorf("the zero config: %+v, %v", c, err)
	}
}
