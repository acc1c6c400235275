package portion

import (
	"flag"
	"fmt"
	"slices"
	"testing"
)

// TestOf checks which cases a test runs, with and without -whole.
func TestOf(t *testing.T) {
	for _, c := range []struct {
		whole  string
		n      int
		want   []int
		reason string
	}{
		{"false", 1, []int{0, 1, 2, 3, 4}, "one in one is all"},
		{"false", 0, []int{0, 1, 2, 3, 4}, "no share is named"},
		{"false", 2, []int{0, 2, 4}, "the last case is in the share"},
		{"false", 9, []int{0}, "a share has a case"},
		{"true", 2, []int{0, 1, 2, 3, 4}, "the flag asks for all"},
	} {
		before := flag.Lookup("whole").Value.String()
		if err := flag.Set("whole", c.whole); err != nil {
			t.Fatal(err)
		}
		got, number := Of(c.n, []int{0, 1, 2, 3, 4}), Number(1, 2)
		if fmt.Sprint(Whole()) != c.whole {
			t.Errorf("-whole=%s: Whole is %t", c.whole, Whole())
		}
		if err := flag.Set("whole", before); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("one in %d, -whole=%s: %v, want %v: %s", c.n, c.whole, got, c.want, c.reason)
		}
		if want := map[string]int{"false": 1, "true": 2}[c.whole]; number != want {
			t.Errorf("-whole=%s: %d cases, want %d: %s", c.whole, number, want, c.reason)
		}
	}
}
