package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/printing"
	"github.com/ownergraph/ownergraph/internal/spell"
)

// spelling is an object as a user names it. Scope "" is that of -n, or any.
type spelling struct{ typ, scope, name string }

// String returns the input of spell.ParseTarget.
func (n spelling) String() string {
	switch {
	case n.typ == "": // in quotes
		return n.name
	case n.scope == "":
		return n.typ + "/" + n.name
	}
	return n.typ + "/" + n.scope + "/" + n.name
}

// namedIn returns the objects that the arguments name: TYPE/NAME..., TYPE/SCOPE/NAME..., or
// TYPE NAME.... A text in quotes is one exact name.
//
//test:by TestNamed TestResolve
func namedIn(args []string) (list []spelling, err error) {
	switch {
	case len(args) == 0:
		return nil, printing.UsageError("want an object: TYPE/NAME")
	case len(args) > 1 && !strings.Contains(args[0], "/"):
		for _, n := range args[1:] {
			list = append(list, spelling{args[0], "", n})
		}
	default:
		for _, arg := range args {
			n, err := parseNamed(arg)
			if err != nil {
				return nil, err
			}
			list = append(list, n)
		}
	}
	for _, n := range list {
		if n.name == "" || n.typ != "" && strings.Contains(n.name, "/") {
			return nil, printing.UsageError(fmt.Sprintf("%q: want TYPE/NAME, TYPE/SCOPE/NAME or TYPE NAME", strings.Join(args, " ")))
		}
	}
	return list, nil
}

func parseNamed(arg string) (spelling, error) {
	if strings.Contains(arg, `"`) {
		return spelling{name: arg}, nil
	}
	parts := strings.Split(arg, "/")
	if len(parts) < 2 || len(parts) > 3 || slices.Contains(parts, "") {
		return spelling{}, printing.UsageError(fmt.Sprintf("parse object %q: want KIND[.GROUP]/[SCOPE/]NAME, or TYPE NAME", arg))
	}
	n := spelling{typ: parts[0], name: parts[len(parts)-1]}
	if len(parts) == 3 {
		n.scope = parts[1]
	}
	return n, nil
}

// wantsObject checks the arguments of a subcommand about one object.
func (a *app) wantsObject(_ *cobra.Command, args []string) error {
	list, err := namedIn(args)
	if err == nil && len(list) != 1 {
		err = printing.UsageError("want one object: TYPE/NAME, TYPE/SCOPE/NAME or TYPE NAME")
	}
	return err
}

// onOne calls of for the object of a dump or a store, or ofCluster for that of a cluster.
func (a *app) onOne(ctx context.Context, args []string, of func(*content, graph.Object) error, inCluster func(context.Context, *reading, graph.Key) error) error {
	from, err := a.origin()
	if err != nil {
		return err
	}
	if from == ofCluster {
		return a.onObject(ctx, args, inCluster)
	}
	c, err := a.load(ctx)
	if err != nil {
		return err
	}
	objects, err := c.find(args, a.scope())
	if err != nil {
		return err
	}
	return of(&c, objects[0])
}

// find returns the objects that the arguments name. An object in the scope, or without one, comes
// before those of other scopes.
//
//test:by TestFindInScope
func (c *content) find(args []string, scope string) (list []graph.Object, err error) {
	if len(args) == 0 {
		return nil, nil
	}
	names, err := namedIn(args)
	if err != nil {
		return nil, err
	}
	for _, n := range names {
		t, err := spell.ParseTarget(n.String())
		if err != nil {
			return nil, printing.UsageError(err.Error())
		}
		o, err := c.findOne(t, n.scope, scope)
		if err != nil {
			return nil, err
		}
		list = append(list, o)
	}
	return list, nil
}

func (c *content) findOne(t spell.Target, own, scope string) (graph.Object, error) {
	if own != "" || scope == "" {
		return spell.Find(c.Objects, t)
	}
	inside := slices.DeleteFunc(slices.Clone(c.Objects), func(o graph.Object) bool { return o.Scope != scope && o.Scope != "" })
	o, err := spell.Find(inside, t)
	if err != nil {
		t.Scope = scope // the error names the objects of other scopes
		return spell.Find(c.Objects, t)
	}
	return o, nil
}
