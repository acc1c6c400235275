package lint

import (
	"fmt"
	"slices"

	"github.com/ownergraph/ownergraph/graph"
)

// checker is one run of Check.
type checker struct {
	ledger
	cfg   Config
	in    Input
	kinds map[graph.Kind]*Kind
	// lower has the kind that a name without capital letters stands for, on Kubernetes.
	lower map[graph.Kind]*Kind
	g     *graph.Graph
	// objects are in order of keys, and nodes has the node of each. The note of a node leads
	// back to its object.
	objects  []*Object
	nodes    []graph.NodeID
	handlers map[string]bool
	owned    map[graph.Kind]bool
	scopes   scopes
	ofPolicy map[graph.OnDelete]*ofPolicy // of all references with a policy
	contents map[graph.Content]int        // the number of members, nil before the first question
	wrong    map[int]wrongs               // by object, nil unless the caller asks for drops
	// lastFate is the fate of the object before the index judged, and lastEngine that by the
	// engine. An object with many references asks for them as often.
	judged               int
	lastFate, lastEngine Fate
}

// Check returns the findings of the input. It changes nothing, and keeps no part of the
// input. The work is in proportion to the number of objects and references.
//
// An error wraps graph.ErrInvalid and names the object and the field. It stands for an
// input that no store may have, as these are: an object without kind, name or UID, two
// objects at one place, a scope that the kind does not have, two kinds of one name.
//
//test:by TestPlantedFaults TestCheckErrors lint/live.TestSameFindings
func Check(in Input, cfg Config) (Report, error) {
	c, err := newChecker(in, cfg)
	if err != nil {
		return Report{}, err
	}
	c.run()
	return c.report(), nil
}

func newChecker(in Input, cfg Config) (*checker, error) {
	c := &checker{cfg: cfg.withDefaults(), in: in, ofPolicy: map[graph.OnDelete]*ofPolicy{}, handlers: map[string]bool{}, owned: map[graph.Kind]bool{}}
	c.ledger = ledger{ignore: cfg.Ignore, perCode: c.cfg.PerCode}
	var err error
	if c.kinds, err = in.kinds(); err != nil {
		return nil, err
	}
	if in.Kubernetes {
		c.lower = lowerCase(c.kinds)
	}
	if c.objects, err = in.ordered(); err != nil {
		return nil, err
	}
	for _, f := range cfg.Handlers {
		c.handlers[f] = true
	}
	for _, k := range cfg.OwnedKinds {
		c.owned[k] = true
	}
	if err := c.load(); err != nil {
		return nil, fmt.Errorf("check: %w", err)
	}
	c.scopes = newScopes(c.in.Kinds, c.objects)
	return c, nil
}

// run makes the findings.
func (c *checker) run() {
	for i := range c.objects {
		c.object(i)
	}
	rings := c.cycles()
	c.rings(rings)
	c.depths(rings)
	c.constraints()
	c.restrictRings()
	c.dormant()
}

// load puts the objects into a graph. The kinds of objects that no kind of the input has
// are known at first, so that the graph takes the objects. Then the graph learns that the
// store does not serve them.
func (c *checker) load() error {
	c.g = graph.New(graph.Config{Limits: c.cfg.Limits, Policies: true}) // a policy that does not act yet is no flaw
	served := make([]graph.KindInfo, 0, len(c.in.Kinds))
	for _, k := range c.in.Kinds {
		served = append(served, k.KindInfo)
	}
	slices.SortFunc(served, func(a, b graph.KindInfo) int { return graph.Key{Kind: a.Kind}.Compare(graph.Key{Kind: b.Kind}) })
	all := append(slices.Clone(served), c.unserved()...)
	events := []graph.Event{{Type: graph.KindsKnown, Kinds: all}}
	for _, k := range all {
		events = append(events, graph.Event{Type: graph.ListBegun, Kind: k.Kind})
	}
	if err := c.apply(events); err != nil {
		return err
	}
	if err := c.put(); err != nil {
		return err
	}
	events = events[:0]
	for _, k := range served {
		if c.kinds[k.Kind].Listed {
			events = append(events, graph.Event{Type: graph.ListEnded, Kind: k.Kind})
		}
	}
	return c.apply(append(events, graph.Event{Type: graph.KindsKnown, Kinds: served}))
}

// unserved returns the kinds of objects that the store does not serve, in their order.
func (c *checker) unserved() []graph.KindInfo {
	var list []graph.KindInfo
	for _, o := range c.objects {
		if c.kinds[o.Kind] == nil && o.Kind != "" && (len(list) == 0 || list[len(list)-1].Kind != o.Kind) {
			list = append(list, graph.KindInfo{Kind: o.Kind, Scoped: o.Scope != ""})
		}
	}
	return list
}

func (c *checker) apply(events []graph.Event) error {
	for i := range events {
		if _, err := c.g.Apply(events[i]); err != nil {
			return err
		}
	}
	return nil
}

// put applies the objects. A dump may lack versions, and the graph takes no object
// without one.
func (c *checker) put() error {
	c.nodes = make([]graph.NodeID, len(c.objects))
	for i, o := range c.objects {
		e := graph.Event{Type: graph.Put, Object: o.Object}
		if e.Object.Version == "" {
			e.Object.Version = "0"
		}
		d, err := c.g.Apply(e)
		if err != nil {
			return err
		}
		c.nodes[i] = d.Node
		c.g.SetNote(d.Node, uint64(i)+1)
	}
	return nil
}

// node returns the node of the i-th object.
func (c *checker) node(i int) graph.Node { return c.g.Node(c.nodes[i]) }

// of returns the object of a node, or -1 for a node without one.
func (c *checker) of(id graph.NodeID) int { return int(c.g.Note(id)) - 1 }

// add adds a finding whose fate has no other object, if the report takes it.
func (c *checker) add(code Code, s Severity, i int, field string, fate Fate, message string) {
	c.findings = append(c.findings, Finding{Code: code, Severity: s, Object: c.objects[i].Key, Field: field, Message: message, Fate: fate})
}
