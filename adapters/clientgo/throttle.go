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
	// raiseEvery is how soon after a change the bound may rise by one.
	raiseEvery = 100 * time.Millisecond
	// firstLull is how long a server is left alone that refuses even one write
	// at a time and does not say for how long; it doubles up to mostLull.
	firstLull = 250 * time.Millisecond
	mostLull  = 2 * time.Second
)

// errThrottled says that a write was not sent, because the server refuses as
// many as are on the way.
var errThrottled = errors.New("not sent: the server is busy")

// throttle bounds the writes in flight to one server by what the server says of
// its load: without a bound until it refuses one, then by a third less with each
// round of refusals, and by one more ten times a second while all are answered.
// A server that refuses even one at a time is left alone for as long as it asks.
// It is safe for concurrent use, and does nothing by itself: it sends no write
// twice, and drops none.
//
// It stands here and not in the Collector since a server may serve several
// collectors, and handlers that write beside them; and since only who sees the
// status knows what it says of the load. Nothing is decided too early by it: a
// write that waits here is conditioned on UID and version as any other.
type throttle struct {
	mu      sync.Mutex
	most    int // writes in flight, 0 for any number
	flying  int
	queue   []chan ticket // who waits, in order; each takes one
	round   uint64        // rises with each fall
	good    int           // answers since the bound changed
	changed time.Time     // when it did
	until   time.Time     // nothing is sent before
	alone   int           // falls in a row with one write in flight
	sent    uint64        // number of the latest write
	heard   uint64        // number of the latest that the server did its best for
}

// ticket is the right to send one write.
type ticket struct{ round, number uint64 }

// load is what the outcome of a write says of its server.
type load uint8

const (
	loadUnset load = iota // nothing
	loadWell              // it has answered as it does
	loadBusy              // it asks for time
	loadMute              // it did not answer
)

// do sends a write when it is its turn. One that does not come to it within half
// of its time is not sent, and says when to come back; one whose context ends
// meanwhile returns the context's error.
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

// loadOf returns what the outcome of a write says of the load, and for how long
// the server asks to be left alone. A failure without such a word, of a webhook
// or of a server behind the server, says nothing.
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

// enter waits for a turn.
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

// withdraw ends a wait, by cause if there is one. A turn that came meanwhile is
// taken, or given back.
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
	return ticket{}, &later{fmt.Errorf("%w: %d writes on the way", errThrottled, t.flying), after}
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

// rise raises the bound, if it is one that holds somebody up, after as many good
// answers as it allows writes.
func (t *throttle) rise(now time.Time) {
	t.alone = 0
	if t.most == 0 || len(t.queue) == 0 && t.flying < t.most {
		return
	}
	if t.good++; t.good >= t.most && now.Sub(t.changed) >= raiseEvery {
		t.most, t.good, t.changed = t.most+1, 0, now
	}
}

// fall lowers the bound, once for all that were on the way together. Below one
// there is only silence.
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

// resume ends a silence.
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

// grant gives turns to those who wait, in order.
func (t *throttle) grant(now time.Time) {
	for len(t.queue) > 0 && t.open(now) {
		t.queue[0] <- t.admit()
		t.queue = slices.Delete(t.queue, 0, 1)
	}
}
