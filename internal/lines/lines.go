// Package lines bounds the lines of a log about one cause. A cause has one line in a minute, with
// the number of the others since then. A fault that lasts has many failures of one cause: one for
// each try or object. The package decides nothing and writes nothing.
package lines

import (
	"strings"
	"sync"
	"time"
)

const (
	// maxCauses bounds the causes of a minute that have a line of their own.
	maxCauses = 32
	// every is the time between two lines about one cause.
	every = time.Minute
)

// Lines remembers the causes that had a line. The zero value has none. It is a value, and no
// copy shares anything with it. It is not safe for concurrent use.
type Lines struct {
	causes [maxCauses]cause
	others int // of causes without a line
}

type cause struct {
	text   string
	logged time.Time
	others int
}

// Note notes a failure, and reports whether it is worth a line. Others is the number of failures
// without a line since the last one: those of the cause, and those of causes beyond the bound.
// The cause is a text that stands for many failures, as from Cause.
//
// Held by TestLines.
func (l *Lines) Note(cause string, now time.Time) (others int, ok bool) {
	c := l.find(cause, now)
	switch {
	case c == nil:
		l.others++
		return 0, false
	case !c.logged.IsZero() && now.Sub(c.logged) < every:
		c.others++
		return 0, false
	}
	others = c.others + l.others
	c.logged, c.others, l.others = now, 0, 0
	return others, true
}

// find returns the entry of a cause, in place of another one that had no line for a minute. It
// returns nil if there is none.
func (l *Lines) find(text string, now time.Time) *cause {
	var old *cause
	for i := range l.causes {
		c := &l.causes[i]
		if c.text == text && !c.logged.IsZero() {
			return c
		}
		if now.Sub(c.logged) >= every && (old == nil || c.logged.Before(old.logged)) {
			old = c
		}
	}
	if old != nil {
		l.others += old.others
		*old = cause{text: strings.Clone(text)}
	}
	return old
}

// Shared is Lines for several goroutines. The zero value has none. It is safe for concurrent use.
type Shared struct {
	mu    sync.Mutex
	lines Lines
}

// Note is Lines.Note.
func (s *Shared) Note(cause string, now time.Time) (others int, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.lines.Note(cause, now)
}

const maxCause = 512 // bytes

// Cause returns the text of an error without the names that are given, and without numbers, such
// as a size or a time. Errors about different objects then have one cause. It is bounded.
//
// Held by TestCause.
func Cause(err error, names ...string) string {
	text := err.Error()
	if len(text) > maxCause {
		text = text[:maxCause]
	}
	for _, name := range names {
		if name != "" {
			text = strings.ReplaceAll(text, name, "*")
		}
	}
	return strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' {
			return -1
		}
		return r
	}, text)
}
