package properties

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/engine"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/guard"
	"github.com/ownergraph/ownergraph/internal/probe"
	"github.com/ownergraph/ownergraph/internal/proof/oracle"
	"github.com/ownergraph/ownergraph/internal/proof/world"
)

var (
	orderSeed   = flag.Uint64("order.seed", 0, "the seed of TestOrderedWorlds; 0 draws one")
	orderWorlds = flag.Int("order.worlds", 300, "the worlds of TestOrderedWorlds")
)

// orderedWorld is a cascade in phases with one or two engines. Objects of the kinds p1 and p2
// are in the first and the second phase, and those of the kind p3 in the rest.
type orderedWorld struct {
	*rand.Rand
	*testing.T
	w       *world.World
	owners  map[graph.Key][]graph.Key
	created int  // objects that clients may still create
	judged  bool // no object is created late, so the order is exact
	crashes int
}

func orderedGuard() guard.Guard {
	phase := func(k graph.Kind) guard.Phase { return guard.Phase{Kinds: []graph.Kind{k}} }
	return guard.Guard{Kinds: []graph.Kind{"r"}, Phases: []guard.Phase{phase("p1"), phase("p2")}}
}

// draw draws a reference to the root or to some of the n objects.
func (o *orderedWorld) draw(i, n int) string {
	text := fmt.Sprintf("p%d/%d", 1+o.IntN(3), i)
	if o.IntN(3) == 0 {
		text += "[x.io/slow]"
	}
	var refs []string
	for at := 0; at < n; at++ {
		if len(refs) == 0 && at == n-1 || o.IntN(n) == 0 {
			refs = append(refs, fmt.Sprintf("@%d", at)+[]string{"!", ""}[o.IntN(2)])
		}
	}
	return text + " -> " + strings.Join(refs, ", ")
}

func newOrderedWorld(t *testing.T, seed uint64) *orderedWorld {
	o := &orderedWorld{Rand: rand.New(rand.NewPCG(seed, 1)), T: t, owners: map[graph.Key][]graph.Key{}}
	if o.judged = o.IntN(3) > 0; !o.judged {
		o.created = 3
	}
	o.crashes = o.IntN(3)
	texts, keys := []string{"r/R"}, []string{"r/R"}
	for i := 1; i <= 2+o.IntN(6); i++ {
		text := o.draw(i, i)
		for at := i - 1; at >= 0; at-- {
			text = strings.ReplaceAll(text, fmt.Sprintf("@%d", at), keys[at])
		}
		key, _, _ := strings.Cut(text, " ")
		key, _, _ = strings.Cut(key, "[")
		texts, keys = append(texts, text), append(keys, key)
	}
	objects := parsed(t, strings.Join(texts, "; "))
	for _, x := range objects {
		for _, r := range x.Owners {
			o.owners[x.Key] = append(o.owners[x.Key], r.Key)
		}
	}
	kinds := []graph.KindInfo{{Kind: "r"}, {Kind: "p1"}, {Kind: "p2"}, {Kind: "p3"}}
	w, err := world.New(ownergraph.Level2, ownergraph.Config{Guards: []guard.Guard{orderedGuard()}}, 1+o.IntN(2), kinds, objects)
	if err != nil {
		t.Fatal(err)
	}
	o.w = w
	w.OnWrite = o.judge
	return o
}

// phase derives the phase of a delete: the earliest own phase of the object, of the objects
// below it, and of all owners of these.
func (o *orderedWorld) phase(k graph.Key) int {
	phase, seen := 9, map[graph.Key]bool{}
	var up, down func(k graph.Key)
	up = func(k graph.Key) {
		if k.Kind != "r" {
			phase = min(phase, int(k.Kind[1]-'0'))
			for _, owner := range o.owners[k] {
				up(owner)
			}
		}
	}
	down = func(k graph.Key) {
		if seen[k] {
			return
		}
		seen[k] = true
		up(k)
		for d, owners := range o.owners {
			for _, owner := range owners {
				if owner == k {
					down(d)
				}
			}
		}
	}
	down(k)
	return phase
}

// judge fails if an object of an earlier phase is left when an engine deletes one.
func (o *orderedWorld) judge(before *world.Store, c engine.Call) {
	if c.Type != engine.CallDelete || !o.judged {
		return
	}
	phase := o.phase(c.Key)
	for _, x := range before.Objects() {
		if x.Kind != "r" && int(x.Kind[1]-'0') < phase {
			o.Errorf("%s, in phase %d, is deleted, and %s is left", c.Key, phase, x.Key)
		}
	}
}

// move makes one random step. It returns false if nothing happened.
func (o *orderedWorld) move() bool {
	w, side := o.w, o.IntN(len(o.w.Sides))
	s := w.Sides[side]
	lanes := []engine.Lane{engine.LaneStore, engine.LaneControl}
	k := o.IntN(len(s.Streams))
	check := func(err error) bool {
		if err == nil {
			err = w.Err()
		}
		if err != nil {
			o.Fatal(err)
		}
		return true
	}
	switch o.IntN(12) {
	case 0, 1, 2:
		if !s.Streams[k].Begun {
			w.List(side, k)
			return true
		}
		return len(s.Streams[k].Events) > 0 && check(w.Deliver(side, k))
	case 3, 4, 5:
		_, ok, err := w.Issue(side, lanes[o.IntN(2)])
		return check(err) && ok
	case 6, 7, 8:
		return len(s.Calls) > 0 && check(w.Complete(side, o.IntN(len(s.Calls))))
	case 9:
		return len(s.Asked) > 0 && check(w.Name(side, 0, world.NoFault))
	case 10:
		return o.client()
	default:
		if o.crashes == 0 || o.IntN(20) > 0 {
			return false
		}
		o.crashes--
		return check(w.Crash(side))
	}
}

// client makes a random step of a client.
func (o *orderedWorld) client() bool {
	objects := o.w.Store.Objects()
	if len(objects) == 0 {
		return false
	}
	x := objects[o.IntN(len(objects))]
	if o.created == 0 || o.IntN(2) == 0 {
		return x.Deleting && x.HasFinalizer("x.io/slow") && o.do("finish "+x.Key.String())
	}
	o.created--
	return o.do(fmt.Sprintf("create p%d/late%d -> %s%s", 1+o.IntN(3), o.created, x.Key, []string{"!", ""}[o.IntN(2)]))
}

func (o *orderedWorld) do(action string) bool {
	a, err := oracle.ParseAction(action)
	if err != nil {
		o.Fatal(err)
	}
	return o.w.Do(a)
}

// moves returns true if one of 400 random steps does something.
func (o *orderedWorld) moves() bool {
	for range 400 {
		if o.move() {
			return true
		}
	}
	return false
}

// users makes the steps that only users make, and returns true if there is one.
func (o *orderedWorld) users() (moved bool) {
	for _, x := range o.w.Store.Objects() {
		switch {
		case x.Deleting && x.HasFinalizer("x.io/slow"):
			moved = o.do("finish "+x.Key.String()) || moved
		case x.MarkWithheld() && !x.HasFinalizer(graph.FinalizerNew): // marked before it had new
			moved = o.do("approve "+x.Key.String()) || moved
		}
	}
	return moved
}

// run deletes the root, and runs to an empty store. A world without random steps runs to
// rest before users make theirs, so a rest of bad luck is not taken for one that lasts.
func (o *orderedWorld) run() {
	for range o.IntN(40) {
		o.move()
	}
	o.do("fg r/R")
	for len(o.w.Store.Objects()) > 0 {
		if o.moves() {
			continue
		}
		if err := o.w.RunToRest(); err != nil {
			o.Fatal(err)
		}
		if len(o.w.Store.Objects()) > 0 && !o.users() {
			break
		}
	}
	for _, s := range o.w.Sides {
		if err := probe.Check(s.Engine); err != nil {
			o.Error(err)
		}
	}
	if left := o.w.Store.Objects(); len(left) > 0 {
		o.Errorf("it waits for ever: %s: %+v", graph.Format(left), o.w.Sides[0].Engine.Orders(9))
	}
}

// TestOrderedWorlds: in random cascades in phases, with a late watch, slow calls, crashes and two
// engines, every object goes, and each only after the objects of earlier phases.
func TestOrderedWorlds(t *testing.T) {
	seed := *orderSeed
	if seed == 0 {
		seed = uint64(time.Now().UnixNano())
		if fixed, err := strconv.ParseUint(os.Getenv("RAPID_SEED"), 10, 64); err == nil && fixed > 0 {
			seed = fixed // CI runs the same worlds each time
		}
	}
	for i := range *orderWorlds {
		if newOrderedWorld(t, seed+uint64(i)).run(); t.Failed() {
			t.Fatalf("-order.seed=%d -order.worlds=1", seed+uint64(i))
		}
	}
}
