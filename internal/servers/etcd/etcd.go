// Package etcd runs an etcd server of one member, for tests.
package etcd

import (
	"context"
	"path/filepath"

	"github.com/ownergraph/ownergraph/internal/servers"
)

// Source returns the executable of etcd, at the version of the end-to-end tests.
func Source() servers.Source {
	return servers.Source{
		Name: "etcd", Pins: "internal/proof/e2e",
		Module: "go.etcd.io/etcd/server/v3", Package: "go.etcd.io/etcd/server/v3",
	}
}

// Config has a server's settings. The zero value works.
type Config struct {
	// Flags are added to those of etcd. The last of a name counts.
	Flags []string
	// Fsync makes every commit durable on disk. Without it, a commit survives the end of
	// the process, but not of the machine.
	Fsync bool
}

// Start starts a server and returns when it accepts connections. Its data are in the folder
// "data" of its own folder.
//
//test:by adapters/etcd.TestServersKeepData
func Start(ctx context.Context, c Config) (*servers.Server, error) {
	return servers.Start(ctx, servers.Settings{Source: Source(), Args: func(address string) []string {
		url := "http://" + address
		args := []string{
			"--data-dir=data", "--log-level=warn", "--listen-client-urls=" + url, "--advertise-client-urls=" + url,
			"--listen-peer-urls=unix://peer.sock:1",
		}
		if !c.Fsync {
			args = append(args, "--unsafe-no-fsync")
		}
		return append(args, c.Flags...)
	}})
}

// Data returns the folder of the server's data.
func Data(s *servers.Server) string { return filepath.Join(s.Dir(), "data") }
