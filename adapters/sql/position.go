package sqlstore

import (
	"cmp"
	"strconv"
	"strings"

	"github.com/ownergraph/ownergraph/graph"
)

// position is a place in the log of changes, and the version of the state that the change
// made. On SQLite seq is 0, and pos counts the changes. On Postgres pos is a number of
// transactions, and seq orders the changes with one pos.
type position struct{ pos, seq int64 }

func (p position) compare(o position) int {
	return cmp.Or(cmp.Compare(p.pos, o.pos), cmp.Compare(p.seq, o.seq))
}

// latest returns the higher position.
func latest(a, b position) position {
	if a.compare(b) < 0 {
		return b
	}
	return a
}

func (p position) version() graph.Version {
	text := strconv.AppendInt(make([]byte, 0, 32), p.pos, 10)
	if p.seq != 0 {
		text = strconv.AppendInt(append(text, '.'), p.seq, 10)
	}
	return graph.Version(text)
}

// positionOf reads a version. Text that is no version is older than every version.
func positionOf(v graph.Version) position {
	pos, seq, parts := strings.Cut(string(v), ".")
	var p position
	var err error
	if p.pos, err = strconv.ParseInt(pos, 10, 64); err != nil {
		return position{}
	}
	if parts {
		if p.seq, err = strconv.ParseInt(seq, 10, 64); err != nil {
			return position{}
		}
	}
	return p
}

// CompareVersions orders two versions and ignores the kind (ownergraph.VersionComparer).
// The versions of an object rise. If a write begins after the end of another one, it also
// makes the higher version, even of another object. Versions of other objects whose writes
// ran at the same time have an order without a meaning. Text that is no version is older
// than every version.
//
//test:by TestCompareVersions TestKit
func (s *Store) CompareVersions(_ graph.Kind, a, b graph.Version) int {
	return positionOf(a).compare(positionOf(b))
}
