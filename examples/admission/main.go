// Command admission checks the owner references of new objects before a store takes them. It
// refuses a reference by which a collector would soon delete the object, drop the reference, or
// hold the object for ever. The check is a help for users, and no proof: an owner may go afterwards.
//
//	go run ./examples/admission
package main

import (
	"context"
	"fmt"
	"io"
	"os"

	"github.com/ownergraph/ownergraph/examples/internal/command"
	"github.com/ownergraph/ownergraph/graph"
)

func main() {
	os.Exit(command.Run(context.Background(), "admission", os.Args[1:], os.Stdout, os.Stderr, run))
}

// admit returns an error that names the object and the field, for an owner that the object may not
// have. The error wraps graph.ErrInvalid for an object that no store may have, else graph.ErrRefused.
// An owner whose kind is not listed yet is no cause to refuse the object.
func admit(g *graph.Graph, o graph.Object) error {
	if err := graph.Validate(o, graph.Limits{}); err != nil {
		return err
	}
	for i, r := range o.Owners {
		if cause := flaw(g, o, r); cause != "" {
			return fmt.Errorf("create %s: owners[%d] %s: %s: %w", o.PlaceString(), i, r.PlaceString(), cause, graph.ErrRefused)
		}
	}
	return nil
}

// flaw returns the cause to refuse a reference, or "".
func flaw(g *graph.Graph, o graph.Object, r graph.Owner) string {
	class, doubt := g.Classify(o.Scope, r)
	owner, _ := g.Alive(r.UID)
	switch {
	case class == graph.Dangling:
		return "the owner is gone"
	case class == graph.Unknown && doubt != graph.Unlisted:
		return doubt.String()
	case class == graph.Waiting:
		return "the owner waits for its dependents, and would take the object along"
	case class == graph.Solid && owner.Orphaning():
		return "the owner leaves its dependents, and the reference would go"
	}
	return ""
}

// run admits and refuses objects.
//
// Tested by Example.
func run(_ context.Context, out io.Writer) error {
	stored, err := graph.Parse(`team/blue#1; repo/shop/site#2 -> team/blue; repo/other/app#3; team/red#4~[foreground];
		team/gold#5~[orphan]; team/grey#6; page/shop/old#7 -> team/grey`)
	if err != nil {
		return err
	}
	kinds := []graph.KindInfo{{Kind: "team"}, {Kind: "repo", Scoped: true}, {Kind: "page", Scoped: true}}
	g, err := graph.Load(graph.Config{}, kinds, stored)
	if err != nil {
		return err
	}
	if _, err := g.Apply(graph.Event{Type: graph.Gone, Key: stored[5].Key}); err != nil { // team/grey
		return err
	}
	created, err := graph.Parse(`page/shop/a -> team/blue, repo/shop/site!; page/shop/b -> team/grey; page/shop/c -> team/none;
		page/shop/d -> repo/other/app; page/shop/e -> team/red!; page/shop/f -> team/gold; page/shop/g -> user/x;
		page/shop/h -> team/blue@u; page/shop/i -> team/blue^, repo/shop/site^`)
	for _, o := range created {
		fmt.Fprintf(out, "%s: %v\n", o.PlaceString(), admit(g, o))
	}
	return err
}
