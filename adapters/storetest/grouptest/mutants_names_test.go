package grouptest

import (
	"context"
	"errors"
	"net/url"
	"strings"
	"time"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/group"
)

func mutantsOfLeaving() []mutant {
	return []mutant{
		{"a member never leaves", "leave/at-once", "its lease is left to its end", planted(nil, func(ctx context.Context, _ group.Coordinator, _ group.Member) error { return ctx.Err() })},
		{"a member leaves once", "leave/again", "a deletion of no row is an error", remembering(nil, func(ctx context.Context, c group.Coordinator, m, last group.Member) error {
			if last.Name == "" {
				return graph.ErrNotFound
			}
			return c.Leave(ctx, m)
		})},
		{"a name leaves", "leave/other-instance", "a deletion without the instance", remembering(nil, func(ctx context.Context, c group.Coordinator, _, last group.Member) error {
			if last.Name == "" {
				return ctx.Err()
			}
			return c.Leave(ctx, last)
		})},
		{"a member leaves only where it has joined", "leave/other-process", "the lease is known in the memory of a process", opening(leavingHere)},
	}
}

// leavingHere does nothing outside of the process in which the member has renewed first.
func leavingHere(open opener) opener {
	first := &byName[*int]{} // by instance
	return func(name string) group.Coordinator {
		here := new(int)
		return broken{open(name),
			func(ctx context.Context, c group.Coordinator, m group.Member, lease time.Duration) ([]group.Member, error) {
				if _, ok := first.find(m.Instance); !ok {
					first.set(m.Instance, here)
				}
				return c.Renew(ctx, m, lease)
			},
			func(ctx context.Context, c group.Coordinator, m group.Member) error {
				if at, ok := first.find(m.Instance); ok && at != here {
					return ctx.Err()
				}
				return c.Leave(ctx, m)
			}}
	}
}

func mutantsOfNames() []mutant {
	type list = []group.Member
	return []mutant{
		{"the later one wins", "name/taken", "a write without a condition", whenTaken(func(ctx context.Context, c group.Coordinator, m, first group.Member, lease time.Duration) (list, error) {
			if err := c.Leave(ctx, first); err != nil {
				return nil, err
			}
			return c.Renew(ctx, m, lease)
		})},
		{"both lose", "name/taken", "the cleaning after a lost race", whenTaken(func(ctx context.Context, c group.Coordinator, m, first group.Member, _ time.Duration) (list, error) {
			return nil, errors.Join(group.ErrTaken, c.Leave(ctx, first))
		})},
		{"the error has no meaning", "name/taken", "the error of a unique key", whenTaken(func(context.Context, group.Coordinator, group.Member, group.Member, time.Duration) (list, error) {
			return nil, graph.ErrConflict
		})},
		{"the later one is shown as a member", "name/taken", "the list is made by names", whenTaken(func(ctx context.Context, c group.Coordinator, m, _ group.Member, lease time.Duration) (list, error) {
			return list{m}, nil
		})},
		{"a name stays with its instance", "name/free-after-leave", "a row that is marked and not removed", keepingNames},
		{"a try prolongs", "name/free-after-lease", "the renewal comes before the check", whenTaken(func(ctx context.Context, c group.Coordinator, _, first group.Member, lease time.Duration) (list, error) {
			_, err := c.Renew(ctx, first, lease)
			return nil, errors.Join(group.ErrTaken, err)
		})},
		{"names are in lower case", "name/exact", "a collation that folds case", naming(strings.ToLower)},
		{"names are cut", "name/exact", "the length of a column", naming(func(name string) string { return name[:min(len(name), 63)] })},
		{"names are trimmed", "name/exact", "a fixed-width column", naming(func(name string) string {
			return strings.TrimRight(name, " ")
		})},
		{"names are parts of a path", "name/exact", "a key without escapes", naming(func(name string) string { return strings.ReplaceAll(name, "//", "/") })},
		{"names are shown escaped", "name/exact", "a key is taken for the name", answering(func(_ group.Member, list []group.Member) []group.Member {
			for i := range list {
				list[i].Name = url.PathEscape(list[i].Name)
			}
			return list
		})},
	}
}

// keepingNames refuses another instance than the one that has left.
func keepingNames() System {
	left := &byName[bool]{} // by instance
	return remembering(
		func(ctx context.Context, c group.Coordinator, m, last group.Member, lease time.Duration) ([]group.Member, error) {
			if _, gone := left.find(last.Instance); gone && last.Instance != m.Instance {
				return nil, group.ErrTaken
			}
			return c.Renew(ctx, m, lease)
		},
		func(ctx context.Context, c group.Coordinator, m, _ group.Member) error {
			left.set(m.Instance, true)
			return c.Leave(ctx, m)
		})()
}

func mutantsOfCalls() []mutant {
	type list = []group.Member
	return []mutant{
		{"a member without a name is one", "call/arguments", "no check of the arguments", planted(func(ctx context.Context, c group.Coordinator, m group.Member, lease time.Duration) (list, error) {
			if m.Name == "" {
				m.Name = "unnamed"
			}
			return c.Renew(ctx, m, lease)
		}, nil)},
		{"no lease is the default", "call/arguments", "a zero value has a meaning", planted(func(ctx context.Context, c group.Coordinator, m group.Member, lease time.Duration) (list, error) {
			if lease == 0 {
				lease = time.Second
			}
			return c.Renew(ctx, m, lease)
		}, nil)},
		{"a wrong lease is stored before it is refused", "call/arguments", "the check comes last", planted(func(ctx context.Context, c group.Coordinator, m group.Member, lease time.Duration) (list, error) {
			if lease < 0 && m.Name != "" {
				if _, err := c.Renew(ctx, m, time.Hour); err != nil {
					return nil, err
				}
			}
			return c.Renew(ctx, m, lease)
		}, nil)},
		{"the context is ignored", "call/context", "a context of its own", planted(func(ctx context.Context, c group.Coordinator, m group.Member, lease time.Duration) (list, error) {
			return c.Renew(context.WithoutCancel(ctx), m, lease)
		}, nil)},
		{"a call outlasts its context", "call/context", "tries without an end", planted(func(ctx context.Context, c group.Coordinator, m group.Member, lease time.Duration) (list, error) {
			if ctx.Err() != nil {
				<-time.After(time.Hour)
			}
			return c.Renew(ctx, m, lease)
		}, nil)},
		{"the last list is shown in an outage", "call/outage", "a cache hides an error", opening(caching)},
		{"a Leave in an outage succeeds", "call/outage", "its error is only logged", planted(nil, func(ctx context.Context, c group.Coordinator, m group.Member) error {
			if err := c.Leave(ctx, m); errors.Is(err, errOutage) {
				return nil
			}
			return c.Leave(ctx, m)
		})},
	}
}

// caching returns the last result in an outage.
func caching(open opener) opener {
	return func(name string) group.Coordinator {
		last := &byName[[]group.Member]{} // by instance
		return broken{open(name), func(ctx context.Context, c group.Coordinator, m group.Member, lease time.Duration) ([]group.Member, error) {
			list, err := c.Renew(ctx, m, lease)
			if cached, ok := last.find(m.Instance); ok && errors.Is(err, errOutage) {
				return cached, nil
			}
			last.set(m.Instance, list)
			return list, err
		}, nil}
	}
}
