// Package proxy forwards connections to a server and breaks them on purpose.
package proxy

import (
	"fmt"
	"math/rand/v2"
	"net"
	"sync"
)

// mode is the state of a proxy.
type mode uint8

const (
	modeSound mode = iota
	modeCut
	modeLose
)

// way is a direction of a connection.
type way uint8

const (
	request way = iota
	answer
)

// Proxy forwards the connections of one listener. It is safe for concurrent use. Use
// Listen.
type Proxy struct {
	network, to string
	listener    net.Listener

	mu    sync.Mutex
	rand  *rand.Rand
	mode  mode
	limit int
	pairs map[*pair]bool
	cuts  int
	lost  int
}

// pair is a connection and its other half. The proxy's lock guards it.
type pair struct {
	in, out net.Conn
	left    [2]int // bytes until the cut, of each way; 0: not drawn
	lost    bool   // an answer was dropped
}

// Listen forwards the connections of an address to a server of the same network.
func Listen(network, address, to string, seed uint64) (*Proxy, error) {
	l, err := net.Listen(network, address)
	if err != nil {
		return nil, fmt.Errorf("listen: %w", err)
	}
	p := &Proxy{network: network, to: to, listener: l, rand: rand.New(rand.NewPCG(seed, 1)), pairs: map[*pair]bool{}}
	go p.serve()
	return p, nil
}

// Address returns the address of the listener.
func (p *Proxy) Address() string { return p.listener.Addr().String() }

// Close ends the listener and all connections.
func (p *Proxy) Close() error {
	err := p.listener.Close()
	p.mu.Lock()
	defer p.mu.Unlock()
	for c := range p.pairs {
		c.close()
	}
	return err
}

// Cut cuts each connection after a random number of bytes below the limit, in either
// direction, until Calm.
func (p *Proxy) Cut(limit int) { p.set(modeCut, limit) }

// Lose delivers requests and drops every answer, until Calm cuts the connections that lost
// one.
func (p *Proxy) Lose() { p.set(modeLose, 0) }

// Calm ends the faults.
func (p *Proxy) Calm() {
	p.set(modeSound, 0)
	p.mu.Lock()
	defer p.mu.Unlock()
	for c := range p.pairs {
		if c.lost {
			c.close()
		}
	}
}

// Counts returns the number of cut connections, and of those that lost an answer.
func (p *Proxy) Counts() (cuts, lost int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.cuts, p.lost
}

func (p *Proxy) set(m mode, limit int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.mode, p.limit = m, limit
	for c := range p.pairs {
		c.left = [2]int{}
	}
}

func (p *Proxy) serve() {
	for {
		in, err := p.listener.Accept()
		if err != nil {
			return
		}
		go p.forward(in)
	}
}

func (p *Proxy) forward(in net.Conn) {
	out, err := net.Dial(p.network, p.to)
	if err != nil {
		_ = in.Close()
		return
	}
	c := &pair{in: in, out: out}
	p.mu.Lock()
	p.pairs[c] = true
	p.mu.Unlock()
	var both sync.WaitGroup
	both.Go(func() { p.carry(c, request, in, out) })
	both.Go(func() { p.carry(c, answer, out, in) })
	both.Wait()
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.pairs, c)
}

// carry copies one direction until it ends or is cut.
func (p *Proxy) carry(c *pair, w way, from, to net.Conn) {
	defer c.close()
	for buf := make([]byte, 16<<10); ; {
		n, err := from.Read(buf)
		if n > 0 {
			keep, cut := p.pass(c, w, n)
			if _, err := to.Write(buf[:keep]); err != nil || cut {
				return
			}
		}
		if err != nil {
			return
		}
	}
}

// pass returns the number of bytes that go on, and whether the connection is cut then.
func (p *Proxy) pass(c *pair, w way, n int) (keep int, cut bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case c.lost && p.mode != modeLose:
		return 0, true
	case p.mode == modeLose && w == answer:
		if !c.lost {
			c.lost = true
			p.lost++
		}
		return 0, false
	case p.mode != modeCut:
		return n, false
	}
	if c.left[w] == 0 {
		c.left[w] = 1 + p.rand.IntN(p.limit)
	}
	if n >= c.left[w] {
		p.cuts++
		return c.left[w], true
	}
	c.left[w] -= n
	return n, false
}

func (c *pair) close() {
	_ = c.in.Close()
	_ = c.out.Close()
}
