package graph

import (
	"fmt"
	"math/bits"
	"testing"
	"unsafe"
)

// TestLayout checks the sizes of the records and the space that they reserve.
func TestLayout(t *testing.T) {
	for _, c := range []struct {
		record    string
		got, want uintptr
	}{
		{"node", unsafe.Sizeof(node{}), 64},
		{"edge", unsafe.Sizeof(edge{}), 28},
		{"owner record", unsafe.Sizeof(ownerRecord{}), 20},
		{"bucket", unsafe.Sizeof(bucket{}), 64},
		{"bytes of an edge behind block", unsafe.Offsetof(edge{}.nextOwner) - unsafe.Offsetof(edge{}.block) - 1, 3},
	} {
		if c.got != c.want {
			t.Errorf("%s: %d bytes, want %d", c.record, c.got, c.want)
		}
	}
	if free := 16 - bits.Len(pageNodes); free < 2 {
		t.Errorf("the number of an owner record leaves %d bits, want 2", free)
	}
}

// TestBytesPerObject adds up the memory of deployments, each with a replica set of ten
// pods. Every object has a UUID, and the name of a pod has 30 bytes. A million pods take at
// most 108 bytes an object. Fewer take up to one byte more for the last pages and segments.
func TestBytesPerObject(t *testing.T) {
	const pods, most = 1_000_000, 108
	n := 0
	g := large(t)
	put := func(name string, owner *Key) *Key {
		n++
		k := Key{Kind: "a", Name: name, UID: UID(fmt.Sprintf("%08x-1234-4321-abcd-%012x", n*2654435761%(1<<32), n))}
		o := Object{Key: k, Version: "123456789"}
		if owner != nil {
			o.Owners = []Owner{{Key: *owner}}
		}
		apply(t, g, Event{Type: Put, Object: o})
		return &k
	}
	for i := range pods / 10 {
		set := put(fmt.Sprintf("deployment-%06d-replica", i), put(fmt.Sprintf("deployment-%06d", i), nil))
		for pod := range 10 {
			put(fmt.Sprintf("%s-pod%02d", set.Name, pod), set)
		}
	}
	size := uintptr(0)
	for i := range g.pages {
		p := &g.pages[i]
		size += unsafe.Sizeof(*p) + uintptr(cap(p.nodes))*unsafe.Sizeof(node{}) + uintptr(cap(p.text)) + uintptr(cap(p.records))*unsafe.Sizeof(ownerRecord{})
	}
	for _, s := range g.index.segments() {
		size += uintptr(len(s)) * unsafe.Sizeof(bucket{})
	}
	size += uintptr(cap(g.index.dir))*unsafe.Sizeof(g.index.dir[0]) + uintptr(cap(g.index.heads))*unsafe.Sizeof(head{})
	if each := float64(size) / float64(n); each > most {
		t.Errorf("%.1f bytes an object, want at most %d", each, most)
	} else {
		t.Logf("%.1f bytes an object", each)
	}
}
