package etcdstore

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/ownergraph/ownergraph/internal/servers"
	"github.com/ownergraph/ownergraph/internal/servers/etcd"
	"github.com/ownergraph/ownergraph/internal/servers/kine"
)

// TestServersKeepData: a server keeps its data over the end of its process. The test is here
// because the root module is tested without building servers.
func TestServersKeepData(t *testing.T) {
	for _, c := range []struct {
		name, data string
		start      func(context.Context) (*servers.Server, error)
		reason     string
	}{
		{"etcd", "data", func(ctx context.Context) (*servers.Server, error) {
			return etcd.Start(ctx, etcd.Config{Fsync: true, Flags: []string{"--name=other"}})
		}, "its data folder"},
		{"kine", "db", func(ctx context.Context) (*servers.Server, error) {
			return kine.Start(ctx, kine.Config{Flags: []string{"--watch-progress-notify-interval=1s"}})
		}, "its SQLite file"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, err := c.start(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			s.Kill()
			if err := s.Launch(t.Context()); err != nil {
				t.Error(err)
			}
			if list, err := os.ReadDir(filepath.Join(s.Dir(), c.data)); err != nil || len(list) == 0 {
				t.Errorf("%s: %v, %v", c.reason, list, err)
			}
			if err := s.Stop(); err != nil {
				t.Error(err)
			}
		})
	}
}
