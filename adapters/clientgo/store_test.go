package clientgo

import (
	"errors"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"k8s.io/client-go/rest"

	"github.com/ownergraph/ownergraph/graph"
)

// counted counts the requests of a transport.
type counted struct {
	next http.RoundTripper
	n    *atomic.Int64
}

func (c counted) RoundTrip(r *http.Request) (*http.Response, error) {
	c.n.Add(1)
	return c.next.RoundTrip(r)
}

// TestNewForConfigAndClient: a store sends all its requests by the given client,
// discovery too. It ignores the client's timeout.
func TestNewForConfigAndClient(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake(standardKinds()...)
		at := f.serve(t)
		own, err := rest.HTTPClientFor(at)
		if err != nil {
			t.Fatal(err)
		}
		n := &atomic.Int64{}
		shared := &http.Client{Transport: counted{own.Transport, n}, Timeout: time.Second}
		t.Cleanup(own.CloseIdleConnections)
		store, err := NewForConfigAndClient(&rest.Config{Host: at.Host}, shared, Config{})
		if err != nil {
			t.Fatal(err)
		}
		r := &rig{fake: f, t: t, store: store, live: map[graph.Key]graph.Object{}, stale: map[graph.Kind]map[graph.Key]bool{}}
		r.create("ConfigMap", named("ns", "a"))
		r.watch()
		pass(time.Second)
		r.takeCalls()
		before := n.Load()
		pass(20 * time.Second)
		if calls := r.takeCalls(); len(calls) != 0 {
			t.Errorf("the watches began again: %v", calls)
		}
		r.agree()
		if _, err := store.Get(t.Context(), key("ConfigMap", "ns", "a")); err != nil {
			t.Error(err)
		}
		if before == 0 || n.Load() != before+1 {
			t.Errorf("%d requests went by the client, and then %d", before, n.Load()-before)
		}
		if shared.Timeout != time.Second {
			t.Error("the caller's client was changed")
		}
	})
	for _, c := range []struct {
		server *rest.Config
		client *http.Client
		field  string
		reason string
	}{
		{nil, http.DefaultClient, "rest config", "no server"},
		{&rest.Config{}, nil, "HTTP client", "New is for that"},
	} {
		if _, err := NewForConfigAndClient(c.server, c.client, Config{}); !errors.Is(err, graph.ErrInvalid) || !strings.Contains(err.Error(), c.field) {
			t.Errorf("%s: %v", c.reason, err)
		}
	}
}
