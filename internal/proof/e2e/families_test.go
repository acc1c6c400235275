package e2e

import (
	"fmt"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// families are owners with dependents. In turn they are deleted in the background, in
// the foreground, and orphaning. Every family has one dependent that another owner
// keeps.
type families struct {
	w     *world
	other object
	list  []family
}

type family struct {
	policy   metav1.DeletionPropagation
	owner    object
	children []object // of this owner alone
	kept     object
}

// families makes n families with so many dependents each.
func (w *world) families(n, size int) *families {
	f := &families{w: w, other: w.create(configMap, "keeper")}
	for i := range n {
		policy := []metav1.DeletionPropagation{background, foreground, orphan}[i%3]
		o := w.create(configMap, fmt.Sprint("family-", i))
		f.list = append(f.list, family{
			policy: policy, owner: o,
			children: w.several(size, secret, o.name, blocking(o)),
			kept:     w.create(secret, o.name+"-kept", blocking(o), owned(f.other)),
		})
	}
	return f
}

// delete deletes all owners at once.
func (f *families) delete() {
	f.w.parallel(len(f.list), func(i int) { f.w.delete(f.list[i].owner, f.list[i].policy) })
}

// converge waits until the families are in their end state.
func (f *families) converge() {
	f.w.t.Helper()
	for _, m := range f.list {
		f.w.goes(m.owner)
		if m.policy != orphan {
			f.w.goes(m.children...)
		}
		f.w.until("wait for the owner to be dropped", func() error {
			if refs := names(f.w.read(m.kept).GetOwnerReferences()); len(refs) != 1 {
				return fmt.Errorf("%s has owners %v", m.kept, refs)
			}
			return nil
		})
	}
}

// converged demands that the families are in their end state.
func (f *families) converged() {
	f.w.t.Helper()
	for _, m := range f.list {
		f.w.gone(m.owner)
		if m.policy == orphan {
			f.w.stays(m.children...)
			f.w.ownedBy(nil, m.children...)
		} else {
			f.w.gone(m.children...)
		}
		f.w.ownedBy([]object{f.other}, m.kept)
	}
	f.w.stays(f.other)
}

// all returns every object of the families.
func (f *families) all() []object {
	out := []object{f.other}
	for _, m := range f.list {
		out = slices.Concat(out, []object{m.owner, m.kept}, m.children)
	}
	return out
}
