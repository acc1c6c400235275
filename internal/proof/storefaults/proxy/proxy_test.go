package proxy

import (
	"bytes"
	"io"
	"net"
	"sync"
	"testing"
)

// echo answers every byte with the same byte, and counts the bytes that came.
type echo struct {
	listener net.Listener
	mu       sync.Mutex
	came     int
}

func newEcho(t *testing.T) *echo {
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	e := &echo{listener: l}
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go e.serve(c)
		}
	}()
	return e
}

func (e *echo) serve(c net.Conn) {
	defer c.Close()
	for buf := make([]byte, 100); ; {
		n, err := c.Read(buf)
		e.mu.Lock()
		e.came += n
		e.mu.Unlock()
		if _, werr := c.Write(buf[:n]); err != nil || werr != nil {
			return
		}
	}
}

func (e *echo) count() int {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.came
}

func newProxy(t *testing.T, e *echo) (*Proxy, net.Conn) {
	p, err := Listen("tcp4", "127.0.0.1:0", e.listener.Addr().String(), 1)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.Close() })
	return p, dial(t, p)
}

func dial(t *testing.T, p *Proxy) net.Conn {
	c, err := net.Dial("tcp4", p.Address())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c
}

func exchange(t *testing.T, c net.Conn) {
	t.Helper()
	text := []byte("hello")
	back := make([]byte, len(text))
	if _, err := c.Write(text); err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadFull(c, back); err != nil || !bytes.Equal(back, text) {
		t.Fatalf("the answer is %q, error %v", back, err)
	}
}

func TestSoundProxy(t *testing.T) {
	_, c := newProxy(t, newEcho(t))
	for range 3 {
		exchange(t, c)
	}
}

// TestCut cuts a connection after at most the limit.
func TestCut(t *testing.T) {
	e := newEcho(t)
	p, c := newProxy(t, e)
	exchange(t, c)
	before := e.count()
	p.Cut(50)
	_, _ = c.Write(make([]byte, 1000)) // the cut may come first
	back, _ := io.ReadAll(c)
	if n := e.count() - before; n > 50 || len(back) > 50 {
		t.Errorf("%d bytes went there and %d back, want at most 50", n, len(back))
	}
	if cuts, _ := p.Counts(); cuts == 0 {
		t.Error("no cut was counted")
	}
	p.Calm()
	exchange(t, dial(t, p))
}

// TestLose delivers a request and loses its answer.
func TestLose(t *testing.T) {
	e := newEcho(t)
	p, c := newProxy(t, e)
	exchange(t, c)
	p.Lose()
	if _, err := c.Write([]byte("lost")); err != nil {
		t.Fatal(err)
	}
	for _, lost := p.Counts(); lost == 0; _, lost = p.Counts() {
		if t.Context().Err() != nil {
			t.Fatal("no answer was lost")
		}
	}
	p.Calm()
	if back, _ := io.ReadAll(c); len(back) > 0 {
		t.Errorf("the answer %q came", back)
	}
	if got := e.count(); got != 9 {
		t.Errorf("%d bytes came to the server, want 9: the request is delivered", got)
	}
	exchange(t, dial(t, p))
}
