package main

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/ownergraph/ownergraph/adapters/clientgo"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/namespace"
	"github.com/ownergraph/ownergraph/internal/offline"
	"github.com/ownergraph/ownergraph/internal/printing"
	"github.com/ownergraph/ownergraph/internal/spell"
	"github.com/ownergraph/ownergraph/lint"
	"github.com/spf13/cobra"
)

func (a *app) topCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "top",
		Short: "List the cascades in progress",
		Long: `List the deletions in progress in a namespace, or everywhere with -A, the oldest first. A row
is the root of a cascade: an object with a deletion mark, whose owners have none. A namespace
stands for its content. Owners that are gone come last, with the dependents that are left, also
with those that have a mark.

LEFT counts the root and the objects below it, MARKED those with a mark. HELD BY has the
finalizers of the marked objects, apart from those of a propagation and of a namespace.

Exit code 1: no kind could be listed.`,
		Example: `  kubectl ownergraph top -A
  kubectl ownergraph top -n shop -o json`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return a.top(cmd.Context()) },
	}
	a.addFormat(cmd, printing.Plain())
	a.addEverywhere(cmd)
	return cmd
}

// topAnswer is the form kubectl-ownergraph.top/v1.
type topAnswer struct {
	Schema   string    `json:"schema"`
	Cascades []cascade `json:"cascades"`
	Unknown  unknown   `json:"unknown"`
}

// cascade is one deletion in progress.
type cascade struct {
	Kind        graph.Kind `json:"kind"`
	Scope       string     `json:"scope,omitempty"`
	Name        string     `json:"name"`
	UID         graph.UID  `json:"uid"`
	Propagation string     `json:"propagation"` // "gone" for an owner that is gone
	MarkedAt    *time.Time `json:"markedAt,omitempty"`
	Left        int        `json:"left"`
	Marked      int        `json:"marked"`
	HeldBy      []string   `json:"heldBy"`

	objects []graph.Object // the root and those below it
}

func (a *app) top(ctx context.Context) error {
	r, inside, err := a.readInside(ctx)
	if err != nil {
		return err
	}
	list := r.cascades(inside)
	shown := covered(list)
	u := unknowns(r.in, r.part(func(k graph.Key) bool { return inside(k) || shown[k.UID] }), "")
	if a.format == printing.JSON {
		return a.printer().JSON(topAnswer{"kubectl-ownergraph.top/v1", append([]cascade{}, list...), u})
	}
	text := topText(list, a.now())
	if len(list) == 0 {
		text = "no cascade in progress" + a.unreadNote(r.in) + "\n"
	}
	return a.printer().Text(text + u.text())
}

// cascades returns the deletions in progress that have an object inside, the oldest first. A
// ring of marked objects has no root, so its first object stands for it. No object has two rows.
//
//test:by TestGolden TestTop TestTopOnce
func (r *reading) cascades(inside func(graph.Key) bool) (list []cascade) {
	marked := map[graph.UID]bool{}
	ending, index := map[string]bool{}, r.index() // ending namespaces
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
		return !slices.ContainsFunc(c.objects, func(o graph.Object) bool { return inside(o.Key) })
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
func (r *reading) rings(list []cascade, ending map[string]bool, index *offline.Index) (rings []cascade) {
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

func (r *reading) cascade(o *lint.Object, index *offline.Index) cascade {
	c := cascade{Kind: o.Kind, Scope: o.Scope, Name: o.Name, UID: o.UID, Propagation: propagationOf(o)}
	if !o.MarkedAt.IsZero() {
		at := o.MarkedAt.UTC()
		c.MarkedAt = &at
	}
	if o.Kind != namespaceKind {
		c.count(index.Below(o.Key))
		return c
	}
	c.count(slices.DeleteFunc(slices.Clone(r.content.Objects), func(in graph.Object) bool { return in.Scope != o.Name && in.Key != o.Key }))
	return c
}

func (c *cascade) count(objects []graph.Object) {
	finalizers, counted := map[string]bool{}, map[graph.UID]bool{}
	c.objects = objects
	for _, o := range objects {
		if counted[o.UID] { // below several dependents of an owner that is gone
			continue
		}
		counted[o.UID] = true
		c.Left++
		if !o.Deleting {
			continue
		}
		c.Marked++
		for _, f := range o.Finalizers {
			if f != graph.FinalizerForeground && f != graph.FinalizerOrphan && f != clientgo.NamespaceFinalizer {
				finalizers[f] = true
			}
		}
	}
	c.HeldBy = append([]string{}, slices.Sorted(maps.Keys(finalizers))...)
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
func (r *reading) goneOwners(index *offline.Index) (list []cascade) {
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
		c.count(below)
		list = append(list, c)
	}
	return list
}

func topText(list []cascade, now time.Time) string {
	var out strings.Builder
	w := tabwriter.NewWriter(&out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "ROOT\tHOW\tAGE\tLEFT\tMARKED\tHELD BY")
	for _, c := range list {
		since := "-"
		if c.MarkedAt != nil {
			since = age(now, *c.MarkedAt)
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%d\t%d\t%s\n", spell.Key(graph.Key{Kind: c.Kind, Scope: c.Scope, Name: c.Name, UID: c.UID}), c.Propagation, since, c.Left, c.Marked, namespace.Finalizers(c.HeldBy))
	}
	_ = w.Flush() // a strings.Builder does not fail
	return out.String()
}
