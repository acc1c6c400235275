package clientgo

import (
	"net/http"

	utilnet "k8s.io/apimachinery/pkg/util/net"
)

// once sends no write twice. Go's transport repeats a request if the server ends the
// connection before its answer and the body can be read again. A server that comes back
// restored would then get a write of its former history.
//
//test:by TestWriteIsSentOnce
type once struct{ next http.RoundTripper }

// RoundTrip sends a request.
func (o once) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Method != http.MethodGet && r.GetBody != nil {
		r = r.Clone(r.Context())
		r.GetBody = nil
	}
	return o.WrappedRoundTripper().RoundTrip(r)
}

// WrappedRoundTripper returns the next transport.
func (o once) WrappedRoundTripper() http.RoundTripper {
	if o.next == nil {
		return http.DefaultTransport
	}
	return o.next
}

// CloseIdleConnections closes the idle connections.
func (o once) CloseIdleConnections() { utilnet.CloseIdleConnectionsFor(o.WrappedRoundTripper()) }
