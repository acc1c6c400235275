package clientgo

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/ownergraph/ownergraph/graph"
)

// busyServer accepts a number of writes at once, each with a latency, and refuses all
// others. It runs in a bubble with virtual time. The throttle's lock guards its fields.
type busyServer struct {
	throttle
	room    int
	latency time.Duration
	after   int // seconds of Retry-After

	flying, peak, served, refused int
}

func tooMany(after int) error {
	return apierrors.NewGenericServerResponse(http.StatusTooManyRequests, "delete", schema.GroupResource{}, "", "later", after, false)
}

func failure(code int) error {
	return apierrors.NewGenericServerResponse(code, "delete", schema.GroupResource{}, "", "a fault", 0, false)
}

func (s *busyServer) locked(do func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	do()
}

func (s *busyServer) write() (err error) {
	s.locked(func() {
		if s.flying >= s.room {
			s.refused++
			err = tooMany(s.after)
			return
		}
		s.flying++
		s.peak = max(s.peak, s.flying)
	})
	if err != nil {
		return err
	}
	<-time.After(s.latency)
	s.locked(func() { s.flying--; s.served++ })
	return nil
}

// load runs workers that write through the throttle, for a while.
func (s *busyServer) load(workers int, during time.Duration) (served, refused int) {
	s.locked(func() { s.served, s.refused, s.peak = 0, 0, 0 })
	ctx, cancel := context.WithTimeout(context.Background(), during)
	defer cancel()
	for range workers {
		go func() {
			for ctx.Err() == nil {
				if s.do(ctx, s.write) != nil { // like the engine, go on with another object
					<-time.After(time.Microsecond)
				}
			}
		}()
	}
	<-ctx.Done()
	<-time.After(s.latency + time.Minute)
	synctest.Wait()
	return s.served, s.refused
}

// TestThrottleAdapts: the bound finds and follows the capacity of the server. It
// neither overloads the server nor leaves it idle.
func TestThrottleAdapts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &busyServer{latency: 25 * time.Millisecond, after: 1}
		for _, c := range []struct {
			reason  string
			workers int
			room    int
			least   float64 // of the server's capacity
			most    int     // refusals a minute
		}{
			{"a server that bears everything is given everything", 20, 1000, 0.99, 0},
			{"half of the workers", 20, 10, 0.75, 300},
			{"one at a time", 20, 1, 0.75, 700},
			{"it has recovered", 20, 1000, 0.90, 0},
			{"many workers", 200, 100, 0.75, 1200},
		} {
			s.room = c.room
			served, refused := s.load(c.workers, time.Minute)
			able := float64(time.Minute/s.latency) * float64(min(c.room, c.workers))
			t.Logf("%s: %.2f of the capacity, %d refused", c.reason, float64(served)/able, refused)
			if float64(served) < c.least*able || refused > c.most {
				t.Errorf("%s: %d of %.0f served, %d refused", c.reason, served, able, refused)
			}
		}
	})
}

// TestThrottleRefusedByAll: the throttle pauses for a server that refuses every write,
// as long as the server asks. It goes on when the server recovers.
func TestThrottleRefusedByAll(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &busyServer{latency: 5 * time.Millisecond, after: 10}
		served, refused := s.load(20, time.Minute)
		if served != 0 || refused > 100 || s.limit != 1 {
			t.Errorf("%d served, %d refused in a minute, bound %d", served, refused, s.limit)
		}
		s.after = 0
		if _, refused = s.load(20, time.Minute); refused < 20 || refused > 40 {
			t.Errorf("%d refused in a minute without Retry-After", refused)
		}
		s.room = 20
		if served, _ := s.load(20, 10*time.Second); served < 15*2000 {
			t.Errorf("%d served in the 10 s after it has recovered", served)
		}
	})
}

// TestThrottleWait: a waiting write honours its context. If the context ends, the write
// takes no ticket and is not sent.
func TestThrottleWait(t *testing.T) {
	for _, c := range []struct {
		reason  string
		timeout time.Duration
		cancel  time.Duration
		want    error
		after   time.Duration // when the call returns
		retry   time.Duration // the RetryAfter of its error
	}{
		{"it is cancelled", 0, 3 * time.Second, context.Canceled, 3 * time.Second, 0},
		{"half of its time is over: it was not sent", 8 * time.Second, 0, errThrottled, 4 * time.Second, 6 * time.Second},
		{"the server's time is over first", 40 * time.Second, 0, nil, 10 * time.Second, 0},
	} {
		t.Run(c.reason, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var s throttle
				for range 2 { // the second one finds only itself
					_ = s.do(t.Context(), func() error { return tooMany(10) })
				}
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				if c.timeout > 0 {
					ctx, cancel = context.WithTimeout(ctx, c.timeout)
					defer cancel()
				}
				if c.cancel > 0 {
					time.AfterFunc(c.cancel, cancel)
				}
				began, sent := time.Now(), 0
				err := s.do(ctx, func() error { sent++; return nil })
				if took := time.Since(began); !errors.Is(err, c.want) || took != c.after {
					t.Errorf("%v after %v", err, took)
				}
				if (sent == 1) != (err == nil) {
					t.Errorf("%d sent, %v", sent, err)
				}
				var l interface{ RetryAfter() time.Duration }
				if got := errors.As(err, &l); got != (c.retry > 0) || got && l.RetryAfter() != c.retry {
					t.Errorf("%v: retry after: %t, want %v", err, got, c.retry)
				}
				pass(time.Minute)
				if err := s.do(t.Context(), func() error { return nil }); err != nil || s.inFlight != 0 || len(s.queue) != 0 {
					t.Errorf("%v; %d on the way, %d waiting", err, s.inFlight, len(s.queue))
				}
			})
		})
	}
}

// TestThrottleTicketGivenBack: a ticket that comes just after its write gave up goes to
// the next write.
func TestThrottleTicketGivenBack(t *testing.T) {
	s := throttle{limit: 1, inFlight: 1, queue: []chan ticket{make(chan ticket, 1), make(chan ticket, 1)}}
	first, second := s.queue[0], s.queue[1]
	s.leave(ticket{}, loadNormal, 0)
	if _, err := s.withdraw(first, context.Canceled); err != context.Canceled {
		t.Error(err)
	}
	if len(second) != 1 || s.inFlight != 1 || len(s.queue) != 0 {
		t.Errorf("%d on the way, %d waiting", s.inFlight, len(s.queue))
	}
	if _, err := s.withdraw(second, nil); err != nil || s.inFlight != 1 {
		t.Errorf("a ticket that came in time: %v, %d in flight", err, s.inFlight)
	}
}

// TestThrottleSigns: the answers that lower the bound, and those that do not.
func TestThrottleSigns(t *testing.T) {
	gone, cancel := context.WithCancel(context.Background())
	cancel()
	late, cancel := context.WithTimeout(context.Background(), -1)
	defer cancel()
	for _, c := range []struct {
		reason string
		ctx    context.Context
		err    error
		want   load
		after  time.Duration
	}{
		{"done", context.Background(), nil, loadNormal, 0},
		{"too many requests", context.Background(), tooMany(7), loadBusy, 7 * time.Second},
		{"too many requests, it does not say for how long", context.Background(), tooMany(0), loadBusy, 0},
		{"a server that asks for time", context.Background(), apierrors.NewServerTimeout(schema.GroupResource{}, "delete", 2), loadBusy, 2 * time.Second},
		{"it has given up", context.Background(), failure(504), loadSilent, 0},
		{"no answer within the call's time", late, context.DeadlineExceeded, loadSilent, 0},
		{"no connection", context.Background(), errors.New("connection refused"), loadSilent, 0},
		{"the caller has gone", gone, context.Canceled, loadUnset, 0},
		{"a webhook that breaks", context.Background(), failure(500), loadUnset, 0},
		{"a server behind it that is down", context.Background(), failure(503), loadUnset, 0},
		{"a conflict", context.Background(), failure(409), loadNormal, 0},
		{"refused by its content", context.Background(), failure(422), loadNormal, 0},
	} {
		if got, after := loadOf(c.ctx, c.err); got != c.want || after != c.after {
			t.Errorf("%s: %d, %v", c.reason, got, after)
		}
	}
	var s throttle
	first, _ := s.enter(context.Background())
	second, _ := s.enter(context.Background())
	s.leave(second, loadNormal, 0)
	if s.leave(first, loadSilent, 0); s.limit != 0 {
		t.Errorf("the bound is %d, although the server answers later writes", s.limit)
	}
	third, _ := s.enter(context.Background())
	if s.leave(third, loadSilent, 0); s.limit != 1 {
		t.Errorf("the bound is %d, although no write has an answer", s.limit)
	}
}

// TestThrottleOfCascade: a server refuses all writes for a while during a cascade. The
// engine does not overload it. Afterwards each object goes by one accepted write.
func TestThrottleOfCascade(t *testing.T) {
	const leaves = 300
	bubble(t, newFake(standardKinds()...), Config{}, func(r *rig) {
		d := r.create("apps/Deployment", named("ns", "owner"))
		for i := range leaves {
			r.create("ConfigMap", named("ns", fmt.Sprint("c", i), ref("apps/v1", "Deployment", "owner", d.UID)))
		}
		r.collect()
		pass(time.Second)
		until, refused, served := time.Now().Add(20*time.Second), 0, 0
		r.fault = func(q *http.Request) *fakeResponse {
			switch {
			case q.Method != http.MethodDelete:
				return nil
			case time.Now().Before(until):
				refused++
				return &fakeResponse{code: http.StatusTooManyRequests, after: 1}
			}
			served++
			return nil
		}
		r.delete("apps/Deployment", "ns", "owner", graph.Background)
		pass(time.Minute)
		r.locked(func() {
			if n := len(r.kindOf("ConfigMap").objects); n != 0 || served != leaves {
				t.Errorf("%d are left, %d writes", n, served)
			}
			if refused > 100 {
				t.Errorf("%d writes refused in 20 s", refused)
			}
		})
	})
}
