package envtestgc

import (
	"bytes"
	"fmt"
	"log/slog"
	"strings"
	"sync"

	"github.com/ownergraph/ownergraph/engine"
	"github.com/ownergraph/ownergraph/graph"
)

// journal keeps the latest lines. It is safe for concurrent use.
type journal struct {
	also *slog.Logger // may be nil

	mu    sync.Mutex
	max   int
	first int // the number of lines[0]
	lines []string
}

func newJournal(most int, also *slog.Logger) *journal { return &journal{max: most, also: also} }

func (j *journal) add(line string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if len(j.lines) == j.max {
		j.lines = j.lines[1:]
		j.first++
	}
	j.lines = append(j.lines, line)
}

// next returns the number of the next line.
func (j *journal) next() int {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.first + len(j.lines)
}

// since returns the kept lines from a number on.
func (j *journal) since(number int) []string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return append([]string(nil), j.lines[max(0, number-j.first):]...)
}

// Write takes one line of a slog.TextHandler.
func (j *journal) Write(line []byte) (int, error) {
	j.add(string(bytes.TrimSuffix(line, []byte("\n"))))
	return len(line), nil
}

// logger returns a logger that writes to the journal, to the Config's logger and to
// own.
func (j *journal) logger(own *slog.Logger) *slog.Logger {
	handlers := []slog.Handler{slog.NewTextHandler(j, &slog.HandlerOptions{ReplaceAttr: withoutTime})}
	for _, l := range []*slog.Logger{j.also, own} {
		if l != nil {
			handlers = append(handlers, l.Handler())
		}
	}
	return slog.New(slog.NewMultiHandler(handlers...))
}

// withoutTime removes the time, which differs in each run.
func withoutTime(groups []string, a slog.Attr) slog.Attr {
	if len(groups) == 0 && a.Key == slog.TimeKey {
		return slog.Attr{}
	}
	return a
}

// decisions returns a hook that records each write and calls then.
func (j *journal) decisions(then func(engine.DecisionEvent)) func(engine.DecisionEvent) {
	return func(d engine.DecisionEvent) {
		if d.Action.Writes() && d.Call != 0 {
			line := line(d)
			j.add(line)
			if j.also != nil {
				j.also.Debug("write", "write", d.Action.String(), "key", d.Key.String(), "reason", d.Reason.Code())
			}
		}
		if then != nil {
			then(d)
		}
	}
}

// line describes a decision: action, object and reason.
func line(d engine.DecisionEvent) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s", d.Action, d.Key)
	switch {
	case d.Propagation != graph.Unset:
		fmt.Fprintf(&b, " (%s)", d.Propagation)
	case d.Finalizer != "":
		fmt.Fprintf(&b, " (%s)", d.Finalizer)
	}
	fmt.Fprintf(&b, ": %s", d.Reason)
	for i, r := range d.Owners {
		if i == 0 {
			b.WriteString(": ")
		} else {
			b.WriteString(", ")
		}
		b.WriteString(r.String())
	}
	if d.BestEffort {
		b.WriteString(" (best effort)")
	}
	return b.String()
}
