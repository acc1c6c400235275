package upstream

import (
	"context"
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/go-logr/logr"
	"k8s.io/klog/v2"

	"github.com/ownergraph/ownergraph/internal/proof/e2e/server"
)

func TestMain(m *testing.M) {
	if text, is := os.LookupEnv(childVariable); is {
		os.Exit(runChild(text))
	}
	os.Exit(runTests(m))
}

// runTests builds the servers before the tests, because two of these start a server at the same time.
func runTests(m *testing.M) int {
	klog.SetLogger(logr.Discard()) // the controllers report each of their steps
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Minute)
	defer cancel()
	if _, err := server.Build(ctx); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return m.Run()
}
