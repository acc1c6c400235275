// Package fakenet is a network of one fake API server, for tests in a bubble of
// testing/synctest. It connects client and server by pipes, which block durably in a
// bubble.
package fakenet

import (
	"context"
	"errors"
	"net"
	"net/http"
	"sync"

	"k8s.io/client-go/rest"
)

// Net is the network. A test may take it down. Use Serve. It is safe for concurrent use.
type Net struct {
	conns  chan net.Conn
	closed chan struct{}

	mu   sync.Mutex
	down bool
	open []net.Conn
}

// Serve serves the handler until the test ends.
func Serve(t interface{ Cleanup(func()) }, h http.Handler) *Net {
	n := &Net{conns: make(chan net.Conn), closed: make(chan struct{})}
	server := &http.Server{Handler: h}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = server.Serve(listener{n})
	}()
	t.Cleanup(func() {
		close(n.closed)
		<-ended // Close misses a connection that is being accepted
		_ = server.Close()
	})
	return n
}

// Config returns a rest config of the server.
func (n *Net) Config() *rest.Config { return &rest.Config{Host: "http://fake", Dial: n.dial} }

// SetDown ends all connections and refuses new ones, or accepts them again.
func (n *Net) SetDown(down bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.down = down
	for _, c := range n.open {
		_ = c.Close()
	}
	n.open = nil
}

func (n *Net) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	ours, theirs := net.Pipe()
	if !n.add(theirs) {
		return nil, errors.New("connection refused")
	}
	select {
	case n.conns <- theirs:
		return ours, nil
	case <-n.closed:
		return nil, net.ErrClosed
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// add records a connection, unless the network is down. SetDown ends it.
func (n *Net) add(c net.Conn) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	if !n.down {
		n.open = append(n.open, c)
	}
	return !n.down
}

// listener is the server's side of the network.
type listener struct{ *Net }

// Accept waits for the next connection.
func (l listener) Accept() (net.Conn, error) {
	select {
	case c := <-l.conns:
		return c, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

// Close does nothing: the test's end closes the network.
func (l listener) Close() error { return nil }

// Addr returns a name for messages.
func (l listener) Addr() net.Addr { return &net.UnixAddr{Name: "fake"} }
