package grouptest

import (
	"cmp"
	"slices"
	"testing"
	"testing/synctest"
)

// law is one duty of a coordinator.
type law struct {
	name   string // "subject/rule"
	why    string // the failure of a group without it
	basic  bool   // all laws after it rest on it
	outage bool   // it needs System.Outage
	run    func(*trial)
}

// laws returns all laws.
func laws() []law {
	return slices.Concat(lawsOfMembers(), lawsOfLeases(), lawsOfLeaving(), lawsOfNames(), lawsOfCalls())
}

// Run checks a coordinator against every law, each in a subtest of its own with the law's name.
// All laws rest on the first ones. If one of those is broken, Run tries no other law, so that
// the first red line is the cause.
//
//test:by TestMutants TestConfigErrors adapters/memory.TestGroup adapters/etcd.TestGroup adapters/sql.TestGroup
func Run(t *testing.T, c Config) {
	t.Helper()
	if wrong := c.wrong(); wrong != "" {
		t.Fatalf("grouptest: Config.%s", wrong)
	}
	for _, l := range laws() {
		kept := t.Run(l.name, func(t *testing.T) {
			if c.Bubble {
				synctest.Test(t, func(t *testing.T) { l.try(t, c) })
				return
			}
			if !l.basic {
				t.Parallel()
			}
			l.try(t, c)
		})
		if l.basic && !kept {
			t.Logf("the other laws rest on %s, and are not tried", l.name)
			return
		}
	}
}

// try runs the law on a system of its own, on the caller's goroutine, which tb may end.
func (l law) try(tb testing.TB, c Config) {
	t := &trial{TB: tb, law: l, lease: c.Lease, patience: cmp.Or(c.Patience, defaultPatience)}
	t.system = c.New(tb)
	switch {
	case t.system.Open == nil:
		t.Fatalf("grouptest: System.Open: nil")
	case l.outage && t.system.Outage == nil:
		t.Logf("not tried: System.Outage is nil")
	default:
		l.run(t)
	}
}
