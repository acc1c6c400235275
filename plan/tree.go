package plan

import (
	"slices"

	"github.com/ownergraph/ownergraph/graph"
)

// count counts an object.
func (t *Total) count(o *Object) {
	t.Affected++
	switch o.Outcome {
	case Removed:
		t.Removed++
	case Orphaned:
		t.Orphaned++
	case Trimmed:
		t.Trimmed++
	case Kept:
		t.Kept++
	case Held:
		t.Held++
	}
	if o.Possible {
		t.Possible++
	}
}

func (t *Total) add(u *Total) {
	t.Removed += u.Removed
	t.Orphaned += u.Orphaned
	t.Trimmed += u.Trimmed
	t.Kept += u.Kept
	t.Held += u.Held
	t.Possible += u.Possible
	t.Affected += u.Affected
}

// tree arranges the objects of a plan by their parents. An object is its index.
type tree struct {
	objects  []Object
	parent   []int // -1 at the top
	children [][]int
	tops     []int
	order    []int   // parents before children
	below    []Total // of the object and all objects below it
}

func newTree(objects []Object) *tree {
	n := len(objects)
	t := &tree{objects: objects, parent: make([]int, n), children: make([][]int, n), below: make([]Total, n)}
	index := make(map[graph.Key]int, n)
	for i := range objects {
		index[objects[i].Key] = i
	}
	for i := range objects {
		t.parent[i] = -1
		if at, ok := index[objects[i].Parent]; ok && at != i {
			t.parent[i] = at
		}
	}
	t.cutRings()
	for i, at := range t.parent {
		if at >= 0 {
			t.children[at] = append(t.children[at], i)
		}
	}
	for _, root := range []bool{true, false} {
		for i, at := range t.parent {
			if at < 0 && objects[i].Root == root {
				t.tops = append(t.tops, i)
			}
		}
	}
	t.countBelow()
	return t
}

// cutRings makes one object of each ring of parents a top.
func (t *tree) cutRings() {
	seen := make([]int, len(t.parent)) // the walk that saw the object
	for i := range t.parent {
		walk := i + 1
		at := i
		for at >= 0 && seen[at] == 0 {
			seen[at] = walk
			at = t.parent[at]
		}
		if at >= 0 && seen[at] == walk {
			t.parent[at] = -1
		}
	}
}

// countBelow fills in order and below.
func (t *tree) countBelow() {
	t.order = append(make([]int, 0, len(t.parent)), t.tops...)
	for at := 0; at < len(t.order); at++ {
		t.order = append(t.order, t.children[t.order[at]]...)
	}
	for _, i := range slices.Backward(t.order) {
		t.below[i].count(&t.objects[i])
		if p := t.parent[i]; p >= 0 {
			t.below[p].add(&t.below[i])
		}
	}
}
