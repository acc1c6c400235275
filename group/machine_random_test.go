package group

import (
	"errors"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/share"
)

// witness follows a machine, and knows the rules in another form.
type witness struct {
	t            *rapid.T
	m            machine
	lease, renew time.Duration
	now          time.Time

	ready  bool
	call   call // under way
	began  time.Time
	ended  time.Time // the last call
	void   bool      // the readiness has changed since the call began
	from   time.Time // the last lease that counts, zero without one
	awaits bool      // that lease is the first one of a row: others have the part
	leases bool      // a renewal has begun since the last Leave
	leaves bool      // a Leave has to follow
	silent int       // renewals in a row without an answer and without a lease
	rests  time.Time // no renewal before, because the member yields
}

// look shows a random state of the collector to the machine.
func (w *witness) look() {
	s := rapid.SampledFrom([]sighting{{fitNone, "down"}, {fitSome, "unlisted"}, {fitAll, ""}, {fitAll, ""}}).Draw(w.t, "look")
	w.m.see(w.now, s)
	if ready := s.fit == fitAll || s.fit == fitSome && w.ready; ready != w.ready {
		w.ready, w.from, w.void, w.silent, w.rests = ready, time.Time{}, true, 0, time.Time{}
		w.leaves = !ready && w.leases
	}
}

// answer ends the call under way with a random result.
func (w *witness) answer() {
	if w.call == callNone {
		return
	}
	err := rapid.SampledFrom([]error{nil, nil, nil, errTest, ErrTaken, graph.ErrInvalid, graph.ErrRefused}).Draw(w.t, "error")
	members := []Member{{"b", "2", 0}, {"a", "1", 0}, {"c", "3", 0}}[:rapid.IntRange(2, 3).Draw(w.t, "members")]
	w.m.done(w.now, members, err)
	lease := !w.from.IsZero() && w.now.Before(w.from.Add(w.lease))
	switch {
	case w.call == callLeave && w.ready && w.silent >= maxSilent && !w.void:
		w.leases, w.rests = false, w.now.Add(w.lease)
	case w.call == callLeave:
		w.leases, w.leaves = w.leases && err != nil, false
	case w.void:
	case err == nil && w.now.Sub(w.began) < w.lease:
		w.awaits = !lease
		w.from, w.silent = w.began, 0
	case errors.Is(err, ErrTaken):
		w.from, w.silent = time.Time{}, 0
	case errors.Is(err, graph.ErrInvalid), errors.Is(err, graph.ErrRefused):
		w.silent = 0
	case !lease:
		w.silent++
	}
	w.call, w.ended = callNone, w.now
}

// step takes the next request, and checks it.
func (w *witness) step() {
	o := w.m.next(w.now)
	w.checkSet(o)
	w.checkCall(o)
	if !o.at.After(w.now) || o.at.Sub(w.now) > w.renew/2 {
		w.t.Fatalf("the next step is %v after now", o.at.Sub(w.now))
	}
	if o.do == callNone {
		return
	}
	w.call, w.began, w.void = o.do, w.now, false
	w.leases = w.leases || o.do == callRenew
	w.leaves = false
}

// checkSet: a set needs a lease that a second renewal has begun since the last loss of readiness,
// lease or name.
func (w *witness) checkSet(o order) {
	has := w.ready && !w.from.IsZero() && w.now.Before(w.from.Add(w.lease)) && !w.awaits
	switch {
	case (o.set != share.None()) != has:
		w.t.Fatalf("the set is %v, and a lease in force is %t", o.set, has)
	case has && !o.until.Equal(w.from.Add(w.lease)):
		w.t.Fatalf("the set ends %v after the beginning of the renewal, and the lease is %v", o.until.Sub(w.from), w.lease)
	case !has && !o.until.IsZero():
		w.t.Fatal("None has an end")
	}
}

// checkCall: one call at a time, no renewal without readiness, and a Leave after its loss.
func (w *witness) checkCall(o order) {
	switch {
	case o.do != callNone && w.call != callNone:
		w.t.Fatal("two calls at once")
	case o.do == callRenew && !w.ready:
		w.t.Fatal("a renewal without readiness")
	case o.do == callLeave && w.ready && w.silent < maxSilent:
		w.t.Fatal("a Leave of a collector that is ready")
	case o.do == callRenew && w.now.Before(w.rests):
		w.t.Fatal("a renewal of a member that yields")
	case w.leaves && !w.ready && w.call == callNone && o.do != callLeave:
		w.t.Fatal("no Leave after the loss of readiness")
	case w.ready && w.call == callNone && o.do != callRenew && w.now.Sub(w.ended) >= w.lease:
		w.t.Fatal("no renewal for the time of a lease")
	case o.do == callRenew && !o.until.IsZero() && w.now.Add(o.limit).After(o.until):
		w.t.Fatal("a renewal may run past the end of the lease")
	case o.do != callNone && o.limit <= 0:
		w.t.Fatal("a call without time")
	case o.cancel != (w.call == callRenew && w.void):
		w.t.Fatalf("cancel is %t", o.cancel)
	}
}

// TestMachineRandom: in random histories a machine keeps its rules.
func TestMachineRandom(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		lease := time.Duration(rapid.IntRange(1000, 20_000).Draw(t, "lease")) * time.Millisecond
		renew := max(100*time.Millisecond, time.Duration(float64(lease)*rapid.Float64Range(0, 0.5).Draw(t, "renew")))
		w := &witness{t: t, lease: lease, renew: renew, now: time.Unix(1e9, 0)}
		w.m = newMachine(Member{Name: "a", Instance: "1"}, lease, renew)
		for range rapid.IntRange(1, 80).Draw(t, "steps") {
			switch rapid.IntRange(0, 3).Draw(t, "event") {
			case 0:
				w.look()
			case 1:
				w.answer()
			case 2:
				w.now = w.now.Add(time.Duration(float64(lease) * rapid.Float64Range(0, 1.1).Draw(t, "pass")))
			case 3:
				w.now = w.m.wake(w.now)
			}
			w.step()
		}
	})
}
