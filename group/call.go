package group

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"strings"
	"time"

	"github.com/ownergraph/ownergraph/graph"
)

// maxText bounds the text of an error of the coordinator, in bytes.
const maxText = 512

var errNoAnswer = errors.New("the call has ended its goroutine")

// result is the result of a call of the coordinator.
type result struct {
	do      call
	members []Member
	err     error
	panic   any // its value
	stack   string
}

// carryOut begins the call of an order, or ends the one under way.
func (m *Membership) carryOut(ctx context.Context, o order) {
	switch {
	case o.cancel:
		m.cancel()
	case o.do == callLeave: // it has to run after the end of ctx, too
		m.start(context.WithoutCancel(ctx), o)
	case o.do == callRenew:
		m.start(ctx, o)
	}
}

// start begins a call on a goroutine of its own, since the coordinator may take long.
func (m *Membership) start(ctx context.Context, o order) {
	ctx, m.cancel = context.WithTimeout(ctx, o.limit)
	go func() {
		r := result{do: o.do, err: errNoAnswer}
		defer func() {
			if r.panic = recover(); r.panic != nil {
				r.err, r.stack = fmt.Errorf("panic: %.200v", r.panic), string(debug.Stack())
			}
			m.result <- r // it has room, because one call is under way at a time
		}()
		var err error
		if o.do == callRenew {
			r.members, err = m.coordinator.Renew(ctx, m.self, m.lease)
		} else {
			err = m.coordinator.Leave(ctx, m.self)
		}
		r.err = plain(err)
	}()
}

// take takes the result of the call under way.
func (m *Membership) take(r result) {
	m.cancel()
	m.mu.Lock()
	m.machine.done(time.Now(), r.members, r.err)
	m.mu.Unlock()
	m.reportCall(r)
}

// answer is an error of the coordinator as a value: its text and its sentinel.
type answer struct {
	text string
	is   error
}

func (a *answer) Error() string { return a.text }
func (a *answer) Unwrap() error { return a.is }

// plain returns the text and the sentinel of an error. The methods of the coordinator's own error
// may do anything, and must not do it under a lock. Plain runs them, so it may panic.
func plain(err error) error {
	if err == nil {
		return nil
	}
	a := &answer{text: err.Error()}
	if len(a.text) > maxText {
		a.text = a.text[:maxText] + "..."
	}
	a.text = strings.ToValidUTF8(a.text, "?")
	for _, is := range [...]error{ErrTaken, graph.ErrInvalid, graph.ErrRefused} {
		if errors.Is(err, is) {
			a.is = is
			break
		}
	}
	return a
}
