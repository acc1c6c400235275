package memory

import "github.com/ownergraph/ownergraph/internal/replica"

// changeLog has the latest changes. Each watch reads it by position. The log drops
// its oldest change when it is full, so a slow watch costs it nothing. A watch that
// misses a change lists every kind anew.
type changeLog struct {
	max     int
	first   uint64 // the position of entries[0]
	entries []replica.Commit
}

// next returns the position of the next change.
func (l *changeLog) next() uint64 { return l.first + uint64(len(l.entries)) }

func (l *changeLog) add(c replica.Commit) {
	if len(l.entries) == l.max {
		l.entries[0] = replica.Commit{} // release its object
		l.entries = l.entries[1:]
		l.first++
	}
	l.entries = append(l.entries, c)
}

func (l *changeLog) clear() { l.first, l.entries = l.next(), nil }

// from returns at most limit changes, beginning at pos. The caller must not use them
// after it releases the lock.
func (l *changeLog) from(pos uint64, limit int) []replica.Commit {
	rest := l.entries[pos-l.first:]
	return rest[:min(limit, len(rest))]
}
