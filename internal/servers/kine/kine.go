// Package kine runs a kine server on a SQLite file, for tests.
package kine

import (
	"context"

	"github.com/ownergraph/ownergraph/internal/servers"
)

// Source returns the executable of kine, at the version of testdata/tools/go.mod. Its build
// needs a C compiler.
func Source() servers.Source {
	return servers.Source{
		Name: "kine", Pins: "internal/servers/kine/testdata/tools",
		Module: "github.com/k3s-io/kine", Package: "github.com/k3s-io/kine", Cgo: true,
	}
}

// Config has a server's settings. The zero value works.
type Config struct {
	// Flags are added to those of kine. The last of a name counts.
	Flags []string
}

// Start starts a server and returns when it accepts connections. Its data are in the folder
// "db" of its own folder. It compacts only on request, up to the present.
//
//test:by adapters/etcd.TestServersKeepData
func Start(ctx context.Context, c Config) (*servers.Server, error) {
	return servers.Start(ctx, servers.Settings{Source: Source(), Args: func(address string) []string {
		return append([]string{
			"--listen-address=" + address, "--metrics-bind-address=0",
			"--endpoint=", "--compact-min-retain=0",
		}, c.Flags...)
	}})
}
