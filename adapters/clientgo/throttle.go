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
	firstBackoff = 250 * time.Millisecond
	maxBackoff   = 2 * time.Second
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
//test:by TestThrottleAdapts TestThrottleRefusedByAll TestThrottleWait TestThrottleSigns
//test:by TestThrottleOfCascade
type throttle struct {
	mu       sync.Mutex
	limit    int // of writes in flight; 0 for no bound
	inFlight int
	queue    []chan ticket // the waiting writes, in order; each takes one ticket
	round    uint64        // rises each time the bound is lowered
	answers  int           // since the bound changed
	changed  time.Time     // the time of the latest change
	until    time.Time     // no write is sent before
	refusals int           // refusals in a row with one write in flight
	sent     uint64        // the number of the latest write
	answered uint64        // the number of the latest write with a normal answer
}

// ticket is the right to send one write.
type ticket struct{ round, number uint64 }

// load is the load of the server, as the result of a write shows it.
type load uint8

const (
	loadUnset  load = iota // unknown
	loadNormal             // a normal answer
	loadBusy               // the server asks for time
	loadSilent             // no answer
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
		return loadNormal, 0
	}
	if errors.Is(ctx.Err(), context.Canceled) || errors.Is(err, errUnsent) {
		return loadUnset, 0
	}
	var status apierrors.APIStatus
	if !errors.As(err, &status) {
		return loadSilent, 0
	}
	seconds, ok := apierrors.SuggestsClientDelay(err)
	after := time.Duration(seconds) * time.Second
	switch code := status.Status().Code; {
	case code == http.StatusTooManyRequests, code >= http.StatusInternalServerError && ok:
		return loadBusy, after
	case code == http.StatusGatewayTimeout:
		return loadSilent, 0
	case code >= http.StatusInternalServerError:
		return loadUnset, 0
	}
	return loadNormal, 0
}

// enter waits for a ticket.
func (t *throttle) enter(ctx context.Context) (ticket, error) {
	t.mu.Lock()
	if len(t.queue) == 0 && t.ready(time.Now()) {
		defer t.mu.Unlock()
		return t.start(), nil
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
		t.inFlight--
		t.grant(time.Now())
	}
	if cause != nil {
		return ticket{}, cause
	}
	after := max(time.Until(t.until), time.Second)
	return ticket{}, &retryLater{fmt.Errorf("%w: %d writes in flight", errThrottled, t.inFlight), after}
}

// leave ends a write.
func (t *throttle) leave(k ticket, said load, after time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	now := time.Now()
	switch {
	case said == loadNormal:
		t.answered = max(t.answered, k.number)
		t.raise(now)
	case said == loadBusy, said == loadSilent && k.number > t.answered:
		t.lower(k, now, after)
	}
	t.inFlight--
	t.grant(now)
}

// raise raises the bound after as many good answers as it allows writes. It does so
// only if the bound delays a write.
func (t *throttle) raise(now time.Time) {
	t.refusals = 0
	if t.limit == 0 || len(t.queue) == 0 && t.inFlight < t.limit {
		return
	}
	if t.answers++; t.answers >= t.limit && now.Sub(t.changed) >= raiseEvery {
		t.limit, t.answers, t.changed = t.limit+1, 0, now
	}
}

// lower lowers the bound, once for all writes of a round. Below one it pauses.
func (t *throttle) lower(k ticket, now time.Time, after time.Duration) {
	if k.round != t.round {
		return
	}
	t.round++
	t.answers, t.changed = 0, now
	if t.limit != 1 {
		t.limit = max(1, t.inFlight*2/3)
		return
	}
	lull := max(min(after, maxPause), min(firstBackoff<<min(t.refusals, 10), maxBackoff))
	t.refusals++
	t.until = now.Add(lull)
	time.AfterFunc(lull, t.resume)
}

// resume ends a pause.
func (t *throttle) resume() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.grant(time.Now())
}

func (t *throttle) ready(now time.Time) bool {
	return (t.limit == 0 || t.inFlight < t.limit) && !now.Before(t.until)
}

func (t *throttle) start() ticket {
	t.inFlight++
	t.sent++
	return ticket{t.round, t.sent}
}

// grant gives tickets to the waiting writes, in order.
func (t *throttle) grant(now time.Time) {
	for len(t.queue) > 0 && t.ready(now) {
		t.queue[0] <- t.start()
		t.queue = slices.Delete(t.queue, 0, 1)
	}
}
