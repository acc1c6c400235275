package run

import (
	"context"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// filled returns a prefetch of an engine's revision with the calls.
func filled(engine Revision, calls ...int) *Prefetch[int, string] {
	p := NewPrefetch[int, string](engine.Number, even)
	for _, c := range calls {
		p.Fill(&c)
	}
	return p
}

// even lets only even calls go together.
func even(call *int) bool { return *call%2 == 0 }

func exchange(p *Prefetch[int, string], ctx context.Context, call *int, result string) bool {
	_, ok := exchangeOne(p, ctx, call, result)
	return ok
}

func exchangeOne(p *Prefetch[int, string], ctx context.Context, call *int, result string) (left int, ok bool) {
	var calls []int
	if left, ok = p.Exchange(ctx, &calls, []string{result}, 1); ok {
		*call = calls[0]
	}
	return left, ok
}

func pick(p *Prefetch[int, string], call *int) bool {
	var calls []int
	ok := p.Pick(&calls, 1)
	if ok {
		*call = calls[0]
	}
	return ok
}

// TestPrefetchBatch: the oldest calls leave together, as far as they may.
func TestPrefetchBatch(t *testing.T) {
	for _, c := range []struct {
		calls  []int
		most   int
		want   []int
		reason string
	}{
		{[]int{2, 4, 6}, 9, []int{2, 4, 6}, "all of them may"},
		{[]int{2, 4, 6}, 2, []int{2, 4}, "a batch has a largest size"},
		{[]int{2, 4, 5, 6}, 9, []int{2, 4}, "call 5 may not, and keeps its place"},
		{[]int{1, 2, 4}, 9, []int{1}, "the oldest call may not, and waits for no other one"},
		{[]int{2, 4}, 1, []int{2}, "without batches each call is alone"},
	} {
		p, calls := filled(NewRevision(0), c.calls...), []int{7, 7}
		left, ok := p.Exchange(t.Context(), &calls, []string{"a", "b"}, c.most)
		_, results := p.State()
		if !ok || !slices.Equal(calls, c.want) || left != len(c.calls)-len(c.want) || results != 2 {
			t.Errorf("%v: got %v, %d left, %d results: %s", c.calls, calls, left, results, c.reason)
		}
		if rest := p.Reclaim(); !slices.Equal(rest, c.calls[len(c.want):]) {
			t.Errorf("%v: %v are left, want the others: %s", c.calls, rest, c.reason)
		}
	}
}

func TestPrefetch(t *testing.T) {
	p := filled(NewRevision(7), 1, 2, 3)
	call := 9
	if !exchange(p, t.Context(), &call, "nine") || call != 1 {
		t.Errorf("exchanged for call %d, want the oldest", call)
	}
	if !pick(p, &call) || call != 2 || p.Len() != 1 {
		t.Errorf("call %d, %d left, want the second call, and one left", call, p.Len())
	}
	if calls, results := p.State(); !slices.Equal(calls, []int{3}) || results != 1 {
		t.Errorf("calls %v and %d results, want call 3 and one result", calls, results)
	}
	if got := p.Results(nil); !slices.Equal(got, []string{"nine"}) {
		t.Errorf("results %q", got)
	}
	if got := p.Reclaim(); !slices.Equal(got, []int{3}) || p.Len() != 0 {
		t.Errorf("reclaimed %v, %d left", got, p.Len())
	}
	if pick(p, &call) || exchange(p, t.Context(), &call, "") || call != 2 {
		t.Errorf("an empty prefetch gave call %d", call)
	}
}

// TestPrefetchEnd: no call leaves the prefetch from its end on. It stays for the driver.
func TestPrefetchEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, call := filled(NewRevision(0), 1, 2, 3), 9
		p.SetEnd(time.Now().Add(time.Second))
		<-time.After(time.Second - 1)
		if !pick(p, &call) || call != 1 {
			t.Errorf("call %d before the end, want the oldest", call)
		}
		<-time.After(1)
		if pick(p, &call) || exchange(p, t.Context(), &call, "") || call != 1 || p.Len() != 2 {
			t.Errorf("call %d left at the end", call)
		}
		p.SetEnd(time.Time{})
		if !exchange(p, t.Context(), &call, "") || call != 2 {
			t.Errorf("call %d without an end, want the second one", call)
		}
	})
}

// TestPrefetchRevoked: no call leaves the prefetch after the engine has raised its
// revision, until the driver has reclaimed the calls.
func TestPrefetchRevoked(t *testing.T) {
	engine := NewRevision(0)
	p := filled(engine, 1, 2)
	if p.Revoked() {
		t.Error("revoked before the engine has raised its revision")
	}
	engine.Raise()
	call := 9
	if exchange(p, t.Context(), &call, "") || pick(p, &call) || call != 9 || !p.Revoked() {
		t.Errorf("call %d left, and its evidence no longer applies", call)
	}
	late := 3
	p.Fill(&late)
	if pick(p, &call) {
		t.Errorf("call %d left before the revoked calls were reclaimed", call)
	}
	if got := p.Reclaim(); !slices.Equal(got, []int{1, 2, 3}) || p.Revoked() {
		t.Errorf("reclaimed %v, want all calls", got)
	}
	if _, results := p.State(); results != 0 {
		t.Errorf("%d results were left without an exchange", results)
	}
	p.Fill(&late)
	if !pick(p, &call) || call != 3 {
		t.Errorf("call %d, want the one of the new revision", call)
	}
}

// TestPrefetchRevokedInExchange: workers exchange calls while the engine raises its
// revision and goes on for long. No exchange begins after that, and no call is lost.
func TestPrefetchRevokedInExchange(t *testing.T) {
	for range 200 {
		engine := NewRevision(0)
		p := filled(engine, 1, 2, 3, 4, 5, 6, 7, 8)
		var workers sync.WaitGroup
		var mu sync.Mutex
		var taken []int
		for range 4 {
			workers.Go(func() {
				for call := 0; exchange(p, t.Context(), &call, ""); {
					mu.Lock()
					taken = append(taken, call)
					mu.Unlock()
				}
			})
		}
		engine.Raise()
		call := 0
		if exchange(p, t.Context(), &call, "") {
			t.Fatalf("call %d left after the revocation", call)
		}
		workers.Wait()
		all := append(taken, p.Reclaim()...)
		if slices.Sort(all); !slices.Equal(all, []int{1, 2, 3, 4, 5, 6, 7, 8}) {
			t.Fatalf("calls %v, want each of 8 once", all)
		}
	}
}

// ending is a context that ends as soon as a goroutine has looked at it without the lock.
type ending struct {
	context.Context
	lock  *sync.Mutex
	ended bool
}

func (c *ending) Err() error {
	if c.ended {
		return context.Canceled
	}
	if c.ended = c.lock.TryLock(); c.ended {
		c.lock.Unlock()
	}
	return nil
}

// TestExchangeAtTheEnd: an exchange looks at the context under its lock. So no call is
// begun, and no result is left, after the driver has taken the last results.
func TestExchangeAtTheEnd(t *testing.T) {
	p := filled(NewRevision(0), 1)
	ctx := &ending{Context: t.Context(), lock: &p.mu}
	call := 9
	if exchange(p, ctx, &call, "") && ctx.ended {
		t.Error("a call was begun after the end")
	}
	ended, stop := context.WithCancel(t.Context())
	stop()
	if p = filled(NewRevision(0), 1); exchange(p, ended, &call, "") {
		t.Error("a call was begun after the end of the context")
	}
}

// TestPrefetchSurplus: workers that are too many get no call by an exchange. So a lower
// limit takes effect while calls wait.
func TestPrefetchSurplus(t *testing.T) {
	p := filled(NewRevision(0), 1, 2)
	for _, n := range []int{-3, 2} {
		p.SetSurplus(n)
	}
	call := 9
	for range 2 {
		if exchange(p, t.Context(), &call, "nine") || call != 9 {
			t.Errorf("a worker too many got call %d", call)
		}
	}
	if left, ok := exchangeOne(p, t.Context(), &call, "nine"); !ok || left != 1 || call != 1 {
		t.Errorf("call %d, and %d are left; want the first, and one", call, left)
	}
	p.SetSurplus(1)
	if p.SetSurplus(-1); !exchange(p, t.Context(), &call, "one") {
		t.Error("the limit rose again, and the worker gets no call")
	}
}
