// Package logline bounds the lines of a log. A cause of a text has one line in a minute, with the
// number of the others since then. A fault that lasts has many failures of one cause, one for each
// try or object. The adapters of this module write their logs by it, and a store of a user may too.
package logline

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/ownergraph/ownergraph/internal/lines"
)

// Log writes bounded lines to a slog.Logger. It remembers at most 32 texts with 8 causes each. It is
// safe for concurrent use. Use New.
type Log struct {
	to *slog.Logger

	mu    sync.Mutex
	lines lines.Lines
}

// New returns a log that writes to a logger. With a nil logger it writes nothing.
func New(to *slog.Logger) *Log { return &Log{to: to} }

// Line writes one line of a text and cause in a minute. The line has the attribute others, if there
// were failures without a line since the last one. A text stands in the code, and a cause may come
// from Cause.
//
//test:by TestLog
func (l *Log) Line(level slog.Level, text, cause string, attributes ...any) {
	if l.to == nil {
		return
	}
	others, ok := l.note(text, cause)
	if !ok {
		return
	}
	if others > 0 {
		attributes = append(attributes, "others", others)
	}
	l.to.Log(context.Background(), level, text, attributes...)
}

func (l *Log) note(text, cause string) (others int, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.lines.Note(text, cause, 1, time.Now())
}

// Cause returns the text of an error without the names that are given, and without digits. Errors
// about different objects then have one cause. It has at most 512 bytes.
func Cause(err error, names ...string) string { return lines.Cause(err, names...) }
