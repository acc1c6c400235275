package grouptest

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"github.com/ownergraph/ownergraph/adapters/memory"
	"github.com/ownergraph/ownergraph/group"
)

// mutant is a sound coordinator with one bug.
type mutant struct {
	name   string
	law    string // the law that names it
	reason string // the usual cause
	system func() System
}

func mutants() []mutant {
	return slices.Concat(mutantsOfMembers(), mutantsOfLeases(), mutantsOfLeaving(), mutantsOfNames(), mutantsOfCalls())
}

func mutantsOfMembers() []mutant {
	return []mutant{
		{"a member does not see itself", "members/self", "the list is read before the write", answering(func(self group.Member, list []group.Member) []group.Member {
			return slices.DeleteFunc(list, func(m group.Member) bool { return m.Name == self.Name })
		})},
		{"a member is there twice", "members/self", "each renewal adds a row", answering(func(_ group.Member, list []group.Member) []group.Member {
			return append(list, list[len(list)-1])
		})},
		{"instances are not shown", "members/self", "a field that is not filled", answering(func(_ group.Member, list []group.Member) []group.Member {
			for i := range list {
				list[i].Instance = ""
			}
			return list
		})},
		{"each process has members of its own", "members/others", "a cache is taken for the system", opening(func(opener) opener {
			return func(string) group.Coordinator { return memory.NewGroup() }
		})},
		{"the members are out of order", "members/others", "the order of a map", answering(func(_ group.Member, list []group.Member) []group.Member {
			slices.Reverse(list)
			return list
		})},
		{"names are sorted by their length", "members/sorted", "a collation of a database", answering(func(_ group.Member, list []group.Member) []group.Member {
			slices.SortStableFunc(list, func(a, b group.Member) int { return cmp.Compare(len(a.Name), len(b.Name)) })
			return list
		})},
		{"two groups are one", "members/groups", "a query without the name of the group", opening(func(open opener) opener {
			return func(string) group.Coordinator { return open("") }
		})},
		{"the result is shared", "members/own-slice", "a cache of the last list", opening(sharing)},
		{"leases are written as a whole", "members/concurrent", "a read and a write without a condition", ledgers(func() *ledger { return &ledger{pause: time.Millisecond} })},
	}
}

// sharing returns one array for all results of two members.
func sharing(open opener) opener {
	return func(name string) group.Coordinator {
		var array []group.Member
		return broken{open(name), func(ctx context.Context, c group.Coordinator, m group.Member, lease time.Duration) ([]group.Member, error) {
			list, err := c.Renew(ctx, m, lease)
			if err != nil || len(list) != 2 {
				return list, err
			}
			array = append(array[:0], list...)
			return array, nil
		}, nil}
	}
}

func mutantsOfLeases() []mutant {
	return []mutant{
		{"ages are zero", "lease/age", "a field that is not filled", aging(func(time.Duration) time.Duration { return 0 })},
		{"ages are in another unit", "lease/age", "milliseconds are taken for seconds", aging(func(age time.Duration) time.Duration { return 1000 * age })},
		{"ages are by the clock of another machine", "lease/age", "the time of a writer is compared with that of a reader", aging(func(age time.Duration) time.Duration { return age + time.Minute })},
		{"an age is negative", "lease/age", "a clock that is behind", aging(func(age time.Duration) time.Duration { return age - time.Minute })},
		{"a lease goes on for ever", "lease/ends", "a background goroutine renews it", leasing(func(time.Duration) time.Duration { return group.MaxLease })},
		{"a lease ends early", "lease/not-early", "its time is rounded down", leasing(func(lease time.Duration) time.Duration { return lease - lease/10 })},
		{"a renewal adds nothing", "lease/age", "an insert that ignores a row that is there", remembering(func(ctx context.Context, c group.Coordinator, m, last group.Member, lease time.Duration) ([]group.Member, error) {
			list, err := onlyLook(ctx, c, m, lease)
			if err != nil || last.Instance == m.Instance && slices.ContainsFunc(list, func(o group.Member) bool { return o.Name == m.Name }) {
				return list, err
			}
			return c.Renew(ctx, m, lease)
		}, nil)},
		{"a renewal does not prolong", "lease/prolonged", "the time is set by the first renewal", ledgers(func() *ledger {
			return &ledger{until: func(was held, _ time.Time, _ time.Duration) time.Time { return was.until }}
		})},
		{"a member judges all leases by its own", "lease/of-each", "the time is a setting of the reader", ledgers(func() *ledger {
			return &ledger{end: func(h held, reader time.Duration) time.Time {
				return h.renewed.Add(min(reader, h.until.Sub(h.renewed)))
			}}
		})},
		{"no lease gets shorter", "lease/changed", "a greatest of two times", ledgers(func() *ledger {
			return &ledger{until: func(was held, now time.Time, lease time.Duration) time.Time {
				return time.Unix(0, max(was.until.UnixNano(), now.Add(lease).UnixNano()))
			}}
		})},
		{"an instance has one lease", "lease/begun-again", "a session that has ended is not made anew", opening(ended)},
	}
}

// ended refuses the renewal of a lease that is over.
func ended(open opener) opener {
	ends := &byName[time.Time]{} // by instance
	return func(name string) group.Coordinator {
		return broken{open(name), func(ctx context.Context, c group.Coordinator, m group.Member, lease time.Duration) ([]group.Member, error) {
			now := time.Now()
			if end, ok := ends.find(m.Instance); ok && !now.Before(end) {
				return nil, errors.New("test: the session is over")
			}
			list, err := c.Renew(ctx, m, lease)
			if err == nil {
				ends.set(m.Instance, now.Add(lease))
			}
			return list, err
		}, nil}
	}
}

// onlyLook returns the members without a renewal.
func onlyLook(ctx context.Context, c group.Coordinator, m group.Member, lease time.Duration) ([]group.Member, error) {
	probe := group.Member{Name: m.Name + "?", Instance: m.Instance}
	list, err := c.Renew(ctx, probe, lease)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(list, func(o group.Member) bool { return o.Name == probe.Name }), c.Leave(ctx, probe)
}
