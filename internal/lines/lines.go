// Package lines bounds the lines of a log. A cause of a text has one line in a minute, with the
// number of the others since then. A fault that lasts has many failures of one cause: one for each
// try or object. Each text has its own share of causes, so a flood of one text drops no line of
// another. The package decides nothing and writes nothing.
package lines

import (
	"slices"
	"strings"
	"time"
)

const (
	// maxTexts bounds the texts of a minute. The texts stand in the code, which has fewer.
	maxTexts = 32
	// maxCauses bounds the causes of a text that have a line of their own in a minute.
	maxCauses = 8
	// every is the time in which a cause has its lines.
	every = time.Minute
)

// Lines remembers the texts and causes that had a line. The zero value has none. A copy shares
// them. It is not safe for concurrent use.
type Lines struct {
	texts  []*share
	others int       // of texts beyond the bound
	late   time.Time // Late looks for a number from then on, zero without one
}

// share has the causes of one text.
type share struct {
	text   string
	causes []cause
	others int       // of causes without a line
	last   time.Time // the last line of the text
}

// cause has the lines since a moment.
type cause struct {
	text   string
	since  time.Time
	lines  int
	others int // without a line
}

// Note notes a failure, and reports whether it is worth a line. A cause has the most lines in a
// minute. Others is the number of failures without a line since the last one: those of the cause,
// and those of causes beyond the bound. The cause is a text that stands for many failures, as from
// Cause.
//
//test:by TestLines TestShares
func (l *Lines) Note(text, cause string, most int, now time.Time) (others int, ok bool) {
	s := l.share(text, now)
	if s == nil {
		l.others++
		return 0, false
	}
	c := s.cause(cause, now)
	switch {
	case c == nil:
		s.others++
	case c.lines < most:
		others = c.others + s.others + l.others
		c.lines, c.others, s.others, l.others = c.lines+1, 0, 0, 0
		s.last = now
		return others, true
	default:
		c.others++
	}
	if l.late.IsZero() {
		l.late = now.Add(every)
	}
	return 0, false
}

// share returns the share of a text, in place of another one that had no line for a minute. It
// returns nil if there is none.
func (l *Lines) share(text string, now time.Time) *share {
	old := -1
	for i, s := range l.texts {
		if s.text == text {
			return s
		}
		if now.Sub(s.last) >= every && (old < 0 || s.last.Before(l.texts[old].last)) {
			old = i
		}
	}
	s := &share{text: text, last: now}
	switch {
	case len(l.texts) < maxTexts:
		l.texts = append(l.texts, s)
	case old < 0:
		return nil
	default:
		l.others += l.texts[old].take(now.Add(every))
		l.texts[old] = s
	}
	return s
}

// cause returns the entry of a cause, in place of another one whose minute is over. It returns nil
// if there is none.
func (s *share) cause(text string, now time.Time) *cause {
	at := slices.IndexFunc(s.causes, func(c cause) bool { return c.text == text })
	if at < 0 && len(s.causes) == maxCauses {
		if at = slices.IndexFunc(s.causes, func(c cause) bool { return now.Sub(c.since) >= every }); at < 0 {
			return nil
		}
		s.others += s.causes[at].others
		s.causes[at] = cause{text: strings.Clone(text)}
	}
	if at < 0 {
		at = len(s.causes)
		s.causes = append(s.causes, cause{text: strings.Clone(text)})
	}
	c := &s.causes[at]
	if now.Sub(c.since) >= every {
		c.since, c.lines = now, 0
	}
	return c
}

// take returns the number of failures without a line whose minute is over, and forgets it. The
// line that shows the number is the first one of a new minute of these causes.
func (s *share) take(now time.Time) (n int) {
	if now.Sub(s.last) >= every {
		n, s.others = s.others, 0
	}
	for i := range s.causes {
		if c := &s.causes[i]; c.others > 0 && now.Sub(c.since) >= every {
			n += c.others
			c.since, c.lines, c.others = now, 1, 0
		}
	}
	return n
}

// Late calls yield with each text and its number of failures without a line, if no line of the
// minute after them has shown that number. It returns the time of its next look, zero for none.
// Before that time it takes a comparison.
//
//test:by TestLate
func (l *Lines) Late(now time.Time, yield func(text string, others int)) (at time.Time) {
	if l.late.IsZero() || now.Before(l.late) {
		return l.late
	}
	l.late = time.Time{}
	for _, s := range l.texts {
		if n := s.take(now); n > 0 {
			yield(s.text, n)
		}
		if s.others > 0 || slices.ContainsFunc(s.causes, func(c cause) bool { return c.others > 0 }) {
			l.late = now.Add(every)
		}
	}
	return l.late
}

const maxCause = 512 // bytes

// Cause returns the text of an error without the names that are given, and without numbers, such
// as a size or a time. Errors about different objects then have one cause. It is bounded.
//
//test:by TestCause
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
