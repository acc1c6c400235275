package tree

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/spell"
)

const (
	// maxFanOut bounds the drawn dependents of one kind below one owner.
	maxFanOut = 40
	// maxDepth bounds the drawn levels below the root.
	maxDepth = 32
	// MaxLines bounds the lines of a requested tree.
	MaxLines = 1000
)

// forest finds the dependents of an owner. They name its UID. The other fields of the
// reference do not matter.
type forest struct {
	objects    []graph.Object
	dependents map[graph.UID][]int // ascending, each once
}

func newForest(objects []graph.Object) forest {
	f := forest{objects: objects, dependents: make(map[graph.UID][]int)}
	for i, o := range objects {
		for _, ref := range o.Owners {
			list := f.dependents[ref.UID]
			if len(list) == 0 || list[len(list)-1] != i {
				f.dependents[ref.UID] = append(list, i)
			}
		}
	}
	return f
}

// branch is one line of the drawing: an object below its owner, or a remark.
type branch struct {
	object int
	remark string // in place of an object
	depth  int
	prefix string // of the line
	indent string // of the lines below it
}

// Draw draws root and all objects below it by owner reference, one in each line, in the
// order of the keys. It draws an object with several owners once and mentions it again,
// so rings end. It draws at most limit lines, and then a line with the number of
// objects below root.
//
// Held by TestTreeDrawsEachOnce and TestTreeIsBounded.
func Draw(objects []graph.Object, root graph.Key, limit int) string {
	f := newForest(objects)
	start := f.find(root)
	if start < 0 {
		return ""
	}
	return f.draw(start, limit) + spell.Count(uint64(len(f.reach(start))-1), "object") + " below it\n"
}

// Below returns the number of objects below root, or -1 if root is not there.
//
// Held by TestBelow.
func Below(objects []graph.Object, root graph.Key) int {
	f := newForest(objects)
	start := f.find(root)
	if start < 0 {
		return -1
	}
	return len(f.reach(start)) - 1
}

// find returns the index of an object, or -1.
func (f forest) find(key graph.Key) int {
	return slices.IndexFunc(f.objects, func(o graph.Object) bool { return o.Key == key })
}

// reach returns an object and all objects below it, drawn or not.
func (f forest) reach(start int) []int {
	all, seen := []int{start}, map[int]bool{start: true}
	for i := 0; i < len(all); i++ {
		for _, d := range f.dependents[f.objects[all[i]].UID] {
			if !seen[d] {
				seen[d] = true
				all = append(all, d)
			}
		}
	}
	return all
}

func (f forest) draw(start, limit int) string {
	var out strings.Builder
	lines := 0
	drawn := make(map[int]bool)
	var path []int // objects from the root to the current line
	for stack := []branch{{object: start}}; len(stack) > 0; {
		if lines++; lines > limit {
			fmt.Fprintf(&out, "... (%d lines are drawn)\n", limit)
			break
		}
		b := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if b.remark != "" {
			fmt.Fprintf(&out, "%s%s\n", b.prefix, b.remark)
			continue
		}
		ring := slices.Contains(path[:b.depth], b.object)
		note := f.note(b, path, drawn[b.object], ring)
		fmt.Fprintf(&out, "%s%s%s\n", b.prefix, spell.Key(f.objects[b.object].Key), note)
		if !drawn[b.object] {
			drawn[b.object] = true
			path = append(path[:b.depth], b.object)
			stack = append(stack, f.below(b)...)
		}
	}
	return out.String()
}

// below returns the branches under b, last first.
func (f forest) below(b branch) []branch {
	dependents := f.dependents[f.objects[b.object].UID]
	var list []branch
	if b.depth == maxDepth && len(dependents) > 0 {
		list = []branch{{remark: fmt.Sprintf("... and %d dependents, too deep to draw", len(dependents))}}
		dependents = nil
	}
	for len(dependents) > 0 {
		kind := f.objects[dependents[0]].Kind
		n := 1
		for n < len(dependents) && f.objects[dependents[n]].Kind == kind {
			n++
		}
		for _, i := range dependents[:min(n, maxFanOut)] {
			list = append(list, branch{object: i})
		}
		if n > maxFanOut {
			list = append(list, branch{remark: fmt.Sprintf("... and %d more %s", n-maxFanOut, spell.Kind(kind))})
		}
		dependents = dependents[n:]
	}
	for i := range list {
		list[i].depth = b.depth + 1
		list[i].prefix, list[i].indent = b.indent+"├── ", b.indent+"│   "
		if i == len(list)-1 {
			list[i].prefix, list[i].indent = b.indent+"└── ", b.indent+"    "
		}
	}
	slices.Reverse(list)
	return list
}

// note returns the remarks of a line. They explain why no line follows below it, a
// wrong reference, and the finalizers of the object.
func (f forest) note(b branch, path []int, again, ring bool) string {
	o := f.objects[b.object]
	switch {
	case ring:
		return "  (a ring: drawn above)"
	case again:
		return "  (drawn above)"
	}
	var notes []string
	if b.depth > 0 {
		notes = referenceNotes(o, f.objects[path[b.depth-1]].Key)
	}
	if o.Deleting {
		notes = append(notes, "being deleted")
	}
	if len(o.Finalizers) > 0 {
		notes = append(notes, "finalizer "+spell.Some(o.Finalizers))
	}
	if len(notes) == 0 {
		return ""
	}
	return "  (" + strings.Join(notes, "; ") + ")"
}

// referenceNotes returns the remarks about o's references, as seen from owner.
func referenceNotes(o graph.Object, owner graph.Key) []string {
	sound := slices.ContainsFunc(o.Owners, func(r graph.Owner) bool { return r.Key == owner && !r.Unresolved })
	var notes, others []string
	for _, ref := range o.Owners {
		switch {
		case ref.UID != owner.UID:
			others = append(others, spell.Key(ref.Key))
		case sound:
		case ref.Unresolved:
			notes = append(notes, "its owner's scope is unknown")
		default:
			notes = append(notes, "its reference names "+spell.Key(ref.Key))
		}
	}
	if len(others) > 0 {
		notes = append(notes, "also owned by "+spell.Some(others))
	}
	return slices.Compact(notes)
}

// Reach returns the index of root, and then those of the objects below it, ascending. It
// returns nil if root is not there.
//
// Held by TestBelow.
func Reach(objects []graph.Object, root graph.Key) []int {
	f := newForest(objects)
	start := f.find(root)
	if start < 0 {
		return nil
	}
	all := f.reach(start)
	slices.Sort(all[1:])
	return all
}
