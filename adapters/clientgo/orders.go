package clientgo

import "sync"

// commands tell a worker to change its state. Commands add up.
type orders struct {
	fences  []uint64
	anew    bool     // list the kind anew
	epoch   uint64   // list the kind anew, unless the listing is of this epoch
	catalog *catalog // the new catalog
	leave   int64    // the number of the kind's retirement; negative if the kind is served again
}

// mailbox holds a worker's commands until the worker takes them. It is safe for
// concurrent use.
type mail struct {
	mu   sync.Mutex
	box  orders
	wake chan struct{}
}

func newMail() *mail { return &mail{wake: make(chan struct{}, 1)} }

func (m *mail) order(o orders) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.box.fences = keepNewest(append(m.box.fences, o.fences...))
	m.box.anew = m.box.anew || o.anew
	m.box.epoch = max(m.box.epoch, o.epoch)
	if o.leave != 0 {
		m.box.leave = o.leave
	}
	if o.catalog != nil {
		m.box.catalog = o.catalog
	}
	signal(m.wake)
}

func (m *mail) take() orders {
	m.mu.Lock()
	defer m.mu.Unlock()
	o := m.box
	m.box = orders{}
	return o
}

// urgent reports whether there are commands that must not wait.
func (m *mail) pressing() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	o := m.box
	return o.anew || o.epoch != 0 || o.catalog != nil || o.leave != 0
}
