package clientgo

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/ownergraph/ownergraph/graph"
)

// TestUnlistedOwner: the engine waits for the listing of an owner's kind, and does not
// read the owner. It decides about the dependents soon after the listing.
func TestUnlistedOwner(t *testing.T) {
	for _, c := range []struct {
		fault  fakeResponse
		owner  graph.Kind
		lasts  time.Duration
		within time.Duration
		reason string
	}{
		{fakeResponse{code: 500}, "apps/Deployment", 14 * time.Second, 6 * time.Second, "the list fails"},
		{fakeResponse{code: 500}, "Node", 14 * time.Second, 6 * time.Second, "the list fails"},
		{fakeResponse{code: 500}, "apps/Deployment", 10 * time.Minute, 31 * time.Second, "the list fails for long"},
		{fakeResponse{hang: true}, "apps/Deployment", 14 * time.Second, 7 * time.Second, "the list hangs"},
		{fakeResponse{code: 503, after: 20}, "apps/Deployment", 14 * time.Second, 7 * time.Second, "the server asks for time, and gets it"},
	} {
		bubble(t, newFake(standardKinds()...), Config{}, func(r *rig) {
			k := r.kindOf(c.owner)
			version := "v1"
			if k.group != "" {
				version = k.group + "/v1"
			}
			r.create("ConfigMap", named("ns", "a", ref(version, k.kind, "gone", "gone")))
			r.fault = func(q *http.Request) *fakeResponse {
				if strings.HasSuffix(q.URL.Path, "/"+k.plural) {
					return &c.fault
				}
				return nil
			}
			began := time.Now()
			r.collect()
			pass(c.lasts)
			r.locked(func() { r.fault = nil })
			for r.stored("ConfigMap", "ns", "a") != nil && time.Since(began) < c.lasts+5*time.Minute {
				pass(100 * time.Millisecond)
			}
			took := time.Since(began) - c.lasts
			t.Logf("%s: %s: judged %v after the server is well again", c.reason, c.owner, took)
			if took > c.within {
				t.Errorf("%s: %s: judged %v after the server is well again, want %v at most", c.reason, c.owner, took, c.within)
			}
		})
	}
}
