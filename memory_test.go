package ownergraph

import (
	"fmt"
	"slices"
	"testing"
)

func memoryKey(n int) Key {
	return Key{Kind: "pod", Scope: fmt.Sprint("s", n%3), Name: fmt.Sprint("n", n), UID: UID(fmt.Sprint("u", n))}
}

// TestMemory: the memory is exact about coordinates, and forgets those that were
// used least recently.
func TestMemory(t *testing.T) {
	m := newMemory(3)
	for n := range 4 {
		m.add(memoryKey(n))
		m.has(memoryKey(1)) // in use
	}
	var got []Key
	for k := range m.all() {
		got = append(got, k)
	}
	if want := []Key{memoryKey(2), memoryKey(3), memoryKey(1)}; !slices.Equal(got, want) {
		t.Errorf("holds %v, want %v", got, want)
	}
	for _, k := range []Key{memoryKey(0), {Kind: "pods", Scope: "0", Name: "n3", UID: "u3"}, {Kind: "pod", Scope: "s0", Name: "n3u", UID: "3"}} {
		if m.has(k) {
			t.Errorf("holds %s", k)
		}
		m.drop(k) // changes nothing
	}
	c := m.clone()
	m.drop(memoryKey(1))
	m.fit(1)
	if !m.has(memoryKey(3)) || m.keys.Len() != 1 || c.keys.Len() != 3 {
		t.Errorf("%d keys are left, and %d of the copy", m.keys.Len(), c.keys.Len())
	}
}

// TestRememberShare: what is remembered of what is gone stays small beside what
// there was.
func TestRememberShare(t *testing.T) {
	e, err := NewEngine(Level2, Config{})
	if err != nil {
		t.Fatal(err)
	}
	for n := range 4 * fewestAbsent {
		e.remember(memoryKey(n))
	}
	if got := e.absent.keys.Len(); got != fewestAbsent {
		t.Errorf("%d keys are remembered beside a small graph, want %d", got, fewestAbsent)
	}
	if !e.absent.has(memoryKey(4*fewestAbsent - 1)) {
		t.Error("the last one is forgotten")
	}
}
