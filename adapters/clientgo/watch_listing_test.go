package clientgo

import (
	"net/http"
	"strings"
	"testing"
	"time"
)

// TestWatchWithoutStreaming: a server that does not know streaming never ends the
// listing. The store then reads pages.
func TestWatchWithoutStreaming(t *testing.T) {
	f := newFake(standardKinds()...)
	f.unknownStream, f.noBookmarks = true, true
	bubble(t, f, Config{}, func(r *rig) {
		r.create("ConfigMap", named("ns", "a"))
		r.watch()
		pass(2 * streamSilence)
		r.agree()
		if got := of(r.reported(), "list-ended"); len(got) != 3 {
			t.Errorf("listed: %v", got)
		}
	})
}

// TestWatchPagesExpire: after an expired page token the listing begins anew.
func TestWatchPagesExpire(t *testing.T) {
	bubble(t, newFake(standardKinds()...), Config{PageSize: 1, NoStreaming: true}, func(r *rig) {
		r.create("ConfigMap", named("ns", "a"))
		r.create("ConfigMap", named("ns", "b"))
		once := true
		r.fault = func(q *http.Request) *fakeResponse {
			if q.URL.Query().Get("continue") != "" && once {
				once = false
				return &fakeResponse{code: 410}
			}
			return nil
		}
		r.watch()
		pass(time.Minute)
		r.want(of(r.reported(), "begun ConfigMap", "ended ConfigMap", "put"),
			"list-begun ConfigMap", "put a@101", "list-begun ConfigMap", "put a@101", "put b@102", "list-ended ConfigMap@102")
	})
}

// TestWatchPagesAndWrites: a listing shows one version, although writes go on between
// its pages. The watch reports the writes afterwards.
func TestWatchPagesAndWrites(t *testing.T) {
	bubble(t, newFake(standardKinds()...), Config{PageSize: 1, NoStreaming: true}, func(r *rig) {
		r.create("ConfigMap", named("ns", "a"))
		r.create("ConfigMap", named("ns", "b"))
		r.fault = func(q *http.Request) *fakeResponse {
			if strings.HasPrefix(q.URL.Query().Get("continue"), "102") {
				r.fault = nil
				go func() {
					r.delete("ConfigMap", "ns", "b", 0)
					r.create("ConfigMap", named("ns", "c"))
				}()
				return &fakeResponse{code: 500}
			}
			return nil
		}
		r.watch()
		pass(time.Minute)
		r.agree()
	})
}
