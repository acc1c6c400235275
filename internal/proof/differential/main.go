package main

import (
	"flag"
	"fmt"
	"testing"
	"time"
)

func main() {
	histories := flag.Int("histories", 1000, "how many `histories` to run")
	seed := flag.Uint64("seed", 1, "the `seed` that they are drawn from")
	one := flag.String("history", "", "run this `history` instead, in one line as a difference is printed")
	// Bubbles of time belong to tests, so the program is one.
	everything := func(string, string) (bool, error) { return true, nil }
	testing.Main(everything, []testing.InternalTest{{Name: "Differential", F: func(t *testing.T) {
		if *one != "" {
			replay(t, *one)
			return
		}
		begun := time.Now()
		s := take(t, *seed, *histories)
		fmt.Printf("%sseed %d, %.0f s\n", s, *seed, time.Since(begun).Seconds())
		if s.failed() {
			t.Fail()
		}
	}}}, nil, nil)
}

// replay runs one history and prints its outcome.
func replay(t *testing.T, line string) {
	hush()
	h, err := parseHistory(line)
	if err != nil {
		t.Fatal(err)
	}
	out, err := between(t, runOurs, runUpstream)(h)
	if err != nil {
		t.Fatal(err)
	}
	fmt.Println(witness{h, out, "as it is"})
	r, err := examine(t, h)
	if err != nil {
		t.Fatal(err)
	}
	s := &survey{classes: map[string]int{}}
	s.add(r)
	fmt.Print(s)
	if s.failed() {
		t.Fail()
	}
}
