package inflight

import (
	"time"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/effect"
	"github.com/ownergraph/ownergraph/internal/lines"
	"github.com/ownergraph/ownergraph/policy"
)

// Lines bounds the lines about failed writes: one line for a cause and minute, with the number
// of the other writes since the last line. A fault of the store often has one cause for
// thousands of objects. It decides nothing. The zero value has no lines. It is a value.
type Lines struct{ lines lines.Lines }

// Note notes a failed write. Text is the text of the line. The cause is CauseOf, or another text
// that stands for many errors.
func (l *Lines) Note(text, cause string, why policy.Reason, k graph.Key, err error, now time.Time, out *effect.List) {
	if others, ok := l.lines.Note(text+": "+cause, now); ok {
		out.Warn(text, "reason", why.Code(), "key", k.String(), "err", err, "others", others)
	}
}

// CauseOf returns the text of an error without the names of the object and without numbers, such
// as the size of a batch.
func CauseOf(k graph.Key, err error) string {
	return lines.Cause(err, k.String(), k.PlaceString(), string(k.UID), k.Name)
}
