package server

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/ownergraph/ownergraph/internal/servers"
	"github.com/ownergraph/ownergraph/internal/servers/etcd"
)

// BinariesVariable names the environment variable that, if set, is a folder with
// executables "etcd" and "kube-apiserver". Nothing is built then.
const BinariesVariable = "OWNERGRAPH_SERVER_BINARIES"

// Binaries are the paths of the two executables. It is a value.
type Binaries struct{ Etcd, APIServer string }

// Build returns the two executables, of the versions in this module's go.mod, from the
// cache of the user. It builds a missing one from the module proxy, which takes minutes,
// once. The current folder has to be in this module or in one that requires it.
//
// Held by TestBuild.
func Build(ctx context.Context) (Binaries, error) {
	if dir := os.Getenv(BinariesVariable); dir != "" {
		return given(dir)
	}
	var out Binaries
	var err error
	if out.Etcd, err = servers.Build(ctx, etcd.Source()); err != nil {
		return Binaries{}, err
	}
	out.APIServer, err = servers.Build(ctx, servers.Source{
		Name: "kube-apiserver", Pins: etcd.Source().Pins, Module: "k8s.io/kubernetes", Package: "k8s.io/kubernetes/cmd/kube-apiserver",
	})
	return out, err
}

func given(dir string) (Binaries, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return Binaries{}, fmt.Errorf("find servers: %s: %w", BinariesVariable, err)
	}
	out := Binaries{filepath.Join(dir, "etcd"), filepath.Join(dir, "kube-apiserver")}
	for _, path := range []string{out.Etcd, out.APIServer} {
		if _, err := os.Stat(path); err != nil {
			return Binaries{}, fmt.Errorf("find servers: %s: %w", BinariesVariable, err)
		}
	}
	return out, nil
}
