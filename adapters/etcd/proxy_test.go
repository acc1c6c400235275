package etcdstore

import (
	"io"
	"net"
	"sync"
)

// proxy forwards connections to a server. It can cut them, and refuse new ones.
type proxy struct {
	to, address string

	mu       sync.Mutex
	listener net.Listener
	conns    map[net.Conn]bool
}

func newProxy(to string) (*proxy, error) {
	p := &proxy{to: to, address: "127.0.0.1:0", conns: map[net.Conn]bool{}}
	return p, p.listen()
}

// listen accepts connections, at the same address as before.
func (p *proxy) listen() error {
	l, err := net.Listen("tcp4", p.address)
	if err != nil {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.listener, p.address = l, l.Addr().String()
	go p.serve(l)
	return nil
}

func (p *proxy) serve(l net.Listener) {
	for {
		in, err := l.Accept()
		if err != nil {
			return
		}
		go p.forward(l, in)
	}
}

func (p *proxy) forward(l net.Listener, in net.Conn) {
	defer in.Close()
	out, err := net.Dial("tcp4", p.to)
	if err != nil {
		return
	}
	defer out.Close()
	if !p.enter(l, in, out) {
		return
	}
	defer p.leave(in, out)
	done := make(chan struct{}, 2)
	for _, way := range [][2]net.Conn{{in, out}, {out, in}} {
		go func() {
			_, _ = io.Copy(way[0], way[1])
			done <- struct{}{}
		}()
	}
	<-done
}

// enter reports whether the proxy still accepts what the listener has accepted.
func (p *proxy) enter(l net.Listener, list ...net.Conn) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.listener != l {
		return false
	}
	for _, c := range list {
		p.conns[c] = true
	}
	return true
}

func (p *proxy) leave(list ...net.Conn) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, c := range list {
		delete(p.conns, c)
	}
}

// cut ends all connections.
func (p *proxy) cut() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for c := range p.conns {
		_ = c.Close()
	}
}

// close ends all connections, and refuses new ones until listen.
func (p *proxy) close() {
	p.mu.Lock()
	if p.listener != nil {
		_ = p.listener.Close()
		p.listener = nil
	}
	p.mu.Unlock()
	p.cut()
}
