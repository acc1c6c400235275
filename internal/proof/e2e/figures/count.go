package main

import (
	"maps"
	"net/http"
	"strings"
	"sync"
	"time"
)

// Verbs as the API server names them, and "DISCOVER" for requests that name no
// resource.
const (
	verbGet      = "GET"
	verbList     = "LIST"
	verbWatch    = "WATCH"
	verbPatch    = "PATCH"
	verbDelete   = "DELETE"
	verbDiscover = "DISCOVER"
)

// counter counts the requests of a client. It is safe for concurrent use.
type counter struct {
	mu    sync.Mutex
	verbs map[string]int
	last  time.Time // of the last request that is no watch
}

func newCounter() *counter { return &counter{verbs: map[string]int{}, last: time.Now()} }

// through wraps a transport.
func (c *counter) through(next http.RoundTripper) http.RoundTripper { return counting{c, next} }

type counting struct {
	*counter
	next http.RoundTripper
}

// RoundTrip counts a request and sends it.
func (c counting) RoundTrip(r *http.Request) (*http.Response, error) {
	c.note(verbOf(r))
	return c.next.RoundTrip(r)
}

func (c *counter) note(verb string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.verbs[verb]++
	if verb != verbWatch && verb != verbDiscover {
		c.last = time.Now()
	}
}

// taken returns the counts since the last time.
func (c *counter) taken() map[string]int {
	c.mu.Lock()
	defer c.mu.Unlock()
	out := maps.Clone(c.verbs)
	clear(c.verbs)
	return out
}

func (c *counter) lastSent() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.last
}

// verbOf returns the verb of a request.
func verbOf(r *http.Request) string {
	parts := strings.Split(strings.Trim(r.URL.Path, "/"), "/")
	skip := 2 // api, version
	if parts[0] == "apis" {
		skip = 3
	}
	if len(parts) <= skip {
		return verbDiscover
	}
	if parts = parts[skip:]; len(parts) > 2 && parts[0] == "namespaces" {
		parts = parts[2:]
	}
	switch w := r.URL.Query().Get("watch"); {
	case r.Method != http.MethodGet:
		return r.Method
	case w != "" && w != "false" && w != "0":
		return verbWatch
	case len(parts) == 1:
		return verbList
	}
	return verbGet
}
