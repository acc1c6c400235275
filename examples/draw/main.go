// Command draw prints a graph of objects in the DOT language of Graphviz. An edge leads from an
// owner to its dependent and has the class of the reference. An object has its decision, with the
// reason. The decisions rest on the graph alone, so some of them ask for more evidence.
//
//	go run ./examples/draw | dot -Tsvg > graph.svg
package main

import (
	"context"
	"fmt"
	"io"
	"os"

	"github.com/ownergraph/ownergraph/examples/internal/command"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/policy"
)

// listing has a team, a deletion in the foreground, and references to owners that are not there.
const listing = `team/blue#1; repo/site#2 -> team/blue; repo/docs#3 -> team/blue, team/red;
	page/home#4 -> repo/site!; release/v1#5~[foreground] -> repo/site; asset/zip#6 -> release/v1!;
	asset/old#7 -> release/v0; asset/lost#8 -> vault/x`

func main() {
	os.Exit(command.Run(context.Background(), "draw", os.Args[1:], os.Stdout, os.Stderr, run))
}

// run loads the listing, takes the end of one object, and draws the graph.
//
// Tested by Example.
func run(_ context.Context, out io.Writer) error {
	objects, err := graph.Parse(listing)
	if err != nil {
		return err
	}
	var kinds []graph.KindInfo
	for _, k := range []graph.Kind{"asset", "page", "release", "repo", "team"} {
		kinds = append(kinds, graph.KindInfo{Kind: k})
	}
	g, err := graph.Load(graph.Config{}, kinds, objects)
	if err != nil {
		return err
	}
	if _, err := g.Apply(graph.Event{Type: graph.Gone, Key: objects[1].Key}); err != nil { // repo/site
		return err
	}
	draw(out, g)
	blue, _ := g.Lookup(objects[0].Key)
	fmt.Fprintf(out, "// below %s:", blue.Key().PlaceString())
	for n := range blue.Descendants() {
		fmt.Fprint(out, " ", n.Key().PlaceString())
	}
	fmt.Fprintln(out)
	return nil
}

func draw(out io.Writer, g *graph.Graph) {
	fmt.Fprintln(out, "digraph {")
	for n := range g.Nodes() {
		place := n.Key().PlaceString()
		if n.State() != graph.Observed {
			fmt.Fprintf(out, "\t%q [style=dashed, label=%q]\n", place, place+"\n"+n.State().String())
			continue
		}
		f := policy.FactsOf(n)
		d := policy.Decide(&f, policy.Settings{}, nil)
		fmt.Fprintf(out, "\t%q [label=%q]\n", place, fmt.Sprintf("%s\n%s: %s", place, d.Action, policy.Words(d.Reason, d.Doubt)))
		for i, o := range n.OwnerNodes() {
			fmt.Fprintf(out, "\t%q -> %q [label=%q]\n", o.Key().PlaceString(), place, n.Reference(i).Class)
		}
	}
	fmt.Fprintln(out, "}")
}
