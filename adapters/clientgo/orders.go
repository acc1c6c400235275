package clientgo

import "sync"

// orders are what a worker is told to do. Orders add up.
type orders struct {
	fences  []uint64
	anew    bool     // list the kind anew
	epoch   uint64   // list anew unless that was done in this epoch
	catalog *catalog // what is served now
	leave   int64    // the kind is not served any more, by this number; negative: it is again
}

// mail holds a worker's orders until it takes them. It is safe for concurrent
// use.
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

// pressing reports whether there are orders that a worker must not let wait.
func (m *mail) pressing() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	o := m.box
	return o.anew || o.epoch != 0 || o.catalog != nil || o.leave != 0
}
