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
// executables "etcd" and "kube-apiserver", and "kubectl" for Kubectl. Nothing is built then.
const BinariesVariable = "OWNERGRAPH_SERVER_BINARIES"

// Binaries are the paths of the two executables. It is a value.
type Binaries struct{ Etcd, APIServer string }

// Build returns the two executables, of the versions in this module's go.mod, from the
// cache of the user. It builds a missing one from the module proxy, which takes minutes,
// once. The current folder has to be in this module or in one that requires it.
//
//test:by TestBuild
func Build(ctx context.Context) (Binaries, error) {
	if dir := os.Getenv(BinariesVariable); dir != "" {
		return given(dir)
	}
	var out Binaries
	var err error
	if out.Etcd, err = servers.Build(ctx, etcd.Source()); err != nil {
		return Binaries{}, err
	}
	out.APIServer, err = servers.Build(ctx, source("kube-apiserver"))
	return out, err
}

// source returns a command of Kubernetes.
func source(name string) servers.Source {
	return servers.Source{Name: name, Pins: etcd.Source().Pins, Module: "k8s.io/kubernetes", Package: "k8s.io/kubernetes/cmd/" + name}
}

// Kubectl returns the path of a kubectl of the server's version. It is built as the
// executables of Build are.
//
//test:by TestBuildKubectl
func Kubectl(ctx context.Context) (path string, err error) {
	if dir := os.Getenv(BinariesVariable); dir != "" {
		return executable(dir, "kubectl")
	}
	return servers.Build(ctx, source("kubectl"))
}

func given(dir string) (out Binaries, err error) {
	if out.Etcd, err = executable(dir, "etcd"); err == nil {
		out.APIServer, err = executable(dir, "kube-apiserver")
	}
	if err != nil {
		return Binaries{}, err
	}
	return out, nil
}

func executable(dir, name string) (path string, err error) {
	if path, err = filepath.Abs(filepath.Join(dir, name)); err == nil {
		_, err = os.Stat(path)
	}
	if err != nil {
		return "", fmt.Errorf("find servers: %s: %w", BinariesVariable, err)
	}
	return path, nil
}
