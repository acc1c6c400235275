// Package grouptest has the laws of a group.Coordinator as a kit of tests.
//
//	grouptest.Run(t, grouptest.Config{
//		Lease: 2 * time.Second,
//		New: func(tb testing.TB) grouptest.System {
//			return grouptest.System{Open: func(name string) group.Coordinator { return open(tb, name) }}
//		},
//	})
//
// Each law is a subtest: "lease/not-early". A failure names the call and the cause, and the
// failure of a group without the law.
//
// The kit asserts no time of a machine. It compares the times at which its own calls began and
// ended. A lease that is over too early is a breach at any speed. A lease that is over late is
// a breach only after [Config.Patience].
package grouptest
