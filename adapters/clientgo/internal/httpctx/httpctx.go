// Package httpctx binds the requests of an HTTP client to a context, for callers that pass
// none. client-go's discovery is such a caller. It also bounds the pauses that a server asks
// for, because client-go waits for them without a bound.
package httpctx

import (
	"context"
	"net/http"
	"strconv"
	"time"
)

// Client returns a copy of an HTTP client whose requests end with the context. It removes
// the header Retry-After from each response, so that client-go does not wait and retry.
func Client(ctx context.Context, c *http.Client) *http.Client {
	bound := *c
	bound.Transport = transport{ctx, c.Transport}
	return &bound
}

type transport struct {
	ctx  context.Context
	next http.RoundTripper
}

// RoundTrip sends a request under the context.
func (t transport) RoundTrip(r *http.Request) (*http.Response, error) {
	next := t.next
	if next == nil {
		next = http.DefaultTransport
	}
	resp, err := next.RoundTrip(r.WithContext(t.ctx))
	if resp != nil {
		resp.Header.Del("Retry-After")
	}
	return resp, err
}

// Capped returns a copy of an HTTP client whose responses name no Retry-After of more than the
// time, and no negative one. client-go repeats such a request up to ten times, and waits each
// time as long as the server says.
//
//test:by TestCapped
func Capped(c *http.Client, most time.Duration) *http.Client {
	capped := *c
	capped.Transport = limited{c.Transport, int(most / time.Second)}
	return &capped
}

type limited struct {
	next http.RoundTripper
	most int // seconds
}

// RoundTrip sends a request.
func (t limited) RoundTrip(r *http.Request) (*http.Response, error) {
	next := t.next
	if next == nil {
		next = http.DefaultTransport
	}
	resp, err := next.RoundTrip(r)
	if resp == nil || resp.Header.Get("Retry-After") == "" {
		return resp, err
	}
	switch seconds, wrong := strconv.Atoi(resp.Header.Get("Retry-After")); {
	case wrong != nil || seconds < 0: // a date, or beyond all numbers
		resp.Header.Del("Retry-After")
	case seconds > t.most:
		resp.Header.Set("Retry-After", strconv.Itoa(t.most))
	}
	return resp, err
}

// WrappedRoundTripper lets client-go find the transport that it closes.
func (t limited) WrappedRoundTripper() http.RoundTripper { return t.next }
