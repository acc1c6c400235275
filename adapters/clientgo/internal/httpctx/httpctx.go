// Package httpctx binds the requests of an HTTP client to a context, for callers that pass
// none. client-go's discovery is such a caller.
package httpctx

import (
	"context"
	"net/http"
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
