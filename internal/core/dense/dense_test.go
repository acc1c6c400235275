package dense

import (
	"flag"
	"maps"
	"math/rand/v2"
	"testing"
)

var seed = flag.Uint64("dense.seed", 1, "of random numbers")

// TestIndex compares an index with a map, through bursts that come and go.
func TestIndex(t *testing.T) {
	for _, c := range []struct {
		reason string
		far    uint32 // the distance between two numbers
	}{
		{"numbers side by side share pages", 1},
		{"each number has a page of its own", 1000},
	} {
		t.Run(c.reason, func(t *testing.T) {
			r := rand.New(rand.NewPCG(*seed, 1))
			var d Index
			want := map[uint32]int32{}
			for step := range 20_000 {
				n := r.Uint32N(600) * c.far
				if grow := step/2000%2 == 0; r.IntN(10) < 7 == grow {
					want[n] = r.Int32N(1 << 20)
					d.Set(n, want[n])
				} else {
					delete(want, n)
					d.Set(n, None)
				}
				if step%1000 == 0 {
					compare(t, &d, want, c.far)
					own := d.Clone()
					compare(t, &own, want, c.far)
					own.Set(n, 7)
					compare(t, &d, want, c.far)
				}
			}
			for n := range maps.Clone(want) {
				delete(want, n)
				d.Set(n, None)
			}
			compare(t, &d, want, c.far)
			if d.Pages() != 0 || len(d.spare) > spareIndex {
				t.Errorf("seed %d: %d pages and %d spare ones are left of an index that is empty", *seed, d.Pages(), len(d.spare))
			}
		})
	}
}

func compare(t *testing.T, d *Index, want map[uint32]int32, far uint32) {
	t.Helper()
	if used, err := d.Check(); err != nil || used != len(want) {
		t.Fatalf("seed %d: Check = %d, %v, want %d", *seed, used, err, len(want))
	}
	for n := range uint32(600) {
		place, ok := want[n*far]
		if got := d.At(n * far); !ok && got != None || ok && got != place {
			t.Fatalf("seed %d: %d is at %d, want %d, %v", *seed, n*far, got, place, ok)
		}
	}
	if d.At(1<<31) != None {
		t.Fatalf("a number beyond all has a place")
	}
}

// TestIndexCheck: Check finds each wrong count.
func TestIndexCheck(t *testing.T) {
	for _, c := range []struct {
		reason string
		damage func(*Index)
	}{
		{"a page counts too few", func(d *Index) { d.pages[0].used-- }},
		{"a page is not counted", func(d *Index) { d.live-- }},
	} {
		t.Run(c.reason, func(t *testing.T) {
			var d Index
			d.Set(1, 1)
			d.Set(100, 2)
			c.damage(&d)
			if _, err := d.Check(); err == nil {
				t.Error("nothing is wrong")
			}
		})
	}
}

// TestList fills a list beyond several pages and empties it. It has the pushed
// elements, drops the popped ones, and gives their memory back.
func TestList(t *testing.T) {
	const n = 40 * listPage
	var l List[*int]
	for i := range n {
		l.Push(&i)
		if err := l.Check(); err != nil {
			t.Fatal(err)
		}
	}
	c := l.Clone()
	for i := int32(n - 1); i >= 0; i-- {
		at := l.At(i)
		if **at != int(i) || l.Len() != int(i)+1 {
			t.Fatalf("element %d of %d is %d", i, l.Len(), **at)
		}
		l.Pop()
		if *at != nil {
			t.Fatalf("element %d is still there", i)
		}
		if err := l.Check(); err != nil {
			t.Fatal(err)
		}
	}
	for i := range int32(n) {
		if **c.At(i) != int(i) {
			t.Fatalf("element %d of the copy is %d", i, **c.At(i))
		}
	}
}

// TestListCheck: Check finds a list that keeps too much memory.
func TestListCheck(t *testing.T) {
	var l List[int]
	l.Push(1)
	if err := l.Check(); err != nil {
		t.Fatal(err)
	}
	l.first = append(make([]int, 0, 1<<16), l.first...)
	if l.Check() == nil {
		t.Error("nothing is wrong")
	}
}
