package memory

import (
	"testing"
	"time"

	"github.com/ownergraph/ownergraph/adapters/storetest/grouptest"
	"github.com/ownergraph/ownergraph/group"
)

// TestGroup runs the laws of coordinators on a group in memory.
func TestGroup(t *testing.T) {
	grouptest.Run(t, grouptest.Config{
		Bubble: true, Lease: time.Second,
		New: func(testing.TB) grouptest.System {
			groups := map[string]*Group{}
			return grouptest.System{Open: func(name string) group.Coordinator {
				if groups[name] == nil {
					groups[name] = NewGroup()
				}
				return groups[name]
			}}
		},
	})
}
