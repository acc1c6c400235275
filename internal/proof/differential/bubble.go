package main

import (
	"context"
	"log/slog"
	"testing"
	"testing/synctest"

	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/klog/v2"
)

// hush turns off the logs of Kubernetes and its reports of errors. Kubernetes sleeps
// after each report, by a clock that all bubbles share and no bubble has.
func hush() {
	klog.SetSlogLogger(slog.New(slog.DiscardHandler))
	utilruntime.ErrorHandlers = []utilruntime.ErrorHandler{func(context.Context, error, string, ...any) {}}
}

// inBubble runs do in a bubble, where time passes only when all its goroutines wait.
// Hours of backoff cost nothing there, and quiet is certain.
func inBubble[T any](t *testing.T, do func(context.Context) (T, error)) (out T, err error) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) { out, err = do(t.Context()) })
	return out, err
}
