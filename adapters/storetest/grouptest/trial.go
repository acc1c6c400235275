package grouptest

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/ownergraph/ownergraph/group"
)

// long is a lease that does not end during a law.
const long = 10 * time.Minute

// trial is one run of a law.
type trial struct {
	testing.TB
	law      law
	system   System
	lease    time.Duration
	patience time.Duration
}

// breach ends the law with the finding.
func (t *trial) breach(format string, args ...any) {
	t.Helper()
	t.Fatalf("%s\na group without this law: %s", fmt.Sprintf(format, args...), t.law.why)
}

// two returns two coordinators of one new group, as two processes have them.
func (t *trial) two() (a, b process) {
	name := "group-" + rand.Text()
	return t.open(name), t.open(name)
}

// open returns one more coordinator of a group.
func (t *trial) open(name string) process {
	c := t.system.Open(name)
	if c == nil {
		t.Fatalf("grouptest: System.Open(%q) returns nil", name)
	}
	return process{t, c}
}

// member returns a new instance of a name.
func member(name string) group.Member { return group.Member{Name: name, Instance: rand.Text()} }

// process calls one coordinator.
type process struct {
	*trial
	group.Coordinator
}

// look is the result of a Renew. The members were in force at some moment between its two times.
type look struct {
	members      []group.Member
	begun, ended time.Time
}

// try calls Renew.
func (p process) try(m group.Member, lease time.Duration) (look, error) {
	ctx, cancel := context.WithTimeout(p.Context(), p.patience)
	defer cancel()
	l := look{begun: time.Now()}
	var err error
	l.members, err = p.Renew(ctx, m, lease)
	l.ended = time.Now()
	return l, err
}

// renew calls Renew, which succeeds. The result has the member once.
func (p process) renew(m group.Member, lease time.Duration) look {
	p.Helper()
	l, err := p.try(m, lease)
	if err != nil {
		p.breach("Renew of %q: %v", m.Name, err)
	}
	n := 0
	for _, other := range l.members {
		if other.Name == m.Name && other.Instance == m.Instance {
			n++
		}
	}
	if n != 1 {
		p.breach("Renew of %q returns the member itself %d times: %v", m.Name, n, l.members)
	}
	return l
}

// leave calls Leave, which succeeds.
func (p process) leave(m group.Member) {
	p.Helper()
	ctx, cancel := context.WithTimeout(p.Context(), p.patience)
	defer cancel()
	if err := p.Leave(ctx, m); err != nil {
		p.breach("Leave of %q: %v", m.Name, err)
	}
}

// taken calls Renew, which finds the name taken by another instance.
func (p process) taken(m group.Member, lease time.Duration) {
	p.Helper()
	if l, err := p.try(m, lease); !errors.Is(err, group.ErrTaken) {
		p.breach("Renew of another instance of %q: %v, error %v, want ErrTaken", m.Name, l.members, err)
	}
}

func (l look) find(name string) (group.Member, bool) {
	i := slices.IndexFunc(l.members, func(m group.Member) bool { return m.Name == name })
	if i < 0 {
		return group.Member{}, false
	}
	return l.members[i], true
}

// has reports whether the result has a member, with its instance.
func (l look) has(m group.Member) bool {
	other, ok := l.find(m.Name)
	return ok && other.Instance == m.Instance
}

// names returns the names of the members.
func (l look) names() (list []string) {
	for _, m := range l.members {
		list = append(list, m.Name)
	}
	return list
}

// shows checks that a result has exactly these members, in the order of their names.
func (t *trial) shows(l look, want ...group.Member) {
	t.Helper()
	var names []string
	for _, m := range want {
		names = append(names, m.Name)
	}
	slices.Sort(names)
	if !slices.Equal(l.names(), names) {
		t.breach("the members are %q, want %q", l.names(), names)
	}
	for _, m := range want {
		if !l.has(m) {
			t.breach("member %q has another instance", m.Name)
		}
	}
}

// early reports whether the result is from before the end of a lease.
func (l look) early(renewed look, lease time.Duration) bool {
	return l.ended.Before(renewed.begun.Add(lease))
}

// poll repeats a call until it reports true. It fails after a time of the caller's own and the
// patience.
func (t *trial) poll(wish string, within time.Duration, call func() bool) {
	t.Helper()
	end := time.Now().Add(within + t.patience)
	for !call() {
		if time.Now().After(end) {
			t.breach("not within %s: %s", within+t.patience, wish)
		}
		t.wait(t.lease / 20)
	}
}

// wait lets some time pass.
func (t *trial) wait(d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-t.Context().Done():
		t.Fatalf("the test has ended: %v", t.Context().Err())
	}
}
