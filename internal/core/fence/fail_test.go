package fence

import (
	"errors"
	"testing"
	"time"

	"github.com/ownergraph/ownergraph/internal/core/effect"
)

var errTest = errors.New("too many requests")

// lines returns the number of lines of the log since the last call, and whether the waiters are
// decided again.
func (r *rig) lines() (n int, wakes bool) {
	for _, x := range r.out.Items() {
		if x.Type == effect.Log {
			n++
		}
		wakes = wakes || x.Type == effect.WakeFence
	}
	r.out.Reset()
	return n, wakes
}

// TestFailing: failed calls are one state with its cause and the time of the next call. Its
// beginning and its end ask for decisions of the waiters, and each cause has one line.
func TestFailing(t *testing.T) {
	r := newRig(t, true, 0)
	r.want()
	for i, c := range []struct {
		reason string
		err    error
		after  time.Duration
		lines  int
		wakes  bool
	}{
		{"the first failure", errTest, 0, 1, true},
		{"the same cause", errTest, time.Hour, 0, false},
		{"another cause", errors.New("no route to host"), time.Hour, 1, false},
		{"another cause at once, as with a number in the text", errTest, time.Second, 0, false},
		{"another cause after a minute", errors.New("disk full"), time.Minute, 1, false},
	} {
		r.now = r.now.Add(c.after)
		r.f.Fail(r.begin(), r.now, c.err, 0, &r.k, &r.out)
		lines, wakes := r.lines()
		f := r.f.Failing()
		if lines != c.lines || wakes != c.wakes || f.Times != i+1 || f.Cause != c.err.Error() || !f.Since.Equal(start) || !f.Next.Equal(r.now.Add(time.Second)) {
			t.Errorf("%s: %d lines, the waiters are woken: %t, %+v", c.reason, lines, wakes, f)
		}
	}
	r.now = r.now.Add(time.Second)
	r.f.SetToken(r.begin(), 7, &r.k, &r.out)
	if lines, wakes := r.lines(); lines != 0 || !wakes || r.f.Failing().Times != 0 || r.f.Counts().Failed != 5 {
		t.Errorf("after a success: %d lines, the waiters are woken: %t, %+v", lines, wakes, r.f.Failing())
	}
}
