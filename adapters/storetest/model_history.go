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
	if !m.follower.until(func(r *follower) bool { return r.rewinds > 0 && m.agrees(r) }) {
		m.Logf("the watch has shown %s, and history went back %d times", m.shown(), m.follower.rewound())
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
