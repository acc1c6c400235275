package main

import (
	"sync"
	"time"

	"github.com/ownergraph/ownergraph/graph"
)

// memo is the memory that planted bugs have in the process. A correct store
// remembers only its file.
type memo struct {
	mu      sync.Mutex
	kinds   []kind
	objects map[graph.Key]graph.Object
	reads   map[graph.Key]read
	number  int64
	newest  int64          // the highest announced number
	late    map[int64]bool // announced after a higher number
}

// announce notes that a number is committed.
func (m *memo) announce(number int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if number > m.newest {
		m.newest = number
		return
	}
	if m.late == nil {
		m.late = map[int64]bool{}
	}
	m.late[number] = true
}

// wasLate reports whether a number was announced after a higher number.
func (m *memo) wasLate(number int64) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.late[number]
}

type read struct {
	object graph.Object
	err    error
	at     time.Time
}

// cached returns the object that was first read at this version, with its slices.
func (m *memo) cached(o graph.Object) graph.Object {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.objects == nil {
		m.objects = map[graph.Key]graph.Object{}
	}
	if kept, ok := m.objects[o.Key]; ok && kept.Version == o.Version {
		return kept
	}
	m.objects[o.Key] = o
	return o
}

// stale returns the answer of the last 3 milliseconds, if there was one.
func (m *memo) stale(key graph.Key, o graph.Object, err error) (graph.Object, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.reads == nil {
		m.reads = map[graph.Key]read{}
	}
	if r, ok := m.reads[key.Place()]; ok && time.Since(r.at) < 3*time.Millisecond {
		return r.object.Clone(), r.err
	}
	m.reads[key.Place()] = read{o.Clone(), err, time.Now()}
	return o, err
}

// count draws numbers in this process. It begins with the number of the file.
func (m *memo) count(t *tx) (int64, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.number == 0 {
		if err := t.row("SELECT seq FROM state", nil, &m.number); err != nil {
			return 0, err
		}
	}
	m.number++
	return m.number, t.exec("UPDATE state SET seq = max(seq, ?)", m.number)
}
