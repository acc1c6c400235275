package group

import (
	"log/slog"
	"time"

	"github.com/ownergraph/ownergraph/logline"
	"github.com/ownergraph/ownergraph/share"
)

// note is the part of the state that the log reports.
type note struct {
	set     share.Set
	members int
	state   State
	why     string // the collector cannot work
	err     error  // of the renewals
}

// cause returns the cause of a wait without numbers, "" without a wait.
func (n note) cause() string {
	switch {
	case n.state == StateOut:
		return n.why
	case n.err != nil:
		return logline.Cause(n.err)
	}
	return ""
}

func (m *machine) note(now time.Time) note {
	set, _ := m.share(now)
	s := m.state(now)
	return note{set, len(m.members), s, m.why, m.trouble(s)}
}

// report logs a change of the set, and a change of the cause of a wait.
func (m *Membership) report() {
	defer m.recoverLog()
	m.mu.Lock()
	was, is := m.logged, m.machine.note(time.Now())
	m.mu.Unlock()
	m.logged = is
	if is.members != was.members || is.set != was.set {
		m.log.Info("members changed", "count", is.members, "share", is.set.String())
	}
	cause := is.cause()
	switch {
	case cause == was.cause() && (is.state == StateOut) == (was.state == StateOut):
	case is.state == StateOut:
		m.waits.Line(slog.LevelInfo, "collector is not ready for a share", cause, "cause", is.why)
	case is.err != nil:
		m.waits.Line(slog.LevelWarn, "lease is not renewed", cause, "err", is.err)
	case was.err != nil:
		m.log.Info("lease is renewed again")
	}
}

// reportCall logs the panic of a call, and a failed end of the lease.
func (m *Membership) reportCall(r result) {
	defer m.recoverLog()
	name := "renew"
	if r.do == callLeave {
		name = "leave"
	}
	switch {
	case r.panic != nil:
		m.log.Error("coordinator panicked", "call", name, "panic", r.panic, "stack", r.stack)
	case r.do == callLeave && r.err != nil:
		m.waits.Line(slog.LevelWarn, "lease is not ended", logline.Cause(r.err), "err", r.err)
	}
}

// recoverLog keeps a panic of the logger from the membership. There is no other place to report it.
func (m *Membership) recoverLog() { _ = recover() }
