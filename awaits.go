package ownergraph

import (
	"fmt"
	"slices"

	"github.com/ownergraph/ownergraph/internal/core/dense"
	"github.com/ownergraph/ownergraph/internal/core/observed"
)

// awaits holds what nodes await, by node: while a watch lags behind the writes there is
// an entry for each of these, and each decision asks for one.
type awaits struct {
	index dense.Index // by node id
	list  dense.List[awaiting]
}

type awaiting struct {
	node observed.NodeID
	await
}

func (t *awaits) len() int { return t.list.Len() }

func (t *awaits) has(id observed.NodeID) bool { return t.index.At(uint32(id)) != dense.None }

// of returns what a node awaits, to be changed until the next put or drop, or nil.
func (t *awaits) of(id observed.NodeID) *await {
	if i := t.index.At(uint32(id)); i != dense.None {
		return &t.list.At(i).await
	}
	return nil
}

// held reports whether a node awaits what only somebody outside can bring.
func (t *awaits) held(id observed.NodeID) bool {
	a := t.of(id)
	return a != nil && (a.then == thenHeld || a.outside)
}

func (t *awaits) put(id observed.NodeID, a await) {
	if was := t.of(id); was != nil {
		*was = a
		return
	}
	t.index.Set(uint32(id), int32(t.list.Len()))
	t.list.Push(awaiting{id, a})
}

// drop forgets what a node awaits; the last of the list takes its place.
func (t *awaits) drop(id observed.NodeID) {
	i := t.index.At(uint32(id))
	if i == dense.None {
		return
	}
	t.index.Set(uint32(id), dense.None)
	if last := int32(t.list.Len() - 1); i != last {
		*t.list.At(i) = *t.list.At(last)
		t.index.Set(uint32(t.list.At(i).node), i)
	}
	t.list.Pop()
}

// busy reports whether there is anything that comes without somebody outside.
func (t *awaits) busy() bool {
	for i := range int32(t.list.Len()) {
		if a := t.list.At(i); a.then != thenHeld && !a.outside {
			return true
		}
	}
	return false
}

// all returns the nodes that await something, by id.
func (t *awaits) all() []observed.NodeID {
	out := make([]observed.NodeID, t.list.Len())
	for i := range out {
		out[i] = t.list.At(int32(i)).node
	}
	slices.Sort(out)
	return out
}

// check returns how the index and the list do not agree.
func (t *awaits) check() error {
	used, err := t.index.Check()
	if err == nil && used != t.list.Len() {
		err = fmt.Errorf("%d are found, of %d", used, t.list.Len())
	}
	for i := range int32(t.list.Len()) {
		if id := t.list.At(i).node; err == nil && t.index.At(uint32(id)) != i {
			err = fmt.Errorf("node %d is not found", id)
		}
	}
	return err
}

func (t *awaits) clone() awaits {
	if t.list.Len() == 0 {
		return awaits{}
	}
	return awaits{t.index.Clone(), t.list.Clone()}
}
