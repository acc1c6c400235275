package storetest

import (
	"context"
	"maps"

	"github.com/ownergraph/ownergraph"
)

// rewind makes a backup, or restores the backup that was made.
func (m *model) rewind() {
	m.Helper()
	if m.backup == nil {
		b := &backup{objects: maps.Clone(m.objects)}
		m.hook("backup", func(ctx context.Context) (err error) { b.restore, err = m.Backup(ctx); return err })
		m.backup = b
		return
	}
	m.sync() // the watch has to report the writes before the restore
	m.hook("restore", m.backup.restore)
	m.objects, m.backup = m.backup.objects, nil
	m.adoptVersions()
	if !m.follower.waitFor(func(r *follower) bool { return r.rewinds > 0 && m.agrees(r) }) {
		m.Logf("history went back %d times", m.follower.rewound())
		m.logWatch()
		m.fail("after a restore, the watch has not reported all restored objects and the rewind")
	}
	m.follower.mu.Lock()
	m.follower.rewinds = 0
	m.follower.mu.Unlock()
	m.follower.drain()
	for _, o := range m.objects {
		m.states[o.Key] = []ownergraph.Object{o}
	}
}

// adoptVersions takes the versions after a restore into the model. A store may
// raise them. The comparisons that follow find all other differences.
func (m *model) adoptVersions() {
	m.Helper()
	for _, was := range m.live() {
		if o, err := m.read(was.Place()); err == nil && sameContent(o, was) {
			m.record(o)
		}
	}
}
