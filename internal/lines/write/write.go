// Package write writes lines to a slog.Logger within the bound of package lines. The core bounds
// its lines without it, because the core does not log.
package write

import (
	"context"
	"log/slog"
	"time"

	"github.com/ownergraph/ownergraph/internal/lines"
)

// Line writes one line of a text and cause in a minute, with the number of the others. A nil
// logger gets none. It is safe for concurrent use.
func Line(to *slog.Logger, bound *lines.Shared, level slog.Level, cause, text string, attributes ...any) {
	if to == nil {
		return
	}
	others, ok := bound.Note(text, cause, time.Now())
	if !ok {
		return
	}
	if others > 0 {
		attributes = append(attributes, "others", others)
	}
	to.Log(context.Background(), level, text, attributes...)
}
