package memory

import "github.com/ownergraph/ownergraph/internal/replica"

// changeLog holds the latest changes. Watches read it by position, so a slow
// one costs the log nothing: what it has not read in time is gone, and it has
// to list anew.
type changeLog struct {
	most    int
	first   uint64 // the position of entries[0]
	entries []replica.Commit
}

// next is the position that the next change will have.
func (l *changeLog) next() uint64 { return l.first + uint64(len(l.entries)) }

func (l *changeLog) add(c replica.Commit) {
	if len(l.entries) == l.most {
		l.entries[0] = replica.Commit{} // let go of its object
		l.entries = l.entries[1:]
		l.first++
	}
	l.entries = append(l.entries, c)
}

func (l *changeLog) clear() { l.first, l.entries = l.next(), nil }

// from returns the changes at pos and after it, at most most of them. The
// caller must not keep them beyond the lock.
func (l *changeLog) from(pos uint64, most int) []replica.Commit {
	rest := l.entries[pos-l.first:]
	return rest[:min(most, len(rest))]
}
