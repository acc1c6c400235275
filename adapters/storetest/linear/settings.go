package linear

import (
	"cmp"
	"flag"
	"math/rand/v2"
	"testing"

	_ "pgregory.net/rapid" // its flags
)

// settings set the amount of testing. The zero value works.
type settings struct {
	// histories is the number of histories. 0: the value of -rapid.checks, which is
	// 100 by default, and a fifth of that with -short.
	histories int
	// seed is the seed of the first history's plan. Each further history adds 1.
	// 0: -rapid.seed if given, for every history, or else a random seed.
	seed uint64
}

// resolve fills in the zero fields, and reports whether all histories have one
// seed.
func (c settings) resolve() (_ settings, again bool) {
	if c.histories == 0 {
		c.histories, _ = lookup("rapid.checks").(int)
		if testing.Testing() && testing.Short() {
			c.histories /= 5
		}
		c.histories = max(c.histories, 1)
	}
	if c.seed != 0 {
		return c, false
	}
	given, _ := lookup("rapid.seed").(uint64)
	c.seed = cmp.Or(given, rand.Uint64()>>1)
	f := flag.Lookup("rapid.seed")
	return c, given != 0 && f.Value.String() != f.DefValue // without the flag, the environment only sets the first seed
}

// lookup returns the value of a flag, or nil.
func lookup(name string) any {
	if f := flag.Lookup(name); f != nil {
		if v, ok := f.Value.(flag.Getter); ok {
			return v.Get()
		}
	}
	return nil
}
