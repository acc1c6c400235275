package linear

import (
	"cmp"
	"flag"
	"math/rand/v2"
	"testing"

	_ "pgregory.net/rapid" // its flags

	"github.com/ownergraph/ownergraph/adapters/storetest"
)

// Config says how much is tried. The zero value works. It is a value and safe
// for concurrent use.
type Config struct {
	// Histories is how many are tried; 0: what -rapid.checks says, 100 if it
	// says nothing, and a fifth of it with -short.
	Histories int
	// Clients is how many call at once; 4 if zero.
	Clients int
	// Calls is how many each of them makes in one history; 12 if zero.
	Calls int
	// Objects is how many places they share; 2 if zero. They are of as many
	// kinds as the store serves.
	Objects int
	// Seed is that of the first history's plan; each further one adds 1.
	// 0: -rapid.seed if given, for every history, else a random one.
	Seed uint64
}

// check refuses numbers that mean nothing, and more than the judge can bear: its
// work may double with every call whose outcome is unknown.
func (c Config) check(t storetest.TB) {
	t.Helper()
	for _, f := range [...]struct {
		field       string
		value, most int
	}{{"Histories", c.Histories, 1 << 30}, {"Clients", c.Clients, 16}, {"Calls", c.Calls, 64}, {"Objects", c.Objects, 64}} {
		if f.value < 0 || f.value > f.most {
			t.Fatalf("linear: Config.%s: %d: want 0 to %d", f.field, f.value, f.most)
		}
	}
}

// resolve fills in what is zero, and says whether one seed serves all histories.
func (c Config) resolve() (_ Config, again bool) {
	c.Clients, c.Calls, c.Objects = cmp.Or(c.Clients, 4), cmp.Or(c.Calls, 12), cmp.Or(c.Objects, 2)
	if c.Histories == 0 {
		c.Histories, _ = lookup("rapid.checks").(int)
		if testing.Testing() && testing.Short() {
			c.Histories /= 5
		}
		c.Histories = max(c.Histories, 1)
	}
	if c.Seed != 0 {
		return c, false
	}
	given, _ := lookup("rapid.seed").(uint64)
	c.Seed = cmp.Or(given, rand.Uint64()>>1)
	f := flag.Lookup("rapid.seed")
	return c, given != 0 && f.Value.String() != f.DefValue // the environment says where to begin
}

// lookup returns what a flag says, nil if there is none.
func lookup(name string) any {
	if f := flag.Lookup(name); f != nil {
		if v, ok := f.Value.(flag.Getter); ok {
			return v.Get()
		}
	}
	return nil
}
