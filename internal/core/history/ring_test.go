package history

import (
	"bytes"
	"fmt"
	"testing"

	"pgregory.net/rapid"
)

// TestRing compares a ring with a list of its newest records.
func TestRing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		limit := rapid.SampledFrom([]int{-1, 1, 3, 20, 100}).Draw(t, "max")
		r, all := newRing(limit, 64), [][]byte{}
		for range rapid.IntRange(0, 300).Draw(t, "records") {
			text := fmt.Appendf(nil, "%d", rapid.IntRange(0, 9).Draw(t, "text"))
			b := append(text, make([]byte, rapid.SampledFrom([]int{0, 100, 30_000}).Draw(t, "size"))...)
			if n := r.add(r.hash(text), b); n != 0 {
				all = append(all, b)
			} else if limit > 0 {
				t.Fatal("a record is not kept")
			}
		}
		c := r.clone()
		r.add(r.hash([]byte("9")), []byte("9"))
		if err := c.check(); err != nil {
			t.Fatal(err)
		}
		if c.len() > max(limit, 0) || c.len() > len(all) || len(c.chunks) > c.maxChunks || len(all) > 0 && c.len() == 0 {
			t.Fatalf("%d records of %d in %d chunks, at most %d", c.len(), len(all), len(c.chunks), limit)
		}
		for text := range 10 {
			name := fmt.Appendf(nil, "%d", text)
			n := c.find(c.hash(name), 0)
			for i := len(all) - 1; i >= len(all)-c.len(); i-- {
				if !bytes.HasPrefix(all[i], name) {
					continue
				}
				if n == 0 || !bytes.Equal(c.at(n), all[i]) {
					t.Fatalf("record %d with %s is not found", i, name)
				}
				n = c.find(c.hash(name), n)
			}
			if n != 0 {
				t.Fatalf("%s has a record too many", name)
			}
		}
	})
}

// TestRingMemory: a full ring allocates nothing for records of all sizes. A record that is
// too long changes nothing.
func TestRingMemory(t *testing.T) {
	r, b, i := newRing(1000, 256), make([]byte, maxRecord+1), 0
	add := func() {
		i++
		r.add(uint64(i), b[:i*7919%2000])
	}
	for range 5000 {
		add()
	}
	if n := testing.AllocsPerRun(5000, add); n > 0 {
		t.Errorf("%v allocations for a record", n)
	}
	if n := r.bytes(); n > 1000*256+3*chunkSize+2048*32 {
		t.Errorf("the ring takes %d bytes", n)
	}
	first, next := r.first, r.next
	if n := r.add(1, b); n != 0 || r.first != first || r.next != next {
		t.Errorf("a record of %d bytes got the number %d", len(b), n)
	}
	if err := r.check(); err != nil {
		t.Error(err)
	}
}
