package plan

import "github.com/ownergraph/ownergraph/graph"

// tally counts objects by outcome.
type tally struct {
	ends     [len(outcomeNames)]int
	possible int
}

func (t *tally) count(o *Object) {
	if int(o.Outcome) < len(t.ends) {
		t.ends[o.Outcome]++
	}
	if o.Possible {
		t.possible++
	}
}

func (t *tally) add(u *tally) {
	for i, n := range u.ends {
		t.ends[i] += n
	}
	t.possible += u.possible
}

func (t *tally) total() (n int) {
	for _, k := range t.ends {
		n += k
	}
	return n
}

// tree arranges the objects of a plan by their parents. An object is its index.
type tree struct {
	objects  []Object
	index    map[graph.Key]int
	parent   []int // -1 at the top
	children [][]int
	tops     []int
	below    []tally // of the object and all objects below it
}

func newTree(objects []Object) *tree {
	n := len(objects)
	t := &tree{objects, make(map[graph.Key]int, n), make([]int, n), make([][]int, n), nil, make([]tally, n)}
	for i := range objects {
		t.index[objects[i].Key] = i
	}
	for i := range objects {
		t.parent[i] = -1
		if at, ok := t.index[objects[i].Parent]; ok && at != i {
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

// countBelow fills in below, children before parents.
func (t *tree) countBelow() {
	order := append(make([]int, 0, len(t.parent)), t.tops...)
	for at := 0; at < len(order); at++ {
		order = append(order, t.children[order[at]]...)
	}
	for at := len(order) - 1; at >= 0; at-- {
		i := order[at]
		t.below[i].count(&t.objects[i])
		if p := t.parent[i]; p >= 0 {
			t.below[p].add(&t.below[i])
		}
	}
}
