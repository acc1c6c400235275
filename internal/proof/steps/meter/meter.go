// Package meter counts the work of the steps of an engine. Its counters are in no program
// but one that package steps has built: there each loop of the engine counts its turns, and
// each step begins and ends a count. So a new loop counts, too.
//
// The counts are exact in a program with one goroutine. They are not safe for concurrent
// use, apart from a Mutex.
package meter

import (
	"cmp"
	"fmt"
	"os"
	"path"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// copied is the number of copied elements that count as one unit.
const copied = 16

var (
	counts  [len(sites)]int
	touched []int  // the sites with a count
	depth   int    // of the steps under way
	step    string // under way
	world   string
	label   string
	worst   = map[place]int{}
	// bound is the number of turns above which a count is written at once, 0 for none.
	bound, _ = strconv.Atoi(os.Getenv(Bound))
)

// Bound is the environment variable with the number of turns above which a step is written to
// the standard error output.
const Bound = "OWNERGRAPH_STEP_BOUND"

// place is a loop in one kind of step of a world.
type place struct {
	world, step string
	site        int
}

// Finding is the greatest number of turns of one loop in one step. It is a value.
type Finding struct {
	World, Step, Site string
	Turns             int
}

// Function returns the directory and the function of the loop, such as "internal/core/x T.Do".
func (f Finding) Function() string {
	file, rest, _ := strings.Cut(f.Site, ":")
	_, rest, _ = strings.Cut(rest, " ")
	name, _, _ := strings.Cut(rest, " (")
	return path.Dir(file) + " " + name
}

// String returns the finding as one line.
func (f Finding) String() string {
	return fmt.Sprintf("%d turns of %s in one %s of %s", f.Turns, f.Site, f.Step, f.World)
}

// Sites returns the number of loops that count, 0 in a program without an overlay.
func Sites() int { return len(sites) }

// World names the world of the steps that follow.
func World(name string) { world = name }

// Label names the steps that follow more exactly.
func Label(text string) { label = text }

// At counts one turn of a loop.
func At(site int) { add(site, 1) }

func add(site, n int) {
	if site >= len(counts) || n == 0 {
		return
	}
	if counts[site] == 0 {
		touched = append(touched, site)
	}
	counts[site] += n
}

// Scan counts the elements of a list, map or text, which a function of the standard library
// is about to look at.
func Scan[T any](site int, x T) T {
	add(site, size(x))
	return x
}

// Copy counts the elements of a list, map or text that are copied together.
func Copy[T any](site int, x T) T {
	add(site, size(x)/copied)
	return x
}

func size(x any) int {
	switch v := reflect.ValueOf(x); v.Kind() {
	case reflect.Slice, reflect.Map, reflect.String, reflect.Array:
		return v.Len()
	}
	return 0
}

// Step begins a step of the engine, and returns the function that ends it. The work of a
// step inside of another one counts alone.
func Step(name string) func() {
	outer := step
	flush()
	if depth++; label != "" {
		name += " " + label
	}
	step = name
	return func() {
		flush()
		depth--
		step = outer
	}
}

// flush ends the counts of the step under way.
func flush() {
	for _, i := range touched {
		if depth > 0 {
			note(place{world, step, i}, counts[i])
		}
		counts[i] = 0
	}
	touched = touched[:0]
}

func note(p place, n int) {
	if n <= worst[p] {
		return
	}
	if bound > 0 && n > bound && n > 2*worst[p] {
		fmt.Fprintln(os.Stderr, "steps:", p.finding(n))
	}
	worst[p] = n
}

func (p place) finding(n int) Finding {
	return Finding{World: p.world, Step: p.step, Site: sites[p.site:][0], Turns: n}
}

// Worst returns the loops with more turns than the bound in one step, the greatest first.
func Worst(bound int) (out []Finding) {
	for p, n := range worst {
		if n > bound {
			out = append(out, p.finding(n))
		}
	}
	slices.SortFunc(out, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(b.Turns, a.Turns), cmp.Compare(a.String(), b.String()))
	})
	return out
}

// Mutex is a mutex whose locking is a step.
type Mutex struct {
	mu  sync.Mutex
	end func()
}

// Lock locks m and begins a step.
func (m *Mutex) Lock() {
	m.mu.Lock()
	m.end = Step(holder())
}

// Unlock ends the step and unlocks m.
func (m *Mutex) Unlock() {
	m.end()
	m.mu.Unlock()
}
