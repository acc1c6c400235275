// Package moments records the times of an engine's stamps, with bounded memory.
//
// A stamp is a moment in the engine's own order and has no time. The log keeps a time for
// some stamps, and answers with the last one before. So an answer is never later than the
// truth. It is early by at most [Resolution], or by a sixteenth of the age: see [Share].
package moments

import (
	"fmt"
	"slices"
	"time"

	"github.com/ownergraph/ownergraph/internal/core/seq"
)

const (
	// Resolution is the least time between two entries.
	Resolution = 10 * time.Millisecond
	// Share is the part of its age by which an older answer may be early: a sixteenth.
	Share = 16
	// maxEntries bounds the entries, of 16 bytes each.
	maxEntries = 1024
	// few is the number of entries that take no memory of their own.
	few = 4
)

// Log maps stamps to times. The zero value is empty. A Log is not safe for concurrent use.
// It decides nothing, so it is no part of the engine's fingerprint.
//
// Its invariants, which Check verifies:
//
//  1. stamps and times rise from entry to entry
//  2. there are at most 1,024 entries
type Log struct {
	base  time.Time // of the first entry
	first [few]entry
	more  []entry // after the first ones
	n     int     // of all entries
	last  entry
}

// entry says that stamps from this one on were given at this time or later.
type entry struct {
	stamp seq.Stamp
	after time.Duration // since base
}

// Note notes that the stamps after last are given at this time or later. It allocates
// memory only for every 256th entry or so.
//
//test:by TestLog TestNoteAllocates
func (l *Log) Note(now time.Time, last seq.Stamp) {
	if l.n == 0 {
		l.base = now
		l.add(entry{last + 1, 0})
		return
	}
	x := entry{last + 1, now.Sub(l.base)}
	if x.after-l.last.after < Resolution || x.stamp == l.last.stamp {
		return
	}
	if l.n == maxEntries {
		l.thin(x.after)
	}
	l.add(x)
}

func (l *Log) add(x entry) {
	if l.n < few {
		l.first[l.n] = x
	} else {
		l.more = append(l.more, x)
	}
	l.n++
	l.last = x
}

// thin drops each entry without which its neighbours stay close, by a share of their age.
// Two kept gaps in a row are larger than that. So a century needs about 850 entries.
func (l *Log) thin(now time.Duration) {
	all := len(l.more)
	kept := l.more[:0]
	before := l.first[few-1].after
	for i, x := range l.more {
		next := now
		if i+1 < all {
			next = l.more[i+1].after
		}
		if next-before > (now-next)/Share {
			kept = append(kept, x)
			before = x.after
		}
	}
	if len(kept) == all { // the log is older than that: the oldest entry gives way
		kept = slices.Delete(kept, 0, 1)
	}
	l.more, l.n = kept, few+len(kept)
	l.last = l.more[len(l.more)-1]
}

// At returns the time of the last entry at or before the stamp. It is the zero time for
// stamp 0 and for a stamp before the first entry.
//
//test:by TestLog
func (l *Log) At(s seq.Stamp) time.Time {
	i := l.n
	if i > few {
		later := func(x entry, s seq.Stamp) int {
			if x.stamp > s {
				return 1
			}
			return -1
		}
		at, _ := slices.BinarySearchFunc(l.more, s, later)
		i = few + at
	}
	for i--; i >= 0; i-- {
		if x := l.at(i); x.stamp <= s && s != 0 {
			return l.base.Add(x.after)
		}
	}
	return time.Time{}
}

func (l *Log) at(i int) entry {
	if i < few {
		return l.first[i]
	}
	return l.more[i-few]
}

// Check verifies the invariants of Log.
func (l *Log) Check() error {
	if l.n > maxEntries || len(l.more) != max(l.n-few, 0) {
		return fmt.Errorf("moments: %d entries, of which %d are beyond the first", l.n, len(l.more))
	}
	for i := 1; i < l.n; i++ {
		if a, b := l.at(i-1), l.at(i); a.stamp >= b.stamp || a.after >= b.after {
			return fmt.Errorf("moments: entry %d does not follow the one before", i)
		}
	}
	return nil
}

// Clone returns a log that shares nothing with l.
func (l *Log) Clone() Log {
	c := *l
	c.more = slices.Clone(l.more)
	return c
}
