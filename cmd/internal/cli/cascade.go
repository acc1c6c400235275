package cli

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"github.com/ownergraph/ownergraph/adapters/clientgo"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/namespace"
	"github.com/ownergraph/ownergraph/internal/offline"
	"github.com/ownergraph/ownergraph/lint"
	"github.com/ownergraph/ownergraph/policy"
)

// cascade is one deletion under way.
type cascade struct {
	Kind        graph.Kind `json:"kind"`
	Scope       string     `json:"scope,omitempty"`
	Name        string     `json:"name"`
	UID         graph.UID  `json:"uid"`
	Propagation string     `json:"propagation"` // "gone" for an owner that is gone
	MarkedAt    *time.Time `json:"markedAt,omitempty"`
	Gone        int        `json:"gone,omitempty"` // since the first look of --watch
	Left        int        `json:"left"`
	Marked      int        `json:"marked"`
	Held        int        `json:"held"`
	References  int        `json:"references,omitempty"` // that an orphan deletion has still to drop
	HeldBy      []string   `json:"heldBy"`
	Blocker     *blocker   `json:"blocker,omitempty"`

	objects []graph.Object // the root and those below it
	rate    float64        // objects a second since the last look
}

// blocker is the held object of a cascade with the oldest mark.
type blocker struct {
	Kind       graph.Kind `json:"kind"`
	Scope      string     `json:"scope,omitempty"`
	Name       string     `json:"name"`
	UID        graph.UID  `json:"uid"`
	Finalizers []string   `json:"finalizers"`
	Reason     string     `json:"reason,omitempty"` // the code, of a running program
	since      time.Time
}

// text names the blocker and its finalizers, or returns "-".
func (b *blocker) text() string {
	if b == nil {
		return "-"
	}
	what := namespace.Finalizers(b.Finalizers)
	if b.Reason != "" && b.Reason != policy.NeedFinalizers.Code() {
		what = b.Reason
	}
	return what + " on " + graph.Key{Kind: b.Kind, Scope: b.Scope, Name: b.Name, UID: b.UID}.Text()
}

func (c *cascade) key() graph.Key {
	return graph.Key{Kind: c.Kind, Scope: c.Scope, Name: c.Name, UID: c.UID}
}

// cascades returns the deletions in progress that have an object inside, the oldest first. A
// ring of marked objects has no root, so its first object stands for it. No object has two rows.
//
//test:by TestGolden TestTop TestTopOnce
func (r *listing) cascades() (list []cascade) {
	marked := map[graph.UID]bool{}
	ending, index := map[string]bool{}, r.index // ending namespaces
	for i := range r.in.Objects {
		if o := &r.in.Objects[i]; o.Deleting {
			marked[o.UID] = true
			if o.Kind == namespaceKind {
				ending[o.Name] = true
			}
		}
	}
	gone := r.goneOwners(index)
	shown := covered(gone) // a marked object without an owner that lives belongs to the one that is gone
	for i := range r.in.Objects {
		o := &r.in.Objects[i]
		if o.Deleting && !ending[o.Scope] && !shown[o.UID] && !slices.ContainsFunc(o.Owners, func(w graph.Owner) bool { return marked[w.UID] && w.UID != o.UID }) {
			shown[o.UID] = true // two kinds may show one object
			list = append(list, r.cascade(o, index))
		}
	}
	list = append(list, gone...)
	list = append(list, r.rings(list, ending, index)...)
	list = slices.DeleteFunc(list, func(c cascade) bool {
		return !slices.ContainsFunc(c.objects, func(o graph.Object) bool { return r.inside(o.Key) })
	})
	slices.SortStableFunc(list, func(a, b cascade) int {
		if a.MarkedAt == nil || b.MarkedAt == nil {
			return cmp.Compare(b.begun(), a.begun())
		}
		return a.MarkedAt.Compare(*b.MarkedAt)
	})
	return list
}

// rings returns a cascade for each marked object that is in no other cascade.
func (r *listing) rings(list []cascade, ending map[string]bool, index *offline.Index) (rings []cascade) {
	in := covered(list)
	for i := range r.in.Objects {
		if o := &r.in.Objects[i]; o.Deleting && !ending[o.Scope] && !in[o.UID] {
			rings = append(rings, r.cascade(o, index))
			maps.Copy(in, covered(rings[len(rings)-1:]))
		}
	}
	return rings
}

// covered returns the objects of some cascades.
func covered(list []cascade) map[graph.UID]bool {
	in := map[graph.UID]bool{}
	for _, c := range list {
		for _, o := range c.objects {
			in[o.UID] = true
		}
	}
	return in
}

func (c *cascade) begun() int {
	if c.MarkedAt == nil {
		return 0
	}
	return 1
}

func (r *listing) cascade(o *lint.Object, index *offline.Index) cascade {
	c := cascade{Kind: o.Kind, Scope: o.Scope, Name: o.Name, UID: o.UID, Propagation: propagationOf(o)}
	if !o.MarkedAt.IsZero() {
		at := o.MarkedAt.UTC()
		c.MarkedAt = &at
	}
	if o.Kind != namespaceKind {
		c.count(index.Below(o.Key), r.marks())
		c.spare(o)
		return c
	}
	c.count(slices.DeleteFunc(slices.Clone(r.content.Objects), func(in graph.Object) bool { return in.Scope != o.Name && in.Key != o.Key }), r.marks())
	return c
}

// spare takes the dependents of an orphan deletion out of the counts, because they stay. It counts their
// references, which have to go.
func (c *cascade) spare(root *lint.Object) {
	if c.Propagation != graph.Orphan.String() {
		return
	}
	all := c.objects
	c.Left, c.Marked, c.Held, c.Blocker = 0, 0, 0, nil
	c.count([]graph.Object{root.Object}, map[graph.UID]time.Time{root.UID: root.MarkedAt})
	counted := map[graph.UID]bool{}
	for i := range all {
		if counted[all[i].UID] {
			continue
		}
		counted[all[i].UID] = true
		for _, w := range all[i].Owners {
			if w.UID == root.UID {
				c.References++
			}
		}
	}
	c.objects = all
}

func (c *cascade) count(objects []graph.Object, markedAt map[graph.UID]time.Time) {
	finalizers, counted := map[string]bool{}, map[graph.UID]bool{}
	c.objects = objects
	for i := range objects {
		o := &objects[i]
		if counted[o.UID] { // below several dependents of an owner that is gone
			continue
		}
		counted[o.UID] = true
		c.Left++
		if !o.Deleting {
			continue
		}
		c.Marked++
		foreign := foreignFinalizers(o)
		if len(foreign) == 0 {
			continue
		}
		c.Held++
		for _, f := range foreign {
			finalizers[f] = true
		}
		if at := markedAt[o.UID]; c.Blocker == nil || at.Before(c.Blocker.since) {
			c.Blocker = &blocker{Kind: o.Kind, Scope: o.Scope, Name: o.Name, UID: o.UID, Finalizers: foreign, since: at}
		}
	}
	c.HeldBy = append([]string{}, slices.Sorted(maps.Keys(finalizers))...)
}

// foreignFinalizers returns the finalizers apart from those of a propagation and of a namespace.
func foreignFinalizers(o *graph.Object) (list []string) {
	for _, f := range o.Finalizers {
		if f != graph.FinalizerForeground && f != graph.FinalizerOrphan && f != clientgo.NamespaceFinalizer {
			list = append(list, f)
		}
	}
	return list
}

func propagationOf(o *lint.Object) string {
	switch {
	case o.HasFinalizer(graph.FinalizerOrphan):
		return graph.Orphan.String()
	case o.HasFinalizer(graph.FinalizerForeground):
		return graph.Foreground.String()
	}
	return graph.Background.String()
}

// goneOwners returns the owners that are gone and still have dependents without another owner.
func (r *listing) goneOwners(index *offline.Index) (list []cascade) {
	there := make(map[graph.UID]bool, len(r.in.Objects))
	for i := range r.in.Objects {
		there[r.in.Objects[i].UID] = true
	}
	missing := map[graph.Key]bool{}
	for _, k := range r.content.Missing() {
		missing[k] = true
	}
	left, first := map[graph.Key][]graph.Object{}, map[graph.UID]graph.Key{} // references may name one owner in several ways
	for _, o := range r.content.Objects {
		if len(o.Owners) > 0 && !slices.ContainsFunc(o.Owners, func(w graph.Owner) bool { return there[w.UID] || !missing[w.Place()] || w.Unresolved }) {
			k, is := first[o.Owners[0].UID]
			if !is {
				k = o.Owners[0].Key
				first[k.UID] = k
			}
			left[k] = append(left[k], o)
		}
	}
	for _, k := range slices.SortedFunc(maps.Keys(left), graph.Key.Compare) {
		c := cascade{Kind: k.Kind, Scope: k.Scope, Name: k.Name, UID: k.UID, Propagation: "gone"}
		var below []graph.Object
		for _, o := range left[k] {
			below = append(below, index.Below(o.Key)...)
		}
		c.count(below, r.marks())
		list = append(list, c)
	}
	return list
}

// marks returns the instants of the deletion marks, as far as they are known.
func (r *listing) marks() map[graph.UID]time.Time {
	if r.markedAt == nil {
		r.markedAt = map[graph.UID]time.Time{}
		for i := range r.in.Objects {
			if o := &r.in.Objects[i]; !o.MarkedAt.IsZero() {
				r.markedAt[o.UID] = o.MarkedAt
			}
		}
	}
	return r.markedAt
}
