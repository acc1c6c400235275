package clientgo

import (
	"net/http"

	utilnet "k8s.io/apimachinery/pkg/util/net"
)

// once sends no write twice. Go's transport sends a request again by itself if the
// server ends the connection before it has answered, and the body can be had again.
// A server that comes back restored would then get a write that rests on its former
// history. Held by TestWriteIsSentOnce.
type once struct{ next http.RoundTripper }

// RoundTrip sends a request.
func (o once) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Method != http.MethodGet && r.GetBody != nil {
		r = r.Clone(r.Context())
		r.GetBody = nil
	}
	return o.WrappedRoundTripper().RoundTrip(r)
}

// WrappedRoundTripper returns what sends the requests.
func (o once) WrappedRoundTripper() http.RoundTripper {
	if o.next == nil {
		return http.DefaultTransport
	}
	return o.next
}

// CloseIdleConnections closes connections that nobody uses.
func (o once) CloseIdleConnections() { utilnet.CloseIdleConnectionsFor(o.WrappedRoundTripper()) }
