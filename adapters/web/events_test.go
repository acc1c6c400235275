package web

import (
	"bufio"
	"context"
	"encoding/json"
	"iter"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ownergraph/ownergraph/engine"
	"github.com/ownergraph/ownergraph/graph"
)

// listen opens the stream of a deletion on a real server.
func (r *rig) listen(ctx context.Context, server *httptest.Server, target string) (*http.Response, *bufio.Scanner) {
	r.Helper()
	q, err := http.NewRequestWithContext(ctx, http.MethodGet, server.URL+"/"+target, nil)
	if err != nil {
		r.Fatal(err)
	}
	w, err := server.Client().Do(q)
	if err != nil {
		r.Fatal(err)
	}
	r.Cleanup(func() { _ = w.Body.Close() })
	return w, bufio.NewScanner(w.Body)
}

// serve serves the pages by a server whose limits are for short answers.
func (r *rig) serve() *httptest.Server {
	s := httptest.NewUnstartedServer(r.handler)
	s.Config.ReadTimeout, s.Config.WriteTimeout = 200*time.Millisecond, 200*time.Millisecond
	s.Start()
	r.Cleanup(s.Close)
	return s
}

// event returns the next event with its data, and skips comments.
func event(s *bufio.Scanner) (name, data string) {
	for s.Scan() {
		line := s.Text()
		switch {
		case strings.HasPrefix(line, "event: "):
			name = strings.TrimPrefix(line, "event: ")
		case strings.HasPrefix(line, "data: "):
			data = strings.TrimPrefix(line, "data: ")
		case line == "" && name != "":
			return name, data
		}
	}
	return "", ""
}

// TestCascade: the page tells a deletion that has not begun, one that runs, and one that is done.
func TestCascade(t *testing.T) {
	r := newRig(t, shop, Config{})
	if p := decode[progress](r, "cascade?key=deploy/shop/web"); p.State != "waiting" || p.Left != 4 {
		t.Errorf("before: %+v", p)
	}
	r.delete("deploy/shop/web@d1", graph.Foreground)
	if p := decode[progress](r, "cascade?key=deploy/shop/web"); p.State != "running" || p.Left != 3 || p.Held != 1 || p.Blocked != 2 || len(p.By) == 0 || p.By[1].Key.Name != "a" {
		t.Errorf("in the middle: %+v", p)
	}
	r.contains(r.get("cascade?key=deploy/shop/web"), 200, "The deletion is running", `data-events="events?key=deploy%2Fshop%2Fweb&amp;uid=d1"`, "finalizers hold it", `&amp;reload=5&amp;`)
	if body := r.get("cascade?key=deploy/shop/web").Body.String(); strings.Contains(body, "http-equiv") {
		t.Error("the page reloads itself, and no user asked for that")
	}
	r.contains(r.get("cascade?key=deploy/shop/web&reload=5"), 200, `<noscript><meta http-equiv="refresh" content="5"></noscript>`)
	r.release("pod/shop/a@p1")
	if p := decode[progress](r, "cascade?key=deploy/shop/web"); p.State != "done" {
		t.Errorf("at the end: %+v", p)
	}
	r.contains(r.get("cascade?key=deploy/shop/none"), 404, "not found")
}

// TestEvents: a stream reports a deletion until it is done. It outlives the limits that the
// server has for answers.
func TestEvents(t *testing.T) {
	r := newRig(t, shop, Config{})
	server := r.serve()
	w, s := r.listen(t.Context(), server, "events?key=deploy/shop/web")
	if name, data := event(s); name != "progress" || !strings.Contains(data, `"state":"waiting"`) || w.Header.Get("Content-Type") != "text/event-stream" {
		t.Errorf("the first event is %s: %s", name, data)
	}
	<-time.After(2 * server.Config.WriteTimeout) // the limits pass
	r.delete("deploy/shop/web@d1", graph.Foreground)
	for name, data := event(s); !strings.Contains(data, `"held":1,"blocked":2`); name, data = event(s) {
		if name != "progress" {
			t.Fatalf("event %q: %s", name, data)
		}
	}
	r.release("pod/shop/a@p1")
	name, data := event(s)
	for name == "progress" {
		name, data = event(s)
	}
	var p progress
	if err := json.Unmarshal([]byte(data), &p); name != "done" || err != nil || p.State != "done" || p.Left != 0 || p.Gone != 4 {
		t.Errorf("the last event is %q: %s (%v)", name, data, err)
	}
	if name, _ := event(s); name != "" {
		t.Errorf("event %q after the end", name)
	}
}

// TestEventsFail: a stream about no object is an error, not a stream. A collector that ends while
// a stream is open is its last event.
func TestEventsFail(t *testing.T) {
	r := newRig(t, shop, Config{})
	server := r.serve()
	for target, code := range map[string]int{"events?key=": 400, "events?uid=none": 404} {
		if w, _ := r.listen(t.Context(), server, target); w.StatusCode != code {
			t.Errorf("%s: status %d, want %d", target, w.StatusCode, code)
		}
	}
	_, s := r.listen(t.Context(), server, "events?key=deploy/shop/none")
	if name, data := event(s); name != "failed" || !strings.Contains(data, "not found") {
		t.Errorf("an unknown object: %s %s", name, data)
	}
	_, s = r.listen(t.Context(), server, "events?key=deploy/shop/web")
	event(s)
	r.stop()
	if name, data := event(s); name != "failed" || !strings.Contains(data, "collector") {
		t.Errorf("after the end of the collector: %s %s", name, data)
	}
}

// TestEventsNoFlush: behind a handler that delays an answer until its end, a stream is an error
// at once. The browser then does not open it again and again.
func TestEventsNoFlush(t *testing.T) {
	r := newRig(t, shop, Config{})
	w := httptest.NewRecorder()
	r.handler.ServeHTTP(struct{ http.ResponseWriter }{w}, httptest.NewRequest(http.MethodGet, "http://localhost/events?key=deploy/shop/web", nil))
	if r.contains(w, 501, "no Flush"); strings.Contains(w.Header().Get("Content-Type"), "event-stream") || len(r.handler.streams) > 0 {
		t.Errorf("type %q, %d streams", w.Header().Get("Content-Type"), len(r.handler.streams))
	}
}

// TestEventsAreBounded: a stream too many is refused, and gets its place once another one ends.
func TestEventsAreBounded(t *testing.T) {
	r := newRig(t, shop, Config{MaxStreams: 2})
	server := r.serve()
	ctx, cancel := context.WithCancel(t.Context())
	for range 2 {
		_, s := r.listen(ctx, server, "events?key=deploy/shop/web")
		event(s)
	}
	if w, _ := r.listen(t.Context(), server, "events?key=deploy/shop/web"); w.StatusCode != 503 || w.Header.Get("Retry-After") == "" {
		t.Errorf("the third stream has status %d", w.StatusCode)
	}
	r.contains(r.get("search"), 200, "web")
	cancel()
	for end := time.Now().Add(10 * time.Second); ; {
		w, _ := r.listen(t.Context(), server, "events?key=deploy/shop/web")
		if w.StatusCode == 200 {
			return
		}
		if time.Now().After(end) {
			t.Fatal("the place of a closed stream stays taken")
		}
	}
}

// TestEventsEnd: a stream ends with the request, and leaves no call of Follow under way.
func TestEventsEnd(t *testing.T) {
	r := newRig(t, shop, Config{})
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		q := httptest.NewRequestWithContext(ctx, http.MethodGet, "http://localhost/events?key=deploy/shop/web", nil)
		r.handler.ServeHTTP(httptest.NewRecorder(), q)
	}()
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for len(r.handler.streams) == 0 {
		<-tick.C
	}
	cancel()
	select {
	case <-ended:
	case <-time.After(10 * time.Second):
		t.Fatal("the stream goes on without a reader")
	}
	if n := len(r.handler.streams); n != 0 {
		t.Errorf("%d streams are open", n)
	}
}

// quiet is a source in which nothing happens.
type quiet struct{ Source }

func (quiet) Stats() (s engine.Stats) { return s }

func (quiet) Follow(ctx context.Context, _ graph.Key) iter.Seq2[engine.Progress, error] {
	return func(func(engine.Progress, error) bool) { <-ctx.Done() }
}

// TestEventsBeat: a stream without an event shows a sign of life, so that a proxy keeps it. It ends
// in time, and the browser then opens another one.
func TestEventsBeat(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, err := New(quiet{}, Config{})
		if err != nil {
			t.Fatal(err)
		}
		w, began := httptest.NewRecorder(), time.Now()
		h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "http://localhost/events?key=pod/a", nil))
		if got := time.Since(began); got != longest {
			t.Errorf("the stream ends after %v, want %v", got, longest)
		}
		if n := strings.Count(w.Body.String(), ": \n\n"); n < int(longest/beat)-1 || len(h.streams) > 0 {
			t.Errorf("%d signs of life in %v, %d streams left", n, longest, len(h.streams))
		}
	})
}
