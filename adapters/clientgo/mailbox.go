package clientgo

import "sync"

// commands tell a worker to change its state. Commands add up.
type commands struct {
	fences  []uint64
	relist  bool     // list the kind anew
	epoch   uint64   // list the kind anew, unless the listing is of this epoch
	catalog *catalog // the new catalog
	retire  int64    // the number of the kind's retirement; negative if the kind is served again
}

// mailbox keeps a worker's commands until the worker takes them. It is safe for
// concurrent use.
type mailbox struct {
	mu      sync.Mutex
	pending commands
	wake    chan struct{}
}

func newMailbox() *mailbox { return &mailbox{wake: make(chan struct{}, 1)} }

func (m *mailbox) send(o commands) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.pending.fences = keepNewest(append(m.pending.fences, o.fences...))
	m.pending.relist = m.pending.relist || o.relist
	m.pending.epoch = max(m.pending.epoch, o.epoch)
	if o.retire != 0 {
		m.pending.retire = o.retire
	}
	if o.catalog != nil {
		m.pending.catalog = o.catalog
	}
	signal(m.wake)
}

func (m *mailbox) drain() commands {
	m.mu.Lock()
	defer m.mu.Unlock()
	o := m.pending
	m.pending = commands{}
	return o
}

// urgent reports whether there are commands that must not wait.
func (m *mailbox) urgent() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	o := m.pending
	return o.relist || o.epoch != 0 || o.catalog != nil || o.retire != 0
}
