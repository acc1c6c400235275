package main

import (
	"slices"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/proof/oracle"
)

// shrink returns a smaller history of which wrong is true as well. It removes one part
// at a time, as long as it can.
func shrink(h history, wrong func(history) bool) history {
	for {
		i := slices.IndexFunc(smaller(h), wrong)
		if i < 0 {
			return h
		}
		h = smaller(h)[i]
	}
}

// smaller returns the history with one part less: an action, an object, a reference, a
// flag, a finalizer, or a mark.
func smaller(h history) (out []history) {
	for i := range h.actions {
		out = append(out, history{h.start, slices.Delete(slices.Clone(h.actions), i, i+1)})
	}
	for i := range h.start {
		out = append(out, without(h, i))
	}
	for i, o := range h.start {
		for _, less := range lesser(o) {
			list := slices.Clone(h.start)
			list[i] = less
			out = append(out, history{list, h.actions})
		}
	}
	for i, a := range h.actions {
		for _, less := range lesser(a.Object) {
			if len(less.Owners) > 0 || !takesRef(a.Verb) {
				list := slices.Clone(h.actions)
				list[i].Object = less
				out = append(out, history{h.start, list})
			}
		}
	}
	return out
}

// without returns the history without its i-th object and the references to it.
func without(h history, i int) history {
	gone := h.start[i].UID
	rest := history{slices.Delete(slices.Clone(h.start), i, i+1), nil}
	for j, o := range rest.start {
		rest.start[j].Owners = slices.DeleteFunc(slices.Clone(o.Owners), func(r graph.Owner) bool { return r.UID == gone })
	}
	for _, a := range h.actions {
		a.Object.Owners = slices.DeleteFunc(slices.Clone(a.Object.Owners), func(r graph.Owner) bool { return r.UID == gone })
		if a.Object.UID != gone && (len(a.Object.Owners) > 0 || !takesRef(a.Verb)) {
			rest.actions = append(rest.actions, a)
		}
	}
	return rest
}

func takesRef(v oracle.Verb) bool {
	return v == oracle.AddRef || v == oracle.DropRef || v == oracle.Flip
}

// lesser returns the object with one part less.
func lesser(o graph.Object) (out []graph.Object) {
	for i := range o.Owners {
		less := o.Clone()
		less.Owners = slices.Delete(less.Owners, i, i+1)
		out = append(out, less)
		if o.Owners[i].Block {
			less = o.Clone()
			less.Owners[i].Block = false
			out = append(out, less)
		}
	}
	if o.Deleting {
		less := o.Clone()
		less.Deleting = false
		out = append(out, less)
	}
	if len(o.Finalizers) > 0 && !o.Deleting {
		less := o.Clone()
		less.Finalizers = nil
		out = append(out, less)
	}
	return out
}
