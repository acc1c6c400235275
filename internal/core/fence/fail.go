package fence

import (
	"time"

	"github.com/ownergraph/ownergraph/internal/core/effect"
	"github.com/ownergraph/ownergraph/internal/core/kinds"
	"github.com/ownergraph/ownergraph/internal/core/record"
	"github.com/ownergraph/ownergraph/policy"
)

// Failure describes the calls for a fence that have failed in a row. It is a value.
type Failure struct {
	Times int       // 0 while no call fails
	Since time.Time // the first of them failed
	Next  time.Time // no other call goes out before
	Cause string    // the error of the last one

	logged time.Time // the last line about them
}

// logEvery bounds the lines about failures whose causes differ from each other.
const logEvery = time.Minute

// Failing returns the failures of the calls for a fence.
func (f *Machine) Failing() Failure { return f.failing }

// Fail takes the error of the call for a fence. Wait is the store's own delay. With the first
// error the waiters are decided again, so that they are reported as held.
func (f *Machine) Fail(id uint64, now time.Time, err error, wait time.Duration, k *kinds.Table, out *effect.List) {
	if id != f.id {
		return
	}
	f.retry = now.Add(max(wait, time.Second))
	x, cause := f.failing, record.ErrorText(err)
	if x.Times == 0 {
		x.Since = now
		out.Do(effect.WakeFence)
	}
	if x.Times == 0 || cause != x.Cause && now.Sub(x.logged) >= logEvery {
		x.logged = now
		out.Warn("fence failed", "reason", policy.FenceFails.Code(), "err", err, "wait", f.retry.Sub(now))
	}
	x.Times, x.Next, x.Cause = x.Times+1, f.retry, cause
	f.failing = x
	f.counts.Failed++
	f.Void(k)
}

// endFailures notes that a call for a fence has succeeded. The waiters wait for the watch now.
func (f *Machine) endFailures(out *effect.List) {
	if f.failing.Times > 0 {
		f.failing = Failure{}
		out.Do(effect.WakeFence)
	}
}
