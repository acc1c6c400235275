package queue

import (
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// model is the queue's meaning without its speed: a map, and a sort for each order. It
// keeps every request and derives the rest.
type model[K comparable] struct {
	keys   map[K]*modelKey
	passed map[Priority]int
	clock  int // the number of arrivals in a place
}

type modelKey struct {
	taken    bool
	asked    []modelRequest // since the last take
	attempts int
	arrived  int
}

type modelRequest struct {
	priority Priority
	at       time.Time
}

func newModel[K comparable]() *model[K] {
	return &model[K]{keys: map[K]*modelKey{}, passed: map[Priority]int{}}
}

// merged returns the highest priority and the earliest time of all requests.
func (k *modelKey) merged() (best modelRequest) {
	for i, r := range k.asked {
		if i == 0 || r.priority < best.priority {
			best.priority = r.priority
		}
		if i == 0 || r.at.Before(best.at) {
			best.at = r.at
		}
	}
	return best
}

func (k *modelKey) state() State {
	switch {
	case k.taken:
		return InFlight
	case len(k.asked) == 0:
		return Idle
	case k.merged().at.IsZero():
		return Ready
	}
	return Delayed
}

// change applies f to a key. If the key is then in another place or another order, it
// arrives anew.
func (m *model[K]) change(key K, f func(*modelKey)) {
	k := m.keys[key]
	if k == nil {
		k = &modelKey{}
		m.keys[key] = k
	}
	state, before := k.state(), k.merged()
	f(k)
	after := k.merged()
	m.clock++
	switch now := k.state(); {
	case now != state, now == Ready && after.priority != before.priority, now == Delayed && after.at != before.at:
		k.arrived = m.clock
	}
	if k.state() == Idle && k.attempts == 0 {
		delete(m.keys, key)
	}
	m.resetTurns()
}

// resetTurns forgets the turns of a class without ready keys.
func (m *model[K]) resetTurns() {
	for p := High; p <= Low; p++ {
		if len(m.in(Ready, p)) == 0 {
			m.passed[p] = 0
		}
	}
}

func (m *model[K]) ask(key K, p Priority, at time.Time) {
	m.change(key, func(k *modelKey) { k.asked = append(k.asked, modelRequest{p, at}) })
}

func (m *model[K]) retry(key K, p Priority, at time.Time) {
	m.change(key, func(k *modelKey) {
		k.attempts++
		k.asked = append(k.asked, modelRequest{p, at})
	})
}

// in returns the keys in a state, in order. A priority that is not unset selects among
// them.
func (m *model[K]) in(s State, p Priority) []K {
	keys := slices.DeleteFunc(slices.Collect(maps.Keys(m.keys)), func(key K) bool {
		k := m.keys[key]
		return k.state() != s || p != PriorityUnset && k.merged().priority != p
	})
	slices.SortFunc(keys, func(a, b K) int {
		x, y := m.keys[a], m.keys[b]
		if c := x.merged().at.Compare(y.merged().at); s == Delayed && c != 0 {
			return c
		}
		return x.arrived - y.arrived
	})
	return keys
}

// next is Next, for fewer due keys than a batch.
func (m *model[K]) next(now time.Time) (key K, ok bool) {
	for _, due := range m.in(Delayed, PriorityUnset) {
		if !m.keys[due].merged().at.After(now) {
			m.change(due, func(k *modelKey) { k.asked = []modelRequest{{k.merged().priority, time.Time{}}} })
		}
	}
	pick := PriorityUnset
	for p := High; p <= Low; p++ {
		if len(m.in(Ready, p)) > 0 && (pick == PriorityUnset || m.passed[p] >= 64) {
			pick = p
		}
	}
	if pick == PriorityUnset {
		return key, false
	}
	for p := High; p <= Low; p++ {
		m.passed[p]++
	}
	m.passed[pick] = 0
	key = m.in(Ready, pick)[0]
	m.change(key, func(k *modelKey) { k.taken, k.asked = true, nil })
	return key, true
}

func (m *model[K]) done(key K) {
	if k := m.keys[key]; k != nil && k.taken {
		m.change(key, func(k *modelKey) { k.taken = false })
	}
}

func (m *model[K]) forget(key K) { m.change(key, func(k *modelKey) { k.attempts = 0 }) }

func (m *model[K]) drop(key K) {
	m.change(key, func(k *modelKey) { k.asked, k.attempts = nil, 0 })
}

// clone copies the model, to play it forward.
func (m *model[K]) clone() *model[K] {
	c := &model[K]{keys: map[K]*modelKey{}, passed: maps.Clone(m.passed), clock: m.clock}
	for key, k := range m.keys {
		copied := *k
		c.keys[key] = &copied
	}
	return c
}

func (m *model[K]) entries() (list []Entry[K]) {
	add := func(key K) {
		k := m.keys[key]
		list = append(list, Entry[K]{key, k.state(), k.merged().priority, k.merged().at, k.attempts})
	}
	ahead := m.clone()
	for key, ok := ahead.next(time.Time{}); ok; key, ok = ahead.next(time.Time{}) {
		add(key)
	}
	for _, s := range []State{Delayed, InFlight, Idle} {
		for _, key := range m.in(s, PriorityUnset) {
			add(key)
		}
	}
	return list
}

// machine drives a queue and a model side by side.
type machine[K comparable] struct {
	key    *rapid.Generator[K]
	q      *Queue[K]
	m      *model[K]
	now    time.Time
	frozen *Queue[K] // the unchanged side of the last Clone
	was    []Entry[K]
}

func newMachine[K comparable](key *rapid.Generator[K], cfg Config[K]) *machine[K] {
	return &machine[K]{key: key, q: New(cfg), m: newModel[K](), now: epoch, frozen: New(cfg)}
}

func priority() *rapid.Generator[Priority] {
	return rapid.SampledFrom([]Priority{High, Normal, Low, Low})
}

// moment is a time near now. It often equals another one, and sometimes it is past.
func (c *machine[K]) moment(t *rapid.T) time.Time {
	return c.now.Add(time.Duration(rapid.IntRange(-2, 8).Draw(t, "ms")) * time.Millisecond)
}

func (c *machine[K]) actions() map[string]func(*rapid.T) {
	return map[string]func(*rapid.T){
		"":        c.check,
		"add":     func(t *rapid.T) { c.add(c.key.Draw(t, "key"), priority().Draw(t, "priority")) },
		"addAt":   c.addAt,
		"retry":   c.retry,
		"forget":  func(t *rapid.T) { k := c.key.Draw(t, "key"); c.q.Forget(k); c.m.forget(k) },
		"drop":    func(t *rapid.T) { k := c.key.Draw(t, "key"); c.q.Drop(k); c.m.drop(k) },
		"next":    func(t *rapid.T) { c.next(t) },
		"done":    func(t *rapid.T) { c.done(c.key.Draw(t, "key")) },
		"cycle":   c.cycle,
		"flood":   c.flood,
		"advance": func(t *rapid.T) { c.now = c.moment(t) },
		"clone":   func(t *rapid.T) { c.clone(rapid.Bool().Draw(t, "go on with the copy")) },
	}
}

func (c *machine[K]) add(k K, p Priority) {
	c.q.Add(k, p)
	c.m.ask(k, p, time.Time{})
}

func (c *machine[K]) addAt(t *rapid.T) {
	k, p, at := c.key.Draw(t, "key"), priority().Draw(t, "priority"), c.moment(t)
	c.q.AddAt(k, p, at)
	c.m.ask(k, p, at)
}

// retry takes the time from the queue, and checks its bounds.
func (c *machine[K]) retry(t *rapid.T) {
	k, p := c.key.Draw(t, "key"), priority().Draw(t, "priority")
	at := c.q.Retry(k, p, c.now)
	c.m.retry(k, p, at)
	d, limit := at.Sub(c.now), doubled(c.q.cfg.BaseDelay, c.q.cfg.MaxDelay, c.q.Attempts(k))
	if d < limit/2 || d >= limit {
		t.Fatalf("attempt %d: delay %v, want [%v, %v)", c.q.Attempts(k), d, limit/2, limit)
	}
}

// doubled is the delay before jitter, by one doubling after another.
func doubled(d, limit time.Duration, attempt int) time.Duration {
	for n := 1; n < attempt && d < limit; n++ {
		d *= 2
	}
	return min(d, limit)
}

func (c *machine[K]) next(t *rapid.T) (K, bool) {
	got, ok := c.q.Next(c.now)
	want, wantOK := c.m.next(c.now)
	if got != want || ok != wantOK {
		t.Fatalf("Next = %v, %v; want %v, %v", got, ok, want, wantOK)
	}
	return got, ok
}

func (c *machine[K]) done(k K) {
	c.q.Done(k)
	c.m.done(k)
}

func (c *machine[K]) cycle(t *rapid.T) {
	if k, ok := c.next(t); ok {
		c.done(k)
	}
}

// flood takes keys of one priority until another priority must have its turn.
func (c *machine[K]) flood(t *rapid.T) {
	k, p := c.key.Draw(t, "key"), priority().Draw(t, "priority")
	for range rapid.IntRange(1, 70).Draw(t, "times") {
		c.add(k, p)
		c.cycle(t)
	}
}

// clone continues with one side. The other side must no longer change.
func (c *machine[K]) clone(withCopy bool) {
	c.frozen = c.q.Clone()
	if withCopy {
		c.q, c.frozen = c.frozen, c.q
	}
	c.was = slices.Collect(c.frozen.Entries())
}

func (c *machine[K]) check(t *rapid.T) {
	for _, q := range []*Queue[K]{c.q, c.frozen} {
		if err := q.Check(); err != nil {
			t.Fatal(err)
		}
	}
	if now := slices.Collect(c.frozen.Entries()); !slices.Equal(now, c.was) {
		t.Fatalf("a clone changed:\n %v, was\n %v", now, c.was)
	}
	got, want := slices.Collect(c.q.Entries()), c.m.entries()
	if !slices.Equal(got, want) {
		t.Fatalf("entries:\n%v, want\n%v", got, want)
	}
	c.checkCounts(t, want)
}

func (c *machine[K]) checkCounts(t *rapid.T, entries []Entry[K]) {
	n := map[State]int{}
	var due time.Time
	for _, e := range entries {
		if n[e.State]++; e.State == Delayed && n[Delayed] == 1 {
			due = e.At
		}
		if got := c.q.Attempts(e.Key); got != e.Attempts {
			t.Fatalf("Attempts(%v) = %d, want %d", e.Key, got, e.Attempts)
		}
	}
	got := fmt.Sprint(c.q.Ready(), c.q.Delayed(), c.q.InFlight(), c.q.Idle(), c.q.Len())
	want := fmt.Sprint(n[Ready], n[Delayed], n[InFlight], n[Idle], n[Ready]+n[Delayed]+n[InFlight])
	if got != want {
		t.Fatalf("ready, delayed, in flight, idle, len = %s, want %s", got, want)
	}
	if at, ok := c.q.Due(); at != due || ok != (n[Delayed] > 0) {
		t.Fatalf("Due = %v, %v; want %v", at, ok, due)
	}
	for p := High; p <= Low; p++ {
		if c.q.PassedOver(p) != c.m.passed[p] {
			t.Fatalf("PassedOver(%v) = %d, want %d", p, c.q.PassedOver(p), c.m.passed[p])
		}
	}
}

func few() *rapid.Generator[string] { return rapid.SampledFrom([]string{"a", "b", "c", "d", "e", "f"}) }

// TestModel runs random calls on a queue and on its model. The number of strings stays
// below the size of an index, and that of numbers exceeds it.
func TestModel(t *testing.T) {
	t.Run("few strings", func(t *testing.T) {
		rapid.Check(t, func(t *rapid.T) {
			t.Repeat(newMachine(few(), Config[string]{MaxDelay: 40 * time.Millisecond}).actions())
		})
	})
	t.Run("many numbers", func(t *testing.T) {
		rapid.Check(t, func(t *rapid.T) {
			cfg := Config[uint32]{Hash: hash32}
			if rapid.Bool().Draw(t, "numbered") {
				cfg.Number = spread
			}
			c := newMachine(rapid.Uint32Range(0, 30), cfg)
			for k := range rapid.Uint32Range(0, 30).Draw(t, "at first") {
				c.add(k, Low)
			}
			t.Repeat(c.actions())
		})
	})
}
