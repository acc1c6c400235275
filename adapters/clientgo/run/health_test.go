package run

import (
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"k8s.io/client-go/rest"
)

func TestHealth(t *testing.T) {
	bubble(t, Config{}, func(r *rig) {
		expect := func(path string, code int, text string) {
			t.Helper()
			if w := get(r.program, path); w.Code != code || w.Body.String() != text {
				t.Errorf("%s: %d %q, want %d %q", path, w.Code, w.Body, code, text)
			}
		}
		expect("/healthz", 200, "ok\n")
		expect("/readyz", 503, "not collecting\n")
		r.set(func() { r.broken = func(_, plural string) bool { return plural == "configmaps" } })
		end := r.start(r.program)
		expect("/healthz", 200, "ok\n")
		pass(time.Second)
		w := get(r.program, "/readyz")
		if body := w.Body.String(); w.Code != 503 || !strings.HasPrefix(body, "ConfigMap: list configmaps: Internal error") || strings.Count(body, "\n") != 1 {
			t.Errorf("with a kind that is sick: %d %q", w.Code, body)
		}
		pass(heldEvery)
		if lines := r.with("kinds cannot be watched", "count=1", "ConfigMap: list configmaps"); len(lines) != 1 {
			t.Errorf("logged %q", lines)
		}
		r.set(func() { r.broken = nil })
		pass(time.Minute)
		expect("/readyz", 200, "ok: 2 kinds are listed\n")
		if lines := r.with("kinds are watched again", "ConfigMap"); len(lines) != 1 {
			t.Errorf("logged %q", lines)
		}
		if err := end(); err != nil {
			t.Error(err)
		}
		expect("/readyz", 503, "not collecting\n")
		w = httptest.NewRecorder()
		r.program.Handler().ServeHTTP(w, httptest.NewRequest("POST", "/healthz", nil))
		if w.Code != http.StatusMethodNotAllowed {
			t.Errorf("posted to: %d", w.Code)
		}
	})
}

// TestReadyWhileListing: readyz names a kind whose listing takes long.
func TestReadyWhileListing(t *testing.T) {
	bubble(t, Config{}, func(r *rig) {
		listed := make(chan struct{})
		r.broken = func(verb, plural string) bool {
			if verb == "list" && plural == "deployments" {
				<-listed
			}
			return false
		}
		r.start(r.program)
		if w := get(r.program, "/readyz"); w.Code != 503 || w.Body.String() != "apps/Deployment: not listed yet\n" {
			t.Errorf("%d %q", w.Code, w.Body)
		}
		close(listed)
		pass(time.Second)
		if w := get(r.program, "/readyz"); w.Code != 200 {
			t.Errorf("%d %q", w.Code, w.Body)
		}
	})
}

// TestServeFails: a failing listener ends the program with an error that has its
// address.
func TestServeFails(t *testing.T) {
	p, err := New(&rest.Config{}, Config{})
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_ = l.Close()
	if err := p.serve(t.Context(), l, p.Handler()); !errors.Is(err, net.ErrClosed) || !strings.Contains(err.Error(), l.Addr().String()) {
		t.Errorf("ended with %v", err)
	}
}

// TestReadyWithoutServer: before the first discovery the program is not ready.
func TestReadyWithoutServer(t *testing.T) {
	bubble(t, Config{}, func(r *rig) {
		for _, k := range r.resources {
			k.verbs = nil
		}
		r.start(r.program)
		pass(time.Second)
		if w := get(r.program, "/readyz"); w.Code != 503 || w.Body.String() != "no kind is discovered yet\n" {
			t.Errorf("%d %q", w.Code, w.Body)
		}
	})
}
