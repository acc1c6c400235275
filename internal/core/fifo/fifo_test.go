package fifo

import (
	"slices"
	"testing"
)

// TestList: elements leave in the order in which they came, and a clone shares nothing.
func TestList(t *testing.T) {
	var l List[int]
	var out []int
	for i := range 100 {
		l.Push(&i)
		if i%3 == 2 { // two come for each one that leaves
			var v int
			if !l.Pop(&v) {
				t.Fatal("the list is empty")
			}
			out = append(out, v)
		}
	}
	c := l.Clone()
	for v := 0; l.Pop(&v); {
		out = append(out, v)
	}
	want := make([]int, 100)
	for i := range want {
		want[i] = i
	}
	if !slices.Equal(out, want) || l.Len() != 0 || c.Len() != 67 || c.All()[0] != 33 {
		t.Errorf("popped %v; %d are left, and %d in the clone", out, l.Len(), c.Len())
	}
}

// TestRest: the last element gives the memory back.
func TestRest(t *testing.T) {
	if s := Rest([]int{1, 2}); !slices.Equal(s, []int{2}) || Rest(s) != nil {
		t.Errorf("the rest is %v, and %v after that", s, Rest(s))
	}
}
