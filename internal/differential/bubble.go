package main

import (
	"context"
	"log/slog"
	"testing"
	"testing/synctest"

	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/klog/v2"
)

// hush has Kubernetes log nothing, and report errors to nobody: it sleeps after
// each, by a clock that all bubbles share and none has.
func hush() {
	klog.SetSlogLogger(slog.New(slog.DiscardHandler))
	utilruntime.ErrorHandlers = []utilruntime.ErrorHandler{func(context.Context, error, string, ...any) {}}
}

// inBubble runs do where time passes only when all its goroutines wait: hours
// of backoff cost nothing, and what is quiet is quiet for certain.
func inBubble[T any](t *testing.T, do func(context.Context) (T, error)) (out T, err error) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) { out, err = do(t.Context()) })
	return out, err
}
