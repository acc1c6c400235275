package etcdstore

import (
	"context"
	"fmt"
	"os"
	"sync"
	"testing"

	"github.com/ownergraph/ownergraph/internal/proof/processes"
	"github.com/ownergraph/ownergraph/internal/servers"
	"github.com/ownergraph/ownergraph/internal/servers/etcd"
	"github.com/ownergraph/ownergraph/internal/servers/kine"
)

// running are the servers of this test binary. Each store has a prefix of its own in one of
// them.
var running struct {
	etcd, kine backend
}

// backend is a server that starts when a test needs it first.
type backend struct {
	once   sync.Once
	server *servers.Server
	err    error
}

func (b *backend) start(begin func(context.Context) (*servers.Server, error)) (*servers.Server, error) {
	b.once.Do(func() { b.server, b.err = begin(context.Background()) })
	return b.server, b.err
}

func (b *backend) stop() {
	if b.server != nil {
		if err := b.server.Stop(); err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
	}
}

// address returns the address of etcd, or of kine.
func address(onKine bool) (string, error) {
	b, begin := &running.etcd, func(ctx context.Context) (*servers.Server, error) { return etcd.Start(ctx, etcd.Config{}) }
	if onKine {
		b, begin = &running.kine, func(ctx context.Context) (*servers.Server, error) { return kine.Start(ctx, kine.Config{}) }
	}
	s, err := b.start(begin)
	if err != nil {
		return "", err
	}
	return s.Address(), nil
}

func TestMain(m *testing.M) {
	if task, is, err := processes.OfThisProcess(); is {
		if err == nil {
			err = serveTask(task)
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	code := m.Run()
	running.etcd.stop()
	running.kine.stop()
	os.Exit(code)
}
