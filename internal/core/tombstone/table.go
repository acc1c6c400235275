package tombstone

import (
	"fmt"

	"github.com/ownergraph/ownergraph/graph"
)

// table is a hash table with chains, whose slots are also a ring in the order of use. Slot 0
// has no key: its neighbours in the ring are the oldest and the newest slot. The zero
// value is empty.
type table struct {
	slots  []slot
	chains []int32 // the first slot of each chain, by hash; a power of two
	free   int32   // the first slot without a key, 0 for none; next leads to the others
	used   int
}

// slot is one key, in text of its own: the text of the event can be freed.
type slot struct {
	hash              uint64
	text              []byte
	kind, scope, name uint32 // their ends in text; the UID follows
	older, newer      int32
	next              int32  // in the chain
	root              uint64 // of its deletion, for reports
}

const firstChains = 16

func (x *slot) key() graph.Key {
	t := string(x.text)
	return graph.Key{Kind: graph.Kind(t[:x.kind]), Scope: t[x.kind:x.scope], Name: t[x.scope:x.name], UID: graph.UID(t[x.name:])}
}

func (x *slot) uid() []byte { return x.text[x.name:] }

// is reports whether the slot has the key.
func (x *slot) is(k *graph.Key) bool {
	t := x.text
	return string(x.uid()) == string(k.UID) && string(t[x.scope:x.name]) == k.Name &&
		string(t[x.kind:x.scope]) == k.Scope && string(t[:x.kind]) == string(k.Kind)
}

// set makes k the key of the slot, in the memory of its last key.
func (x *slot) set(h uint64, k *graph.Key) {
	x.hash = h
	x.text = append(x.text[:0], k.Kind...)
	x.kind = uint32(len(x.text))
	x.text = append(x.text, k.Scope...)
	x.scope = uint32(len(x.text))
	x.text = append(x.text, k.Name...)
	x.name = uint32(len(x.text))
	x.text = append(x.text, k.UID...)
}

func (t *table) chain(h uint64) *int32 { return &t.chains[h&uint64(len(t.chains)-1)] }

// lookup returns the slot of a key with the hash, or 0.
func (t *table) lookup(h uint64, k *graph.Key) int32 {
	if t.used == 0 {
		return 0
	}
	for i := *t.chain(h); i != 0; i = t.slots[i].next {
		if x := &t.slots[i]; x.hash == h && x.is(k) {
			return i
		}
	}
	return 0
}

// oldest returns the least recently used slot, or 0.
func (t *table) oldest() int32 {
	if t.used == 0 {
		return 0
	}
	return t.slots[0].newer
}

// insert adds a key that is not in the table, as the newest, and returns its slot.
func (t *table) insert(h uint64, k *graph.Key) int32 {
	if t.used >= len(t.chains) {
		t.grow()
	}
	i := t.free
	if i == 0 {
		i = int32(len(t.slots))
		t.slots = append(t.slots, slot{})
	}
	x := &t.slots[i]
	t.free = x.next
	x.set(h, k)
	first := t.chain(h)
	x.next, *first = *first, i
	t.join(i)
	t.used++
	return i
}

// remove takes a slot out of the table. The slot keeps a small memory for the next key.
func (t *table) remove(i int32) {
	x := &t.slots[i]
	at := t.chain(x.hash)
	for *at != i {
		at = &t.slots[*at].next
	}
	*at = x.next
	t.part(i)
	if cap(x.text) > maxSpare {
		x.text = nil
	}
	x.text = x.text[:0]
	x.next, t.free = t.free, i
	t.used--
}

// maxSpare bounds the memory of a slot without a key, in bytes. Most keys are shorter.
const maxSpare = 256

// use makes a slot the newest.
func (t *table) use(i int32) {
	t.part(i)
	t.join(i)
}

// join puts a slot at the newest end of the order.
func (t *table) join(i int32) {
	last := t.slots[0].older
	t.slots[i].older, t.slots[i].newer = last, 0
	t.slots[last].newer, t.slots[0].older = i, i
}

// part takes a slot out of the order.
func (t *table) part(i int32) {
	x := &t.slots[i]
	t.slots[x.older].newer, t.slots[x.newer].older = x.newer, x.older
}

// grow doubles the number of chains.
func (t *table) grow() {
	if len(t.slots) == 0 {
		t.slots = make([]slot, 1, firstChains)
	}
	t.chains = make([]int32, max(firstChains, 2*len(t.chains)))
	for i := t.slots[0].newer; i != 0; i = t.slots[i].newer {
		x, first := &t.slots[i], t.chain(t.slots[i].hash)
		x.next, *first = *first, i
	}
}

// CheckUnobserved is Check for the owners that are gone from a graph.
func (s *Set) CheckUnobserved(g *graph.Graph) error {
	for k := range s.All() {
		if n, ok := g.Lookup(k); ok && n.State() == graph.Observed {
			return fmt.Errorf("N5: %s is remembered as absent, and is observed", k)
		}
	}
	return s.Check()
}

// Check verifies the invariants of Set.
func (s *Set) Check() error {
	inOrder, inChains, sieved := 0, 0, [buckets]uint32{}
	for i := s.oldest(); i != 0 && inOrder <= s.used; i = s.slots[i].newer {
		inOrder++
		sieved[bucket(s.slots[i].uid())]++
	}
	for n, i := range s.chains {
		for ; i != 0 && inChains <= s.used; i = s.slots[i].next {
			if inChains++; s.slots[i].hash&uint64(len(s.chains)-1) != uint64(n) {
				return fmt.Errorf("tombstone: 2: %s is in the chain of another hash", s.slots[i].key())
			}
		}
	}
	if inOrder != s.used || inChains != s.used {
		return fmt.Errorf("tombstone: 1: the order has %d keys and the chains %d, of %d", inOrder, inChains, s.used)
	}
	if s.sieve != nil && *s.sieve != sieved {
		return fmt.Errorf("tombstone: 3: the sieve counts other keys than the %d of the set", s.used)
	}
	return nil
}
