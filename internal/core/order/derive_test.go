package order

import (
	"fmt"
	"strings"
	"testing"
)

// TestDerive: the definition and the walk derive the same delete phases, in every cascade of
// three objects.
func TestDerive(t *testing.T) {
	for _, text := range cascades(3, one) {
		r := newRig(t, text)
		r.rest()
		var keys []string
		index, own, owners := map[string]int{}, []int{}, [][]int{}
		for i, o := range strings.Split(text, "; ")[1:] {
			key, refs, _ := strings.Cut(o, " -> ")
			index[key], keys = i, append(keys, key)
			own, owners = append(own, int(key[1]-'1')), append(owners, nil)
			for ref := range strings.SplitSeq(refs, ", ") {
				if at, ok := index[strings.TrimSuffix(ref, "!")]; ok {
					owners[i] = append(owners[i], at)
				}
			}
		}
		got := Derive(own, owners, nil)
		for i, key := range keys {
			if p := r.m.orders[r.id("r/0")].places[r.id(key)]; int(p.del) != got[i] {
				t.Fatalf("%s: %s has the delete phase %d, and by the definition %d", text, key, p.del, got[i])
			}
		}
	}
	if got := fmt.Sprint(Derive([]int{2, 0, 1}, [][]int{{1}, {0}, {1}}, nil)); got != "[0 0 0]" {
		t.Errorf("a ring has the phases %s", got)
	}
	if got := fmt.Sprint(Derive([]int{0, 1, 2}, make([][]int, 3), [][]int{{1}, nil, nil})); got != "[0 0 2]" {
		t.Errorf("a holder and its member have the phases %s", got)
	}
}
