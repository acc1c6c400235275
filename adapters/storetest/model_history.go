package storetest

import (
	"context"
	"maps"

	"github.com/ownergraph/ownergraph"
)

// rewind notes what is held, or goes back to what was noted.
func (m *model) rewind() {
	m.Helper()
	if m.backup == nil {
		b := &backup{objects: maps.Clone(m.objects)}
		m.hook("backup", func(ctx context.Context) (err error) { b.restore, err = m.Backup(ctx); return err })
		m.backup = b
		return
	}
	m.sync() // what was before the restore comes before it
	m.hook("restore", m.backup.restore)
	m.objects, m.backup = m.backup.objects, nil
	m.raise()
	if !m.follower.until(func(r *follower) bool { return r.rewinds > 0 && m.agrees(r) }) {
		m.Logf("history went back %d times", m.follower.rewound())
		m.logShown()
		m.fail("after a restore, the watch has not shown what there is, and that history went back")
	}
	m.follower.mu.Lock()
	m.follower.rewinds = 0
	m.follower.mu.Unlock()
	m.follower.take()
	for _, o := range m.objects {
		m.states[o.Key] = []ownergraph.Object{o}
	}
}

// raise takes over the versions that a restore gave its objects. A store may raise
// them. What else differs is found by the comparisons that follow.
func (m *model) raise() {
	m.Helper()
	for _, was := range m.live() {
		if o, err := m.read(was.Place()); err == nil && sameContent(o, was) {
			m.hold(o)
		}
	}
}
