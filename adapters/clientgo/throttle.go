package clientgo

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

const (
	// raiseEvery is the minimum time between a change of the bound and its next raise.
	raiseEvery = 100 * time.Millisecond
	// firstBackoff is the pause after a server refuses even one write at a time without
	// Retry-After. It doubles up to maxBackoff.
	firstLull = 250 * time.Millisecond
	mostLull  = 2 * time.Second
)

// errThrottled says that a write was not sent, because the server refuses more writes
// than are in flight.
var errThrottled = errors.New("not sent: the server is busy")

// throttle bounds the writes in flight to one server by the server's answers. At first
// there is no bound. Each round of refusals lowers the bound by a third. While the
// server answers all writes, the bound rises by one, at most ten times a second. If the
// server refuses even one write at a time, the throttle pauses for the time that the
// server asks for. It is safe for concurrent use. It sends no write twice and drops
// none.
//
// The throttle is a part of the store and not of the Collector, for two reasons.
// Several collectors and their handlers may write to one server. Only the store sees
// the status that tells the load. The delay is safe, because each write is conditioned
// on UID and version.
//
// Held by TestThrottleAdapts, TestThrottleRefusedByAll, TestThrottleWait,
// TestThrottleSigns and TestThrottleOfCascade.
type throttle struct {
	mu      sync.Mutex
	most    int // of writes in flight; 0 for no bound
	flying  int
	queue   []chan ticket // the waiting writes, in order; each takes one ticket
	round   uint64        // rises each time the bound is lowered
	good    int           // since the bound changed
	changed time.Time     // the time of the latest change
	until   time.Time     // no write is sent before
	alone   int           // refusals in a row with one write in flight
	sent    uint64        // the number of the latest write
	heard   uint64        // the number of the latest write with a normal answer
}

// ticket is the right to send one write.
type ticket struct{ round, number uint64 }

// load is the load of the server, as the result of a write shows it.
type load uint8

const (
	loadUnset load = iota // unknown
	loadWell              // a normal answer
	loadBusy              // the server asks for time
	loadMute              // no answer
)

// do sends a write when the bound allows it. A write that cannot start within half of
// its time is not sent, and returns an error with RetryAfter. If the context ends
// first, do returns the context's error.
func (t *throttle) do(ctx context.Context, send func() error) error {
	k, err := t.enter(ctx)
	if err != nil {
		return err
	}
	said, after := loadUnset, time.Duration(0)
	defer func() { t.leave(k, said, after) }()
	err = send()
	said, after = loadOf(ctx, err)
	return err
}

// loadOf returns the load that the result of a write shows, and the pause that the
// server asks for. A server error without Retry-After shows no load. It may come from a
// webhook or from an aggregated server.
func loadOf(ctx context.Context, err error) (load, time.Duration) {
	if err == nil {
		return loadWell, 0
	}
	if errors.Is(ctx.Err(), context.Canceled) || errors.Is(err, errUnsent) {
		return loadUnset, 0
	}
	var status apierrors.APIStatus
	if !errors.As(err, &status) {
		return loadMute, 0
	}
	seconds, told := apierrors.SuggestsClientDelay(err)
	after := time.Duration(seconds) * time.Second
	switch code := status.Status().Code; {
	case code == http.StatusTooManyRequests, code >= http.StatusInternalServerError && told:
		return loadBusy, after
	case code == http.StatusGatewayTimeout:
		return loadMute, 0
	case code >= http.StatusInternalServerError:
		return loadUnset, 0
	}
	return loadWell, 0
}

// enter waits for a ticket.
func (t *throttle) enter(ctx context.Context) (ticket, error) {
	t.mu.Lock()
	if len(t.queue) == 0 && t.open(time.Now()) {
		defer t.mu.Unlock()
		return t.admit(), nil
	}
	turn := make(chan ticket, 1)
	t.queue = append(t.queue, turn)
	t.mu.Unlock()
	var late <-chan time.Time
	if end, ok := ctx.Deadline(); ok {
		late = time.After(time.Until(end) / 2)
	}
	select {
	case k := <-turn:
		return k, nil
	case <-late:
		return t.withdraw(turn, nil)
	case <-ctx.Done():
		return t.withdraw(turn, ctx.Err())
	}
}

// withdraw ends a wait, with the cause if there is one. If a ticket came meanwhile,
// withdraw takes it or gives it back.
func (t *throttle) withdraw(turn chan ticket, cause error) (ticket, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	i := slices.Index(t.queue, turn)
	switch {
	case i >= 0:
		t.queue = slices.Delete(t.queue, i, i+1)
	case cause == nil:
		return <-turn, nil
	default:
		<-turn
		t.flying--
		t.grant(time.Now())
	}
	if cause != nil {
		return ticket{}, cause
	}
	after := max(time.Until(t.until), time.Second)
	return ticket{}, &later{fmt.Errorf("%w: %d writes in flight", errThrottled, t.flying), after}
}

// leave ends a write.
func (t *throttle) leave(k ticket, said load, after time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	now := time.Now()
	switch {
	case said == loadWell:
		t.heard = max(t.heard, k.number)
		t.rise(now)
	case said == loadBusy, said == loadMute && k.number > t.heard:
		t.fall(k, now, after)
	}
	t.flying--
	t.grant(now)
}

// raise raises the bound after as many good answers as it allows writes. It does so
// only if the bound holds up a write.
func (t *throttle) rise(now time.Time) {
	t.alone = 0
	if t.most == 0 || len(t.queue) == 0 && t.flying < t.most {
		return
	}
	if t.good++; t.good >= t.most && now.Sub(t.changed) >= raiseEvery {
		t.most, t.good, t.changed = t.most+1, 0, now
	}
}

// lower lowers the bound, once for all writes of a round. Below one it pauses.
func (t *throttle) fall(k ticket, now time.Time, after time.Duration) {
	if k.round != t.round {
		return
	}
	t.round++
	t.good, t.changed = 0, now
	if t.most != 1 {
		t.most = max(1, t.flying*2/3)
		return
	}
	lull := max(min(after, mostPause), min(firstLull<<min(t.alone, 10), mostLull))
	t.alone++
	t.until = now.Add(lull)
	time.AfterFunc(lull, t.resume)
}

// resume ends a pause.
func (t *throttle) resume() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.grant(time.Now())
}

func (t *throttle) open(now time.Time) bool {
	return (t.most == 0 || t.flying < t.most) && !now.Before(t.until)
}

func (t *throttle) admit() ticket {
	t.flying++
	t.sent++
	return ticket{t.round, t.sent}
}

// grant gives tickets to the waiting writes, in order.
func (t *throttle) grant(now time.Time) {
	for len(t.queue) > 0 && t.open(now) {
		t.queue[0] <- t.admit()
		t.queue = slices.Delete(t.queue, 0, 1)
	}
}
