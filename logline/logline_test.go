package logline

import (
	"bytes"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// TestLog: a cause has one line in a minute, and the next one has the number of the others.
func TestLog(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		l := New(slog.New(slog.NewTextHandler(&out, &slog.HandlerOptions{ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
			if a.Key == slog.TimeKey {
				return slog.Attr{}
			}
			return a
		}})))
		fails := func(name string) {
			err := errors.New("delete " + name + ": try 7")
			l.Line(slog.LevelWarn, "a call fails", Cause(err, name), "err", err)
		}
		for _, name := range []string{"x/a", "x/b", "x/c"} { // one cause
			fails(name)
		}
		l.Line(slog.LevelWarn, "a call fails", "another cause")
		<-time.After(time.Minute)
		fails("x/d")
		want := strings.Join([]string{
			`level=WARN msg="a call fails" err="delete x/a: try 7"`,
			`level=WARN msg="a call fails"`,
			`level=WARN msg="a call fails" err="delete x/d: try 7" others=2`,
			"",
		}, "\n")
		if out.String() != want {
			t.Errorf("the log:\n%swant:\n%s", &out, want)
		}
	})
}

// TestNoLogger: a log without a logger writes nothing.
func TestNoLogger(t *testing.T) {
	New(nil).Line(slog.LevelError, "text", "cause")
}
