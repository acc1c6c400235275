package share

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"testing"
)

var (
	objects = flag.Int("share.objects", 200_000, "objects of TestDivideObjects")
	seed    = flag.Uint64("share.seed", 0, "seed of TestDivideObjects, 0 for a random one")
)

// perSlot returns the number of objects in each slot, for objects with random UUIDs.
func perSlot(n int, r *rand.Rand) (counts [Slots]int) {
	uid := []byte("00000000-0000-4000-8000-000000000000")
	const digits = "0123456789abcdef"
	for range n {
		a, b := r.Uint64(), r.Uint64()
		for i := range 16 {
			if i != 14 && uid[i] != '-' { // the version of the UUID stays
				uid[i] = digits[a&15]
			}
			if at := i + 20; uid[at] != '-' {
				uid[at] = digits[b&15]
			}
			a, b = a>>4, b>>4
		}
		counts[hash(uid)>>(64-slotBits)]++
	}
	return counts
}

// TestDivideObjects: 64 members divide objects with UUIDs as evenly as the slots, so that the objects
// that move are in proportion to the slots that do.
func TestDivideObjects(t *testing.T) {
	s := *seed
	if s == 0 {
		s = rand.Uint64()
	}
	t.Logf("-share.seed=%d", s)
	const n = 64
	counts := perSlot(*objects, rand.New(rand.NewPCG(s, 1)))
	count := func(set Set) (sum int) {
		for slot, c := range counts {
			if set.hasSlot(slot) {
				sum += c
			}
		}
		return sum
	}
	group := make([]string, n)
	for i := range group {
		group[i] = fmt.Sprintf("collector-%d", i)
	}
	before, err := Divide(group)
	if err != nil {
		t.Fatal(err)
	}
	after, err := Divide(group[:n-1])
	if err != nil {
		t.Fatal(err)
	}
	most, moved := 0, 0
	for i, set := range before {
		most = max(most, count(set))
		if i < n-1 {
			moved += count(after[i]) - count(set)
		}
		if got, want := count(set), *objects*set.Len()/Slots; got < want*9/10 || got > want*11/10 {
			t.Errorf("member %d has %d objects, want about %d for its %d slots", i, got, want, set.Len())
		}
	}
	if moved != count(before[n-1]) {
		t.Errorf("%d objects move as a member goes, want its %d alone", moved, count(before[n-1]))
	}
	t.Logf("%d objects, %d members: at most %.2f/n of the objects have one member; %.2f/n move as one goes",
		*objects, n, float64(most)*n/float64(*objects), float64(moved)*n/float64(*objects))
}
