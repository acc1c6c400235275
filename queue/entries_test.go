package queue

import (
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// rebuild makes a queue with these entries, by the shortest history.
func rebuild[K comparable](cfg Config[K], entries []Entry[K], passed turns) *Queue[K] {
	q := New(cfg)
	far := epoch.Add(1000 * time.Hour)
	for _, e := range entries {
		q.Add(e.Key, Normal)
		for range e.Attempts {
			q.Retry(e.Key, Normal, epoch)
		}
		q.Next(far)
	}
	for _, e := range entries {
		if e.Priority != PriorityUnset {
			q.AddAt(e.Key, e.Priority, e.At)
		}
		if e.State != InFlight {
			q.Done(e.Key)
		}
	}
	q.passed = passed
	return q
}

// TestEntriesAreTheState: Entries and PassedOver are the whole state. A queue that is
// rebuilt from them behaves like the first one. A fingerprint of them is therefore exact.
func TestEntriesAreTheState(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := newMachine(few(), Config[string]{})
		t.Repeat(c.actions())
		c.q = rebuild(c.q.cfg, slices.Collect(c.q.Entries()), c.q.passed)
		t.Repeat(c.actions())
	})
}

func TestEntriesStopEarly(t *testing.T) {
	q := New(Config[string]{})
	q.Add("in flight", Normal)
	q.Retry("idle", Normal, epoch)
	q.Next(epoch)
	q.Next(epoch.Add(time.Second))
	q.Done("idle")
	q.AddAt("delayed", Normal, epoch.Add(time.Hour))
	q.Add("ready", Normal)
	all := slices.Collect(q.Entries())
	if len(all) != 4 {
		t.Fatalf("entries %v, want one in each state", all)
	}
	for n := 1; n <= len(all); n++ {
		var got []Entry[string]
		for e := range q.Entries() {
			if got = append(got, e); len(got) == n {
				break
			}
		}
		if !slices.Equal(got, all[:n]) {
			t.Errorf("the first %d entries are %v, want %v", n, got, all[:n])
		}
	}
}

func TestCloneOfEmpty(t *testing.T) {
	q := New(Config[uint32]{})
	for k := range uint32(500) {
		q.AddAt(k, Low, epoch)
	}
	for k := range uint32(500) {
		q.Drop(k)
	}
	kept := make([]*Queue[uint32], 0, 200)
	if n := testing.AllocsPerRun(100, func() { kept = append(kept, q.Clone()) }); n != 1 {
		t.Errorf("cloning an empty queue allocates %v times, want once", n)
	}
	if c := kept[0]; c.slots.Cap()+cap(c.heap)+len(c.index.cells) != 0 {
		t.Errorf("the clone of an empty queue has room for %d slots, %d delays, %d cells", c.slots.Cap(), cap(c.heap), len(c.index.cells))
	}
}

func TestCloneAllocates(t *testing.T) {
	for _, c := range []struct {
		keys uint32
		most float64
	}{{0, 1}, {8, 3}, {256, 4}, {1024, 8}} {
		q := New(Config[uint32]{})
		for k := range c.keys {
			q.AddAt(k, Low, epoch.Add(time.Duration(k%2)))
			q.Next(epoch)
		}
		var kept *Queue[uint32]
		if n := testing.AllocsPerRun(10, func() { kept = q.Clone() }); n > c.most || !slices.Equal(slices.Collect(kept.Entries()), slices.Collect(q.Entries())) {
			t.Errorf("cloning a queue of %d keys allocates %v times, want %v at most", c.keys, n, c.most)
		}
	}
}

func TestNames(t *testing.T) {
	for _, c := range []struct{ reason, got, want string }{
		{"the zero priority is unset", PriorityUnset.String(), "unset"},
		{"a priority has its constant's name", Low.String(), "low"},
		{"an unknown priority shows its number", Priority(9).String(), "priority(9)"},
		{"the zero state is unset", StateUnset.String(), "unset"},
		{"a state has its constant's name", InFlight.String(), "in-flight"},
		{"an unknown state shows its number", State(9).String(), "state(9)"},
	} {
		if c.got != c.want {
			t.Errorf("%s: %q, want %q", c.reason, c.got, c.want)
		}
	}
}
