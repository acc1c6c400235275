package cli

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/ownergraph/ownergraph/graph"

	"github.com/spf13/cobra"

	"github.com/ownergraph/ownergraph/internal/printing"
	"github.com/ownergraph/ownergraph/internal/spell"
)

func (a *app) lsCommand() *cobra.Command {
	return a.listCommand(&cobra.Command{
		Use:   "ls",
		Short: "List the kinds, with the counts of their objects",
		Long: `List the kinds of a dump, a store or a cluster, with the counts of their objects. ROOTS counts the
objects without an owner and with dependents, OWNED those with an owner, MARKED those with a
deletion mark, and HELD those with a mark and the finalizer of a controller. The last line has the
sums. "roots" lists the roots.`,
		Example: a.examples("ls --store sqlite:app.db", "ls -f all.json -n shop", "", "ls -A"),
	}, func(ctx context.Context) error { return a.ls(ctx) })
}

func (a *app) rootsCommand() *cobra.Command {
	limit := 0
	cmd := a.listCommand(&cobra.Command{
		Use:   "roots",
		Short: "List the objects that own others and have no owner",
		Long: `List the roots: the objects without an owner and with dependents. BELOW counts all objects below a
root. The root with the most objects stands first.`,
		Example: a.examples("roots --store sqlite:app.db", "roots -f all.json -n shop --limit 5", "", "roots -A"),
	}, func(ctx context.Context) error { return a.roots(ctx, limit) })
	cmd.Flags().IntVar(&limit, "limit", 20, "most roots in the text; 0 for all")
	return cmd
}

// listCommand completes a subcommand about all objects.
func (a *app) listCommand(cmd *cobra.Command, do func(context.Context) error) *cobra.Command {
	cmd.Args = cobra.NoArgs
	cmd.RunE = func(cmd *cobra.Command, _ []string) error { return do(cmd.Context()) }
	a.addSource(cmd)
	a.addFormat(cmd, printing.Plain())
	a.addEverywhere(cmd)
	return cmd
}

// kindCount is one kind with its counts.
type kindCount struct {
	Kind    graph.Kind `json:"kind"`
	Objects int        `json:"objects"`
	Roots   int        `json:"roots"`
	Owned   int        `json:"owned"`
	Marked  int        `json:"marked"`
	Held    int        `json:"held"`
}

// jsonKinds is the form ls/v1.
type jsonKinds struct {
	Schema string      `json:"schema"`
	Kinds  []kindCount `json:"kinds"`
	Sum    kindCount   `json:"sum"`
}

// ls writes the kinds with their counts.
//
//test:by TestLs
func (a *app) ls(ctx context.Context) error {
	r, err := a.list(ctx)
	if err != nil {
		return err
	}
	out := r.kinds()
	if a.format == printing.JSON {
		return a.printer().JSON(out)
	}
	var text strings.Builder
	w := tabwriter.NewWriter(&text, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "KIND\tOBJECTS\tROOTS\tOWNED\tMARKED\tHELD")
	for _, k := range append(out.Kinds, out.Sum) {
		name := k.Kind.Text()
		if k.Kind == "" {
			name = spell.Count(uint64(len(out.Kinds)), "kind")
		}
		fmt.Fprintf(w, "%s\t%d\t%d\t%d\t%d\t%d\n", spell.Line(name), k.Objects, k.Roots, k.Owned, k.Marked, k.Held)
	}
	_ = w.Flush() // a strings.Builder does not fail
	return a.printer().Text(text.String() + r.unread())
}

// unread is the line about kinds that were not read, or "".
func (r *listing) unread() string {
	if r.note == "" {
		return ""
	}
	return strings.Trim(r.note, " ()") + "\n"
}

func (r *listing) kinds() jsonKinds {
	counts := map[graph.Kind]*kindCount{}
	owners := r.owners()
	out := jsonKinds{Schema: "ls/v1", Kinds: []kindCount{}}
	for i := range r.content.Objects {
		o := &r.content.Objects[i]
		if !r.inside(o.Key) {
			continue
		}
		if counts[o.Kind] == nil {
			counts[o.Kind] = &kindCount{Kind: o.Kind}
		}
		for _, c := range []*kindCount{counts[o.Kind], &out.Sum} {
			c.count(o, owners)
		}
	}
	for _, kind := range slices.Sorted(maps.Keys(counts)) {
		out.Kinds = append(out.Kinds, *counts[kind])
	}
	return out
}

func (c *kindCount) count(o *graph.Object, owners map[graph.UID]bool) {
	c.Objects++
	switch {
	case len(o.Owners) > 0:
		c.Owned++
	case owners[o.UID]:
		c.Roots++
	}
	if o.Deleting {
		c.Marked++
		if len(foreignFinalizers(o)) > 0 {
			c.Held++
		}
	}
}

// owners returns the UIDs that a reference of another object names.
func (r *listing) owners() map[graph.UID]bool {
	named := map[graph.UID]bool{}
	for i := range r.content.Objects {
		for _, owner := range r.content.Objects[i].Owners {
			if owner.UID != r.content.Objects[i].UID {
				named[owner.UID] = true
			}
		}
	}
	return named
}

// root is an object without an owner and with dependents.
type root struct {
	Kind   graph.Kind `json:"kind"`
	Scope  string     `json:"scope,omitempty"`
	Name   string     `json:"name"`
	UID    graph.UID  `json:"uid"`
	Below  int        `json:"below"`
	Marked bool       `json:"marked,omitempty"`
}

// jsonRoots is the form roots/v1.
type jsonRoots struct {
	Schema string `json:"schema"`
	Roots  []root `json:"roots"`
}

// roots writes the roots, the largest first.
//
//test:by TestRoots
func (a *app) roots(ctx context.Context, limit int) error {
	r, err := a.list(ctx)
	if err != nil {
		return err
	}
	list := r.roots()
	if a.format == printing.JSON {
		return a.printer().JSON(jsonRoots{"roots/v1", list})
	}
	var text strings.Builder
	w := tabwriter.NewWriter(&text, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "ROOT\tBELOW")
	for i, one := range list {
		if i == limit && limit > 0 {
			break
		}
		mark := ""
		if one.Marked {
			mark = "\tmarked for deletion"
		}
		fmt.Fprintf(w, "%s\t%d%s\n", graph.Key{Kind: one.Kind, Scope: one.Scope, Name: one.Name, UID: one.UID}.Text(), one.Below, mark)
	}
	_ = w.Flush() // a strings.Builder does not fail
	if more := len(list) - limit; more > 0 && limit > 0 {
		fmt.Fprintf(&text, "... and %s: see --limit\n", spell.Count(uint64(more), "more root"))
	}
	if len(list) == 0 {
		return a.printer().Text("no object owns another\n" + r.unread())
	}
	return a.printer().Text(text.String() + r.unread())
}

func (r *listing) roots() []root {
	list, owners := []root{}, r.owners()
	below := r.index
	for i := range r.content.Objects {
		o := &r.content.Objects[i]
		if len(o.Owners) > 0 || !owners[o.UID] || !r.inside(o.Key) {
			continue
		}
		list = append(list, root{o.Kind, o.Scope, o.Name, o.UID, len(below.Below(o.Key)) - 1, o.Deleting})
	}
	slices.SortStableFunc(list, func(a, b root) int {
		return cmp.Or(cmp.Compare(b.Below, a.Below), graph.Key{Kind: a.Kind, Scope: a.Scope, Name: a.Name}.Compare(graph.Key{Kind: b.Kind, Scope: b.Scope, Name: b.Name}))
	})
	return list
}
