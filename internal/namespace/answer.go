package namespace

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"github.com/ownergraph/ownergraph/dump"
	"github.com/ownergraph/ownergraph/explain"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/lint"
)

// maxExplained bounds the remaining objects that are explained.
const maxExplained = 30

// Answer explains a namespace that does not terminate.
type Answer struct {
	// Conditions has those that are true, sorted by type.
	Conditions []dump.Condition `json:"conditions"`
	// Unread is the reason for which the conditions are not known.
	Unread    string          `json:"unread,omitempty"`
	Services  Services        `json:"services,omitzero"`
	Remaining []remainingKind `json:"remaining"`
	Next      []string        `json:"next"`
}

// remainingKind are the objects of one kind that remain. Objects has some of them.
type remainingKind struct {
	Kind    graph.Kind        `json:"kind"`
	Count   int               `json:"count"`
	Marked  int               `json:"marked"`
	Objects []remainingObject `json:"objects"`

	all []*lint.Object
}

type remainingObject struct {
	Finalizers  []string            `json:"finalizers"`
	MarkedAt    *time.Time          `json:"markedAt,omitempty"`
	Explanation explain.Explanation `json:"explanation"`

	key graph.Key
}

// New returns an answer about a namespace, and chooses the objects to explain: those with a
// mark and a finalizer before the others.
func New(objects []lint.Object, name string, conditions []dump.Condition) *Answer {
	n := &Answer{Conditions: append([]dump.Condition{}, conditions...), Remaining: []remainingKind{}, Next: []string{}}
	byKind := map[graph.Kind]*remainingKind{}
	for i := range objects {
		o := &objects[i]
		if o.Scope != name {
			continue
		}
		k := byKind[o.Kind]
		if k == nil {
			k = &remainingKind{Kind: o.Kind, Objects: []remainingObject{}}
			byKind[o.Kind] = k
		}
		k.Count++
		if o.Deleting {
			k.Marked++
		}
		k.all = append(k.all, o)
	}
	for _, kind := range slices.Sorted(maps.Keys(byKind)) {
		n.Remaining = append(n.Remaining, *byKind[kind])
	}
	n.choose()
	return n
}

// choose chooses objects of each kind in turn, so that one large kind hides no other.
func (n *Answer) choose() {
	for i := range n.Remaining {
		slices.SortStableFunc(n.Remaining[i].all, func(a, b *lint.Object) int {
			return cmp.Or(cmp.Compare(urgency(b), urgency(a)), a.Compare(b.Key))
		})
	}
	left, most := maxExplained, 0
	for i := range n.Remaining {
		most = max(most, len(n.Remaining[i].all))
	}
	for turn := 0; turn < most && left > 0; turn++ {
		for i := range n.Remaining {
			k := &n.Remaining[i]
			if turn >= len(k.all) || left == 0 {
				continue
			}
			left--
			o := k.all[turn]
			one := remainingObject{Finalizers: append([]string{}, o.Finalizers...), key: o.Key}
			if !o.MarkedAt.IsZero() {
				at := o.MarkedAt.UTC()
				one.MarkedAt = &at
			}
			k.Objects = append(k.Objects, one)
		}
	}
}

func urgency(o *lint.Object) int {
	n := min(len(o.Finalizers), 1)
	if o.Deleting {
		n += 2
	}
	return n
}

// Chosen returns the objects to explain.
func (n *Answer) Chosen() (keys []graph.Key) {
	for _, k := range n.Remaining {
		for _, o := range k.Objects {
			keys = append(keys, o.key)
		}
	}
	return keys
}

// Explained takes the explanations of the chosen objects, in their order.
func (n *Answer) Explained(list []explain.Explanation) {
	for i := range n.Remaining {
		for j := range n.Remaining[i].Objects {
			n.Remaining[i].Objects[j].Explanation, list = list[0], list[1:]
		}
	}
}
