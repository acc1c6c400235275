package graph

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
)

// TestTextOfAnyLength: text of changing length comes back as it was written. The lengths
// lie on both sides of the limit of a page.
func TestTextOfAnyLength(t *testing.T) {
	g := New(Config{})
	id := g.newID()
	lengths := []int{0, 1, 2, 3, maxShortText - 1, maxShortText, maxShortText + 1, maxShortText + 2, 1000}
	for _, from := range lengths {
		for _, to := range lengths {
			for i, n := range []int{from, to} {
				want := strings.Repeat(string(rune('a'+i)), n)
				if g.write(id, []byte(want)); string(g.content(id)) != want {
					t.Errorf("from %d bytes to %d: wrote %.10q..., read %d bytes %.10q...", from, to, want, len(g.content(id)), g.content(id))
				}
			}
		}
	}
}

// TestGapIsTheLongest: the page uses dead text again, always the longest piece.
func TestGapIsTheLongest(t *testing.T) {
	g := New(Config{})
	var ids []NodeID
	for range 6 {
		ids = append(ids, g.newID())
	}
	p := g.page(ids[0])
	for i, n := range []int{40, 10, 10, 7, 0, 0} {
		g.write(ids[i], make([]byte, n))
	}
	size := len(p.text)
	g.erase(ids[0])
	g.erase(ids[1])                   // a shorter piece leaves the gap
	g.write(ids[2], make([]byte, 10)) // text of the same length leaves the gap
	g.write(ids[3], make([]byte, 5))  // shorter text leaves the gap
	for _, n := range []int{21, 17} { // both fit into the first piece
		ids = append(ids, g.newID())
		g.write(ids[len(ids)-1], make([]byte, n))
	}
	if len(p.text) != size {
		t.Errorf("%d bytes of text after %d", len(p.text), size)
	}
}

// TestTextShrinks: a page gives back the memory of text that has become short.
func TestTextShrinks(t *testing.T) {
	g := large(t)
	long := []string{strings.Repeat("f", 100), strings.Repeat("g", 100)}
	for _, f := range [][]string{long, long[:1], nil} {
		for i := range 3 * pageNodes {
			apply(t, g, Event{Type: Put, Object: Object{Key: Key{Kind: "a", Name: fmt.Sprintf("%010d", i), UID: UID(fmt.Sprintf("%08x-0000-0000-0000-000000000000", i))}, Version: "1", Finalizers: f}})
		}
	}
	for i := range g.pages {
		if p := &g.pages[i]; len(p.text) > 2*(len(p.text)-p.dead)+minDead {
			t.Errorf("page %d: %d bytes of text, of which %d are dead", i, len(p.text), p.dead)
		}
	}
	if err := g.Check(); err != nil {
		t.Error(err)
	}
}

// TestTextRoom: the page uses all bytes within the reach of 16 bits, and none beyond,
// even in a larger allocation.
func TestTextRoom(t *testing.T) {
	g := New(Config{})
	for range 480 {
		g.write(g.newID(), make([]byte, maxShortText))
	}
	p := g.page(1)
	g.growText(1, pageTextSize-len(p.text))
	p.dead = pageTextSize - textUnit - len(p.text)
	p.text = p.text[:pageTextSize-textUnit]
	if cap(p.text) <= pageTextSize {
		t.Fatalf("room for %d bytes", cap(p.text))
	}
	for i := range 4 {
		id, want := g.newID(), strconv.Itoa(i)
		if g.write(id, []byte(want)); string(g.content(id)) != want || len(p.text) > pageTextSize {
			t.Fatalf("wrote %q, read %q; %d bytes of text", want, g.content(id), len(p.text))
		}
	}
}
