package queue

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// fill adds n keys of priority p, numbered on, and returns the next number.
func fill(q *Queue[int], p Priority, n int) int {
	first := q.Len()
	for k := range n {
		q.Add(first+k, p)
	}
	return first + n
}

func TestFairness(t *testing.T) {
	for _, c := range []struct {
		reason            string
		high, normal, low int
		want              []Priority // the classes of the takes from the 64th on
	}{
		{"without others High goes on", 70, 0, 0, []Priority{High, High, High}},
		{"after 64 High a Low has its turn", 70, 0, 9, []Priority{High, Low, High, High}},
		{"after 64 Normal a Low has its turn", 0, 70, 9, []Priority{Normal, Low, Normal, Normal}},
		{"of two that are owed a turn the lowest goes first", 70, 9, 9, []Priority{High, Low, Normal, High}},
		{"few High do not delay at all", 3, 0, 70, []Priority{Low, Low, Low}},
		{"Low counts what it was passed over by both", 40, 70, 9, []Priority{Normal, Low, Normal}},
	} {
		t.Run(c.reason, func(t *testing.T) {
			q := New(Config[int]{})
			highs := fill(q, High, c.high)
			normals := fill(q, Normal, c.normal)
			fill(q, Low, c.low)
			class := func(k int) Priority {
				switch {
				case k < highs:
					return High
				case k < normals:
					return Normal
				}
				return Low
			}
			var got []Priority
			for _, k := range drain(q, epoch) {
				got = append(got, class(k))
			}
			if got = got[passLimit-1:][:len(c.want)]; !slices.Equal(got, c.want) {
				t.Errorf("takes from the 64th on: %v, want %v", got, c.want)
			}
		})
	}
}

func TestPatienceStartsAnew(t *testing.T) {
	q := New(Config[int]{})
	q.Add(-1, Low)
	fill(q, High, 200)
	for range passLimit {
		q.Next(epoch)
	}
	if q.PassedOver(Low) != passLimit {
		t.Fatalf("Low was passed over %d times, want %d", q.PassedOver(Low), passLimit)
	}
	q.Drop(-1)
	q.Add(-2, Low)
	for n := range passLimit {
		if k, _ := q.Next(epoch); k == -2 {
			t.Fatalf("a new Low key was taken after %d High, as if it had waited since before", n)
		}
	}
	if k, _ := q.Next(epoch); k != -2 {
		t.Errorf("after %d High, Next = %d, want the Low key", passLimit, k)
	}
}

// TestNoClassStarves keeps some or all classes filled and takes at random sizes. Every
// window of 66 takes has each class that was never empty.
func TestNoClassStarves(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		q := New(Config[Priority]{}) // one key for each class, always there
		since := map[Priority]int{}
		classes := rapid.SliceOfNDistinct(rapid.SampledFrom([]Priority{High, Normal, Low}), 1, 3, rapid.ID).Draw(t, "classes")
		for range rapid.IntRange(1, 400).Draw(t, "takes") {
			for _, p := range classes {
				q.Add(p, p)
			}
			k, _ := q.Next(epoch)
			q.Done(k)
			for _, p := range classes {
				since[p]++
			}
			since[k] = 0
			for p, n := range since {
				if n > passLimit+1 {
					t.Fatalf("%v was passed over %d times", p, n)
				}
			}
		}
	})
}
