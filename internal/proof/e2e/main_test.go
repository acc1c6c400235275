package e2e

import (
	"context"
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/ownergraph/ownergraph/internal/proof/e2e/server"
)

// shared is the server of all tests that need no other one. No test changes it while it
// runs.
var shared *server.Server

// limited is a user of the shared server with only the rights that a test grants.
const limited = "limited"

func TestMain(m *testing.M) {
	if task, is := os.LookupEnv(childVariable); is {
		if err := runChild(task, os.Stdin, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(run(m))
}

func run(m *testing.M) int {
	// The first build takes minutes.
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Minute)
	defer cancel()
	dir, err := os.MkdirTemp("", "ownergraph-audit-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	audited = dir
	flags, err := auditFlags(dir)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	s, err := server.Start(ctx, server.Config{
		Users: append(collectorUsers(), limited), Output: os.Stderr,
		// The history of a test is read from the database when the test is over.
		Flags: append(flags, "--etcd-compaction-interval=0"),
	})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	shared = s
	code := m.Run()
	if code != 0 {
		fmt.Fprintln(os.Stderr, s.Logs())
	}
	if err := s.Stop(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return code
}
