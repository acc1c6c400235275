package etcdstore

import (
	"context"
	"testing"
	"time"

	"github.com/ownergraph/ownergraph/adapters/storetest/grouptest"
	"github.com/ownergraph/ownergraph/group"
)

// TestGroup runs the laws of coordinators on etcd. Its least lease has 2 seconds.
func TestGroup(t *testing.T) {
	grouptest.Run(t, grouptest.Config{
		Lease: 2 * time.Second,
		New: func(tb testing.TB) grouptest.System {
			var rigs []*rig
			return grouptest.System{
				Open: func(name string) group.Coordinator {
					r := newRig(tb, Config{Prefix: "test/" + name + "/"})
					rigs = append(rigs, r)
					return r.group(tb)
				},
				Outage: func() (end func()) {
					var ends []func(context.Context) error
					for _, r := range rigs {
						end, err := r.outage(tb.Context())
						if err != nil {
							tb.Fatalf("begin an outage: %v", err)
						}
						ends = append(ends, end)
					}
					return func() {
						for _, end := range ends {
							if err := end(tb.Context()); err != nil {
								tb.Fatalf("end an outage: %v", err)
							}
						}
					}
				},
			}
		},
	})
}

// group returns the group of the rig's prefix.
func (r *rig) group(tb testing.TB) *Group { return newGroup(tb, r.client, r.conf.Prefix) }

// member returns a member whose instance is "1" and its name.
func memberOf(name string) group.Member { return group.Member{Name: name, Instance: "1" + name} }

// minute is a lease that does not end during a test.
const minute = time.Minute
