package grouptest

import (
	"context"
	"errors"
	"maps"
	"sync"
	"time"

	"github.com/ownergraph/ownergraph/group"
)

// ledger is a group of its own in memory, for bugs that no wrapper can have. A nil function is
// the sound one.
type ledger struct {
	// until returns the end of a renewed lease.
	until func(was held, now time.Time, lease time.Duration) time.Time
	// end returns the end of a lease as a member sees it that has another lease itself.
	end func(h held, reader time.Duration) time.Time
	// pause is the time between the read of all leases and their write.
	pause time.Duration

	mu  sync.Mutex
	all map[string]held
}

// held is the lease of one name.
type held struct {
	group.Member
	renewed, until time.Time
}

// ledgers is a system with such groups.
func ledgers(bug func() *ledger) func() System {
	return opening(func(opener) opener {
		groups := map[string]*ledger{}
		return func(name string) group.Coordinator {
			if groups[name] == nil {
				groups[name] = bug()
			}
			return groups[name]
		}
	})
}

func (l *ledger) Renew(ctx context.Context, m group.Member, lease time.Duration) (list []group.Member, err error) {
	if err := errors.Join(ctx.Err(), group.ValidateRenewal(m, lease)); err != nil {
		return nil, err
	}
	all := l.read()
	if l.pause > 0 {
		<-time.After(l.pause)
	}
	now := time.Now()
	maps.DeleteFunc(all, func(_ string, h held) bool { return !l.endOf(h, lease).After(now) })
	was, there := all[m.Name]
	if there && was.Instance != m.Instance {
		return nil, group.ErrTaken
	}
	next := held{m, now, now.Add(lease)}
	if there && l.until != nil {
		next.until = l.until(was, now, lease)
	}
	all[m.Name] = next
	l.write(all)
	for _, h := range all {
		h.Age = now.Sub(h.renewed)
		list = append(list, h.Member)
	}
	return group.Result(m, list)
}

func (l *ledger) endOf(h held, reader time.Duration) time.Time {
	if l.end == nil {
		return h.until
	}
	return l.end(h, reader)
}

func (l *ledger) read() map[string]held {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.all == nil {
		return map[string]held{}
	}
	return maps.Clone(l.all)
}

func (l *ledger) write(all map[string]held) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.all = all
}

func (l *ledger) Leave(ctx context.Context, m group.Member) error {
	if all := l.read(); all[m.Name].Instance == m.Instance {
		delete(all, m.Name)
		l.write(all)
	}
	return ctx.Err()
}
