package processes

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/ownergraph/ownergraph/graph"
)

// creators bounds the calls of users at once.
const creators = 16

// cascade is an owner with its dependents. One more has another owner too, which keeps it.
type cascade struct {
	how        graph.Propagation
	owner      graph.Object
	dependents []graph.Object
	kept       graph.Object
}

// keys returns the keys of all objects.
func (c *cascade) keys() []graph.Key {
	out := []graph.Key{c.owner.Key, c.kept.Key}
	for _, d := range c.dependents {
		out = append(out, d.Key)
	}
	return out
}

// needed returns the number of writes that the cascade takes: one for each dependent, and one for
// the finalizer of the propagation.
func (c *cascade) needed() int {
	n := len(c.dependents) + 1
	if c.how != graph.Background {
		n++
	}
	return n
}

func needed(list []*cascade) (n int) {
	for _, c := range list {
		n += c.needed()
	}
	return n
}

// fault returns the difference between the objects and the end of the cascade, "" for none.
func (c *cascade) fault(keeper graph.UID, live map[graph.UID]graph.Object) string {
	var faults []string
	wrong := func(o graph.Object, text string) { faults = append(faults, o.Key.String()+" "+text) }
	if o, is := live[c.owner.UID]; is {
		wrong(o, "is there")
	}
	for _, d := range c.dependents {
		switch o, is := live[d.UID]; {
		case c.how != graph.Orphan && is:
			wrong(o, "is there")
		case c.how == graph.Orphan && !is:
			wrong(d, "has gone")
		case is && len(o.Owners) > 0:
			wrong(o, "has an owner")
		}
	}
	switch o, is := live[c.kept.UID]; {
	case !is:
		wrong(c.kept, "has gone")
	case len(o.Owners) != 1 || o.Owners[0].UID != keeper:
		wrong(o, fmt.Sprintf("has the owners %v", o.Owners))
	}
	if len(faults) == 0 {
		return ""
	}
	return fmt.Sprintf("%d faults of %s, %s: %s", len(faults), c.owner.Key, c.how, strings.Join(faults[:min(len(faults), 3)], "; "))
}

// propagation returns the propagation of the i-th cascade.
func propagation(i int) graph.Propagation {
	switch i % 10 {
	case 3, 8:
		return graph.Foreground
	case 6:
		return graph.Orphan
	}
	return graph.Background
}

// createCascades makes n cascades.
func (p *Proof) createCascades(n int) []*cascade {
	p.t.Helper()
	list := make([]*cascade, n)
	for i := range list {
		p.made++
		list[i] = &cascade{how: propagation(i), owner: graph.Object{Key: graph.Key{Kind: p.owner, Scope: p.scope, Name: fmt.Sprint("owner-", p.made)}}}
	}
	p.parallel(list, func(ctx context.Context, c *cascade) (err error) {
		c.owner, err = p.site.Create(ctx, c.owner)
		return err
	})
	p.parallel(list, p.createBelow)
	return list
}

// createBelow makes the dependents of a cascade.
func (p *Proof) createBelow(ctx context.Context, c *cascade) (err error) {
	below := func(name string, owners ...graph.Object) (graph.Object, error) {
		o := graph.Object{Key: graph.Key{Kind: p.dependent, Scope: p.scope, Name: c.owner.Name + "-" + name}}
		for _, owner := range owners {
			o.Owners = append(o.Owners, graph.Owner{Key: owner.Key, Block: true})
		}
		return p.site.Create(ctx, o)
	}
	for i := range p.size.Dependents {
		o, err := below(fmt.Sprint(i), c.owner)
		if err != nil {
			return err
		}
		c.dependents = append(c.dependents, o)
	}
	c.kept, err = below("kept", c.owner, p.keeper)
	return err
}

// parallel calls a function for each cascade, with some calls at once. It fails the test.
func (p *Proof) parallel(list []*cascade, do func(context.Context, *cascade) error) {
	p.t.Helper()
	var work sync.WaitGroup
	errs, places := make([]error, len(list)), make(chan struct{}, creators)
	for i, c := range list {
		places <- struct{}{}
		work.Go(func() {
			defer func() { <-places }()
			errs[i] = do(p.ctx, c)
		})
	}
	work.Wait()
	if err := errors.Join(errs...); err != nil {
		p.t.Fatal(err)
	}
}
