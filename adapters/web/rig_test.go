package web

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/adapters/memory"
	"github.com/ownergraph/ownergraph/graph"
)

// rig is a handler for a collector on a memory store.
type rig struct {
	*testing.T
	store     *memory.Store
	collector *ownergraph.Collector
	handler   *Handler
	stop      func() // ends the collector
}

// newRig runs a collector on the objects, in notation, until it is idle.
func newRig(t *testing.T, objects string, c Config) *rig {
	t.Helper()
	list, err := graph.Parse(objects)
	if err != nil {
		t.Fatal(err)
	}
	return newRigOf(t, memory.Config{Objects: list, UIDPrefix: "new-"}, c)
}

func newRigOf(t *testing.T, m memory.Config, c Config) *rig {
	t.Helper()
	store, err := memory.New(m)
	if err != nil {
		t.Fatal(err)
	}
	engine := ownergraph.Config{Limits: m.Limits, Policies: true}
	collector, err := ownergraph.New(store, engine)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- collector.Run(ctx) }()
	stop := sync.OnceFunc(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	t.Cleanup(stop)
	if m.Archive != nil {
		c.Archive = store
	}
	h, err := New(collector, c)
	if err != nil {
		t.Fatal(err)
	}
	r := &rig{t, store, collector, h, stop}
	r.idle()
	return r
}

func (r *rig) idle() {
	r.Helper()
	if _, err := r.collector.WaitIdle(r.Context()); err != nil {
		r.Fatal(err)
	}
}

// delete deletes the object, in notation, and waits for the end of the work.
func (r *rig) delete(key string, p graph.Propagation) {
	r.Helper()
	k := r.key(key)
	if err := r.store.Delete(r.Context(), k, graph.DeleteOptions{Propagation: p}); err != nil {
		r.Fatal(err)
	}
	r.idle()
}

// release takes the finalizers off an object, and waits for the end of the work.
func (r *rig) release(key string) {
	r.Helper()
	o, err := r.store.Get(r.Context(), r.key(key))
	if err != nil {
		r.Fatal(err)
	}
	o.Finalizers = nil
	if _, err := r.store.Update(r.Context(), o); err != nil {
		r.Fatal(err)
	}
	r.idle()
}

func (r *rig) key(text string) graph.Key {
	r.Helper()
	k, err := graph.ParseKey(text)
	if err != nil {
		r.Fatal(err)
	}
	return k
}

// get answers a request for a page.
func (r *rig) get(target string, header ...string) *httptest.ResponseRecorder {
	return r.ask(http.MethodGet, "http://localhost/"+target, header...)
}

// json answers a request for the JSON of a page.
func (r *rig) json(target string) *httptest.ResponseRecorder {
	return r.get(target, "Accept", "application/json")
}

func (r *rig) ask(method, target string, header ...string) *httptest.ResponseRecorder {
	q := httptest.NewRequest(method, target, nil)
	for i := 0; i < len(header); i += 2 {
		q.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	r.handler.ServeHTTP(w, q)
	return w
}

// contains checks the parts of an answer.
func (r *rig) contains(w *httptest.ResponseRecorder, code int, parts ...string) {
	r.Helper()
	if w.Code != code {
		r.Errorf("status %d, want %d: %s", w.Code, code, w.Body)
	}
	for _, p := range parts {
		if !strings.Contains(w.Body.String(), p) {
			r.Errorf("the answer has no %q:\n%s", p, w.Body)
		}
	}
}

func (r *rig) askHost(host, target string) *httptest.ResponseRecorder {
	q := httptest.NewRequest(http.MethodHead, "http://localhost/"+target, nil)
	q.Host = host
	w := httptest.NewRecorder()
	r.handler.ServeHTTP(w, q)
	return w
}

// through answers a request for a path of a mux.
func through(mux http.Handler, path string) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	mux.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "http://localhost"+path, nil))
	return w
}
