package storetest

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"github.com/ownergraph/ownergraph"
)

const searchFlag = "storetest.search"

// A store's author searches longer without a change of the code.
var _ = flag.Duration(searchFlag, 2*time.Second, "how long each law of package storetest that needs luck searches")

// search returns how long a law searches.
func (c Config) search() time.Duration {
	if c.Search > 0 {
		return c.Search
	}
	if f := flag.Lookup(searchFlag); f != nil {
		if d, ok := f.Value.(flag.Getter).Get().(time.Duration); ok && d > 0 {
			return d
		}
	}
	return 2 * time.Second
}

// leastRound is what a round of a search counts at least: a store that takes no
// time, or time that stands still, must not make the search endless.
const leastRound = 2 * time.Millisecond

// search runs rounds until the law's time is over.
func (t *trial) search(round func(i int)) {
	t.Helper()
	begun := time.Now()
	for i := 0; i == 0 || time.Since(begun) < t.budget && time.Duration(i)*leastRound < t.budget; i++ {
		round(i)
	}
}

// moment returns a random part of twice the duration, and at least of a little.
func moment(d time.Duration) time.Duration {
	return time.Duration(rand.Int64N(int64(2*d + 100*time.Microsecond)))
}

// crowd writes at several objects at once. Each writer has objects of its own.
type crowd struct {
	t       *trial
	clients []Client
	mu      sync.Mutex
	journal *journal
	objects [][]ownergraph.Object // of each writer
}

const eachWriter = 4

// crowd makes the writers' objects. They use the clients in turn.
func (t *trial) crowd(clients ...Client) *crowd {
	t.Helper()
	c := &crowd{t: t, clients: clients, journal: &journal{}, objects: make([][]ownergraph.Object, writers)}
	for i := range writers {
		for n := range eachWriter {
			c.objects[i] = append(c.objects[i], t.made(fmt.Sprintf("w%d-%d", i, n)))
		}
	}
	return c
}

// all returns what the writers have left.
func (c *crowd) all() []ownergraph.Object {
	return slices.SortedFunc(slices.Values(slices.Concat(c.objects...)), func(a, b ownergraph.Object) int { return a.Key.Compare(b.Key) })
}

// note puts a write into the journal of the round, and returns its number.
func (c *crowd) note(o ownergraph.Object) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.journal.put(o)
	return c.journal.now()
}

// begin clears the journal for a round.
func (c *crowd) begin() { c.journal = &journal{} }
