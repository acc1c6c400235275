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

// A flag searches longer without a change of the code.
var _ = flag.Duration(searchFlag, 2*time.Second, "the time for which each searching law of package storetest runs")

// search returns the time for which a law searches.
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

// minRound is the least time that a round counts. A round of a fast store, or in
// stopped time, must not make the search endless.
const minRound = 2 * time.Millisecond

// search runs rounds until the law's time is over.
func (t *trial) search(round func(i int)) {
	t.Helper()
	begun := time.Now()
	for i := 0; i == 0 || time.Since(begun) < t.searchTime && time.Duration(i)*minRound < t.searchTime; i++ {
		round(i)
	}
}

// randomPart returns a random time up to twice the duration. It adds a little, for
// a duration of zero.
func randomPart(d time.Duration) time.Duration {
	return time.Duration(rand.Int64N(int64(2*d + 100*time.Microsecond)))
}

// writerGroup writes to several objects at once. Each writer has objects of its
// own.
type writerGroup struct {
	t       *trial
	clients []Client
	mu      sync.Mutex
	journal *journal
	objects [][]ownergraph.Object // of each writer
}

const objectsEach = 4

// newWriterGroup makes the writers' objects. The writers use the clients in turn.
func (t *trial) newWriterGroup(clients ...Client) *writerGroup {
	t.Helper()
	c := &writerGroup{t: t, clients: clients, journal: &journal{}, objects: make([][]ownergraph.Object, writers)}
	for i := range writers {
		for n := range objectsEach {
			c.objects[i] = append(c.objects[i], t.made(fmt.Sprintf("w%d-%d", i, n)))
		}
	}
	return c
}

// all returns the objects of all writers, sorted by key.
func (g *writerGroup) all() []ownergraph.Object {
	return slices.SortedFunc(slices.Values(slices.Concat(g.objects...)), func(a, b ownergraph.Object) int { return a.Key.Compare(b.Key) })
}

// record puts a write into the journal of the round, and returns its number.
func (g *writerGroup) record(o ownergraph.Object) int {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.journal.put(o)
	return g.journal.last()
}

// beginRound clears the journal for a round.
func (g *writerGroup) beginRound() { g.journal = &journal{} }
