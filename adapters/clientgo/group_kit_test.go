package clientgo

import (
	"strings"
	"testing"
	"time"

	"github.com/ownergraph/ownergraph/adapters/storetest/grouptest"
	"github.com/ownergraph/ownergraph/group"
)

// TestGroup: the group keeps the laws of coordinators. A name of a group is one of a Lease.
func TestGroup(t *testing.T) {
	grouptest.Run(t, grouptest.Config{Lease: time.Second, Bubble: true, New: func(tb testing.TB) grouptest.System {
		f := newFake(leaseKind())
		server := f.serve(tb)
		open := func(name string) group.Coordinator {
			g, err := NewGroup(server, groupSpace, strings.ToLower(name))
			if err != nil {
				tb.Fatal(err)
			}
			tb.Cleanup(g.client.http.CloseIdleConnections)
			return g
		}
		return grouptest.System{Open: open, Outage: func() func() {
			f.net.SetDown(true)
			return func() { f.net.SetDown(false) }
		}}
	}})
}
