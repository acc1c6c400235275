package queue

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestIndex compares the index with a map. Some hashes collide, and some probes run over
// the end of the table.
func TestIndex(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var x index
		hashes := map[int32]uint32{}
		used := func() []int32 {
			slots := []int32{}
			for slot := range int32(64) {
				if _, ok := hashes[slot]; ok {
					slots = append(slots, slot)
				}
			}
			return slots
		}
		free := func(t *rapid.T) int32 {
			return rapid.Int32Range(0, 63).Filter(func(s int32) bool { return !slices.Contains(used(), s) }).Draw(t, "free")
		}
		t.Repeat(map[string]func(*rapid.T){
			"insert": func(t *rapid.T) {
				if len(hashes) > 40 {
					return
				}
				slot := free(t)
				hashes[slot] = -rapid.Uint32Range(0, 9).Draw(t, "minus hash")
				x.insert(hashes[slot], slot)
			},
			"remove": func(t *rapid.T) {
				if len(hashes) > 0 {
					slot := rapid.SampledFrom(used()).Draw(t, "slot")
					x.remove(hashes[slot], slot)
					delete(hashes, slot)
				}
			},
			"move": func(t *rapid.T) {
				if len(hashes) > 0 {
					from, to := rapid.SampledFrom(used()).Draw(t, "from"), free(t)
					x.move(hashes[from], from, to)
					hashes[to] = hashes[from]
					delete(hashes, from)
				}
			},
			"": func(t *rapid.T) {
				if err := agree(&x, hashes); err != nil {
					t.Fatal(err)
				}
			},
		})
	})
}

// agree reports a slot that a probe does not reach, and a slot too many.
func agree(x *index, hashes map[int32]uint32) error {
	cells := 0
	for _, c := range x.cells {
		if c.ref != 0 {
			cells++
		}
	}
	if x.used != len(hashes) || cells != len(hashes) {
		return fmt.Errorf("%d cells are used, %d by count, for %d slots", cells, x.used, len(hashes))
	}
	for slot, hash := range hashes {
		c := hash & x.mask()
		for x.cells[c].ref != slot+1 {
			if x.cells[c].ref == 0 {
				return fmt.Errorf("the probe for slot %d ends at a free cell %d", slot, c)
			}
			c = (c + 1) & x.mask()
		}
	}
	return nil
}

// TestKeysOfOneHash searches for two keys with one hash, in about 80,000 tries. The queue
// tells the keys apart.
func TestKeysOfOneHash(t *testing.T) {
	q := New(Config[uint32]{})
	for k := range uint32(2 * scanLimit) {
		q.Add(k, High)
	}
	seen := map[uint32]uint32{}
	a, b := uint32(0), uint32(1000)
	for ; ; b++ {
		var ok bool
		if a, ok = seen[q.hash(b)]; ok {
			break
		}
		seen[q.hash(b)] = b
	}
	q.Add(a, Normal)
	q.Add(b, Low)
	check(t, q)
	q.Drop(a)
	check(t, q)
	if keys := drain(q, epoch); len(keys) != 2*scanLimit+1 || keys[2*scanLimit] != b {
		t.Errorf("keys %v, want the last to be %d", keys, b)
	}
}
