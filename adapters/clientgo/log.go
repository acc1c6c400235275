package clientgo

import (
	"context"
	"errors"
	"log/slog"

	"github.com/go-logr/logr"
)

// requestLog returns the logger of client-go's requests. client-go logs an error for
// each watch that ends with its context. The logger demotes that record, because such
// an end is not an error.
func requestLog(log *slog.Logger) logr.Logger {
	return logr.New(cancelSink{logr.FromSlogHandler(log.Handler()).GetSink()})
}

type cancelSink struct{ logr.LogSink }

func (s cancelSink) Error(err error, msg string, pairs ...any) {
	if errors.Is(err, context.Canceled) {
		if s.Enabled(1) {
			s.Info(1, msg, append(pairs, "err", err)...)
		}
		return
	}
	s.LogSink.Error(err, msg, pairs...)
}

func (s cancelSink) WithValues(pairs ...any) logr.LogSink {
	return cancelSink{s.LogSink.WithValues(pairs...)}
}

func (s cancelSink) WithName(name string) logr.LogSink { return cancelSink{s.LogSink.WithName(name)} }
