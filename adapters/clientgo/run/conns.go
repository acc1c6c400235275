package run

import (
	"context"
	"net"
	"sync"
	"time"
)

// dialer makes a connection, as in a rest config.
type dialer func(ctx context.Context, network, address string) (net.Conn, error)

// connections are the connections of one program, which end with it. A transport would
// keep idle connections for long, with two goroutines each.
type connections struct {
	next dialer
	over context.Context
	end  context.CancelFunc

	mu   sync.Mutex
	open map[*connection]struct{}
}

type connection struct {
	net.Conn
	of *connections
}

func newConnections(next dialer) *connections {
	if next == nil {
		next = (&net.Dialer{Timeout: 30 * time.Second, KeepAlive: 30 * time.Second}).DialContext
	}
	c := &connections{next: next, open: map[*connection]struct{}{}}
	c.over, c.end = context.WithCancel(context.Background())
	return c
}

func (c *connections) dial(ctx context.Context, network, address string) (net.Conn, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(c.over, cancel)()
	plain, err := c.next(ctx, network, address)
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.over.Err() != nil {
		_ = plain.Close()
		return nil, net.ErrClosed
	}
	made := &connection{plain, c}
	c.open[made] = struct{}{}
	return made, nil
}

// Close closes the connection.
func (c *connection) Close() error {
	c.of.mu.Lock()
	delete(c.of.open, c)
	c.of.mu.Unlock()
	return c.Conn.Close()
}

// close closes all connections and refuses new ones.
func (c *connections) close() {
	c.end()
	c.mu.Lock()
	defer c.mu.Unlock()
	for made := range c.open {
		_ = made.Conn.Close()
	}
	clear(c.open)
}
