package queue

import (
	"slices"
	"strings"
	"testing"
	"time"
)

// drain takes every key that is ready or due, and returns them in order.
func drain[K comparable](q *Queue[K], now time.Time) (keys []K) {
	for k, ok := q.Next(now); ok; k, ok = q.Next(now) {
		q.Done(k)
		keys = append(keys, k)
	}
	return keys
}

func TestMerge(t *testing.T) {
	ms := func(n int) time.Time { return epoch.Add(time.Duration(n) * time.Millisecond) }
	type Q = *Queue[string]
	for _, c := range []struct {
		reason string
		do     func(q Q)
		now    int    // milliseconds
		want   string // the keys that have come by then, in order
	}{
		{"one key is handed out once, however often it is added", func(q Q) { q.Add("a", Low); q.Add("a", Low) }, 0, "a"},
		{"within a priority the first comes first", func(q Q) { q.Add("a", Low); q.Add("b", Low); q.Add("a", Low) }, 0, "a b"},
		{"the higher priority goes first", func(q Q) { q.Add("a", Low); q.Add("b", Normal); q.Add("c", High) }, 0, "c b a"},
		{"an unset priority is Normal", func(q Q) { q.Add("a", Low); q.Add("b", PriorityUnset); q.Add("c", Normal) }, 0, "b c a"},
		{"an unknown priority is Low", func(q Q) { q.Add("a", 200); q.Add("b", Normal); q.Add("c", Low) }, 0, "b a c"},
		{"a raised key goes behind those of its new priority", func(q Q) { q.Add("a", Low); q.Add("b", High); q.Add("a", High) }, 0, "b a"},
		{"adding lower does not lower", func(q Q) { q.Add("a", High); q.Add("b", Normal); q.Add("a", Low) }, 0, "a b"},
		{"a delayed key does not come early", func(q Q) { q.AddAt("a", High, ms(2)); q.Add("b", Low) }, 1, "b"},
		{"a delayed key comes at its time", func(q Q) { q.AddAt("a", High, ms(2)); q.Add("b", Low) }, 2, "a b"},
		{"due keys of one priority come by time", func(q Q) { q.AddAt("a", Low, ms(2)); q.AddAt("b", Low, ms(1)) }, 2, "b a"},
		{"at equal times the first asked comes first", func(q Q) { q.AddAt("a", Low, ms(1)); q.AddAt("b", Low, ms(1)); q.AddAt("c", Low, ms(1)) }, 1, "a b c"},
		{"of two times the earlier wins, asked last", func(q Q) { q.AddAt("a", Low, ms(9)); q.AddAt("a", Low, ms(1)) }, 1, "a"},
		{"of two times the earlier wins, asked first", func(q Q) { q.AddAt("a", Low, ms(1)); q.AddAt("a", Low, ms(9)) }, 1, "a"},
		{"a delayed key is raised where it waits", func(q Q) { q.AddAt("a", Low, ms(1)); q.AddAt("b", Normal, ms(1)); q.AddAt("a", High, ms(9)) }, 1, "a b"},
		{"Add ends a delay", func(q Q) { q.AddAt("a", Low, ms(9)); q.Add("a", Low) }, 0, "a"},
		{"Add ends a delay for good", func(q Q) { q.AddAt("a", Low, ms(9)); q.Add("a", Low); drain(q, ms(0)) }, 9, ""},
		{"Add keeps the priority of the delay", func(q Q) { q.Add("b", Normal); q.AddAt("a", High, ms(9)); q.Add("a", Low) }, 0, "a b"},
		{"a ready key stays ready", func(q Q) { q.Add("a", Low); q.AddAt("a", Low, ms(9)) }, 0, "a"},
		{"a ready key is raised by a later time too", func(q Q) { q.Add("b", Low); q.Add("a", Low); q.AddAt("a", High, ms(9)) }, 0, "a b"},
		{"the zero time is at once", func(q Q) { q.AddAt("a", Low, time.Time{}) }, 0, "a"},
		{"a key in flight is not handed out again", func(q Q) { q.Add("a", Low); q.Next(ms(0)); q.Add("a", High) }, 0, ""},
		{"a key that was added in flight comes at Done", func(q Q) { q.Add("a", Low); q.Next(ms(0)); q.Add("a", Low); q.Done("a") }, 0, "a"},
		{"a key that was not added in flight does not", func(q Q) { q.Add("a", Low); q.Next(ms(0)); q.Done("a") }, 9, ""},
		{"a delay asked in flight applies after Done", func(q Q) { q.Add("a", Low); q.Next(ms(0)); q.AddAt("a", Low, ms(5)); q.Done("a") }, 4, ""},
		{"a delay asked in flight ends after Done", func(q Q) { q.Add("a", Low); q.Next(ms(0)); q.AddAt("a", Low, ms(5)); q.Done("a") }, 5, "a"},
		{"in flight the earlier wins", func(q Q) { q.Add("a", Low); q.Next(ms(0)); q.AddAt("a", Low, ms(5)); q.Add("a", Low); q.Done("a") }, 0, "a"},
		{"in flight at once stays at once", func(q Q) { q.Add("a", Low); q.Next(ms(0)); q.Add("a", Low); q.AddAt("a", Low, ms(5)); q.Done("a") }, 0, "a"},
		{"a taken key starts with a new priority", func(q Q) { q.Add("a", High); q.Next(ms(0)); q.Add("a", Low); q.Done("a"); q.Add("b", Normal) }, 0, "b a"},
		{"a dropped ready key does not come", func(q Q) { q.Add("a", Low); q.Drop("a") }, 9, ""},
		{"a dropped delayed key does not come", func(q Q) { q.AddAt("a", Low, ms(1)); q.Drop("a") }, 9, ""},
		{"a key dropped in flight does not come at Done", func(q Q) { q.Add("a", Low); q.Next(ms(0)); q.Add("a", Low); q.Drop("a"); q.Done("a") }, 9, ""},
		{"a key dropped in flight is still in flight", func(q Q) { q.Add("a", Low); q.Next(ms(0)); q.Drop("a"); q.Add("a", Low) }, 9, ""},
		{"a request after the Drop counts", func(q Q) { q.Add("a", Low); q.Next(ms(0)); q.Drop("a"); q.Add("a", Low); q.Done("a") }, 0, "a"},
		{"Done of a ready key does nothing", func(q Q) { q.Add("a", Low); q.Done("a") }, 0, "a"},
		{"unknown keys may be done, dropped and forgotten", func(q Q) { q.Done("x"); q.Drop("x"); q.Forget("x") }, 9, ""},
		{"Forget leaves a delay alone", func(q Q) { q.Retry("a", Low, ms(0)); q.Forget("a") }, 9, "a"},
	} {
		t.Run(c.reason, func(t *testing.T) {
			q := New(Config[string]{})
			c.do(q)
			if err := q.Check(); err != nil {
				t.Fatal(err)
			}
			if got := strings.Join(drain(q, ms(c.now)), " "); got != c.want {
				t.Errorf("by %d ms come %q, want %q", c.now, got, c.want)
			}
		})
	}
}

// TestTimesBeforeTheZeroTime: the zero time means "at once" even if it is not the
// earliest time.
func TestTimesBeforeTheZeroTime(t *testing.T) {
	ancient := time.Time{}.Add(-time.Hour)
	q := New(Config[string]{})
	q.AddAt("a", Low, ancient)
	q.Add("a", Low)
	if q.Ready() != 1 {
		t.Errorf("Add did not end a delay, %d keys are delayed", q.Delayed())
	}
	q.AddAt("a", Low, ancient)
	if q.Ready() != 1 {
		t.Errorf("a ready key did not stay ready, %d keys are delayed", q.Delayed())
	}
}

func TestDueInBatches(t *testing.T) {
	const batch, n = 256, 3*256 + 1
	q := New(Config[int]{})
	var want []int
	for k := range n {
		q.AddAt(k, Normal, epoch.Add(time.Duration(k)))
		want = append(want, k)
	}
	late := epoch.Add(time.Hour)
	k, ok := q.Next(late)
	if k != 0 || !ok || q.Ready() != batch-1 || q.Delayed() != n-batch {
		t.Fatalf("the first Next = %v, %v with %d ready and %d delayed; want one batch of %d made ready",
			k, ok, q.Ready(), q.Delayed(), batch)
	}
	q.Done(k)
	if got := append([]int{k}, drain(q, late)...); !slices.Equal(got, want) {
		t.Errorf("due keys came as %v, want all %d by time", got, n)
	}
}
