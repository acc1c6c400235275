package upstream

import (
	"context"
	"log/slog"
	"os"
	"testing"

	"github.com/ownergraph/ownergraph/adapters/clientgo/run"
	"github.com/ownergraph/ownergraph/internal/proof/e2e/server"
)

// cluster is an API server with upstream's controllers and with nodes, and without a collector.
type cluster struct {
	server     *server.Server
	kubeconfig string
}

// start starts a cluster, which ends with the test.
func start(t *testing.T) *cluster {
	t.Helper()
	s, err := server.Start(t.Context(), server.Config{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Stop(); err != nil {
			t.Error(err)
		}
	})
	c := &cluster{server: s}
	if c.kubeconfig, err = s.Kubeconfig(); err != nil {
		t.Fatal(err)
	}
	certificate, err := os.ReadFile(s.Admin().CAFile)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	wait, err := startControllers(ctx, s.Admin(), certificate)
	t.Cleanup(func() { cancel(); wait() })
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// collect starts our collector, which ends with the test.
func (c *cluster) collect(t *testing.T) {
	t.Helper()
	log := slog.New(slog.NewTextHandler(t.Output(), nil))
	program, err := run.New(c.server.Admin(), run.Config{Act: true, Logger: log})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- program.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("the collector: %v", err)
		}
	})
}
