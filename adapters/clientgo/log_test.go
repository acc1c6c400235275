package clientgo

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
)

// TestRequestLog: the end of a context is not logged as an error. Every other error of
// client-go is.
func TestRequestLog(t *testing.T) {
	for _, c := range []struct {
		name, want string
		err        error
		level      slog.Level
		reason     string
	}{
		{"ended", "", fmt.Errorf("read: %w", context.Canceled), slog.LevelInfo, "a shutdown is not worth a line"},
		{"asked", "level=DEBUG+3", context.Canceled, slog.LevelDebug, "at the debug level"},
		{"broken", "level=ERROR", errors.New("reset by peer"), slog.LevelInfo, "a broken connection is"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var out bytes.Buffer
			log := requestLog(slog.New(slog.NewTextHandler(&out, &slog.HandlerOptions{Level: c.level})))
			log.WithName("rest").WithValues("kind", "Pod").Error(c.err, "unexpected")
			if got := out.String(); c.want == "" && got != "" || !strings.Contains(got, c.want) {
				t.Errorf("logs %q, want %q: %s", got, c.want, c.reason)
			}
		})
	}
}
