package grouptest

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/ownergraph/ownergraph/adapters/memory"
	"github.com/ownergraph/ownergraph/group"
)

// opener is a System.Open.
type opener = func(name string) group.Coordinator

// sound is a system of groups in memory.
func sound() System {
	groups, out := map[string]*memory.Group{}, &atomic.Bool{}
	return System{
		Open: func(name string) group.Coordinator {
			if groups[name] == nil {
				groups[name] = memory.NewGroup()
			}
			return broken{groups[name],
				func(ctx context.Context, c group.Coordinator, m group.Member, lease time.Duration) ([]group.Member, error) {
					if out.Load() {
						return nil, errOutage
					}
					return c.Renew(ctx, m, lease)
				},
				func(ctx context.Context, c group.Coordinator, m group.Member) error {
					if out.Load() {
						return errOutage
					}
					return c.Leave(ctx, m)
				}}
		},
		Outage: func() (end func()) {
			out.Store(true)
			return func() { out.Store(false) }
		},
	}
}

var errOutage = errors.New("test: the system is out of reach")

// opening gives the coordinators of a sound system a bug.
func opening(bug func(open opener) opener) func() System {
	return func() System {
		s := sound()
		s.Open = bug(s.Open)
		return s
	}
}

// renewal is a Renew by a sound coordinator c, with a bug.
type renewal func(ctx context.Context, c group.Coordinator, m group.Member, lease time.Duration) ([]group.Member, error)

// leaving is a Leave by a sound coordinator c, with a bug.
type leaving func(ctx context.Context, c group.Coordinator, m group.Member) error

// broken is a coordinator with one bug. A nil function is the sound method.
type broken struct {
	group.Coordinator
	renew renewal
	leave leaving
}

func (b broken) Renew(ctx context.Context, m group.Member, lease time.Duration) ([]group.Member, error) {
	if b.renew == nil {
		return b.Coordinator.Renew(ctx, m, lease)
	}
	return b.renew(ctx, b.Coordinator, m, lease)
}

func (b broken) Leave(ctx context.Context, m group.Member) error {
	if b.leave == nil {
		return b.Coordinator.Leave(ctx, m)
	}
	return b.leave(ctx, b.Coordinator, m)
}

// planted gives all coordinators of a system one bug.
func planted(renew renewal, leave leaving) func() System {
	return opening(func(open opener) opener {
		return func(name string) group.Coordinator { return broken{open(name), renew, leave} }
	})
}

// answering changes the results of Renew.
func answering(change func(self group.Member, list []group.Member) []group.Member) func() System {
	return planted(func(ctx context.Context, c group.Coordinator, m group.Member, lease time.Duration) ([]group.Member, error) {
		list, err := c.Renew(ctx, m, lease)
		if err == nil {
			list = change(m, list)
		}
		return list, err
	}, nil)
}

// aging changes the ages of the other members.
func aging(change func(age time.Duration) time.Duration) func() System {
	return answering(func(_ group.Member, list []group.Member) []group.Member {
		for i := range list {
			list[i].Age = change(list[i].Age)
		}
		return list
	})
}

// leasing changes the time of each lease.
func leasing(change func(lease time.Duration) time.Duration) func() System {
	return planted(func(ctx context.Context, c group.Coordinator, m group.Member, lease time.Duration) ([]group.Member, error) {
		if group.ValidateRenewal(m, lease) == nil {
			lease = change(lease)
		}
		return c.Renew(ctx, m, lease)
	}, nil)
}

// naming stores each name in another form, and shows it as the caller has given it.
func naming(form func(name string) string) func() System {
	return opening(func(open opener) opener {
		given := &byName[string]{} // by instance
		renew := func(ctx context.Context, c group.Coordinator, m group.Member, lease time.Duration) ([]group.Member, error) {
			given.set(m.Instance, m.Name)
			m.Name = form(m.Name)
			list, err := c.Renew(ctx, m, lease)
			for i := range list {
				list[i].Name, _ = given.find(list[i].Instance)
			}
			slices.SortFunc(list, func(a, b group.Member) int { return strings.Compare(a.Name, b.Name) })
			return list, err
		}
		leave := func(ctx context.Context, c group.Coordinator, m group.Member) error {
			m.Name = form(m.Name)
			return c.Leave(ctx, m)
		}
		return func(name string) group.Coordinator { return broken{open(name), renew, leave} }
	})
}

// byName remembers a value for each member of each group, by its name.
type byName[T any] struct {
	mu     sync.Mutex
	values map[string]T
}

func (b *byName[T]) find(key string) (T, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	v, ok := b.values[key]
	return v, ok
}

func (b *byName[T]) set(key string, v T) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.values == nil {
		b.values = map[string]T{}
	}
	b.values[key] = v
}

// remembering is planted with the member that has last renewed under the same name.
func remembering(
	renew func(ctx context.Context, c group.Coordinator, m, last group.Member, lease time.Duration) ([]group.Member, error),
	leave func(ctx context.Context, c group.Coordinator, m, last group.Member) error,
) func() System {
	return opening(func(open opener) opener {
		all := &byName[group.Member]{}
		return func(name string) group.Coordinator {
			b := broken{Coordinator: open(name)}
			b.renew = func(ctx context.Context, c group.Coordinator, m group.Member, lease time.Duration) (list []group.Member, err error) {
				last, _ := all.find(name + "/" + m.Name)
				if renew != nil {
					list, err = renew(ctx, c, m, last, lease)
				} else {
					list, err = c.Renew(ctx, m, lease)
				}
				if err == nil {
					all.set(name+"/"+m.Name, m)
				}
				return list, err
			}
			if leave != nil {
				b.leave = func(ctx context.Context, c group.Coordinator, m group.Member) error {
					last, _ := all.find(name + "/" + m.Name)
					return leave(ctx, c, m, last)
				}
			}
			return b
		}
	})
}

// whenTaken handles ErrTaken. The first is the instance that has the name.
func whenTaken(handle func(ctx context.Context, c group.Coordinator, m, first group.Member, lease time.Duration) ([]group.Member, error)) func() System {
	return remembering(func(ctx context.Context, c group.Coordinator, m, first group.Member, lease time.Duration) ([]group.Member, error) {
		list, err := c.Renew(ctx, m, lease)
		if errors.Is(err, group.ErrTaken) {
			return handle(ctx, c, m, first, lease)
		}
		return list, err
	}, nil)
}
