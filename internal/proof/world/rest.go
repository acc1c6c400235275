package world

import (
	"fmt"
	"strings"

	"github.com/ownergraph/ownergraph/engine"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/probe"
)

// Held returns the held objects of all engines, on one line.
func (w *World) Held() string {
	var out []string
	for _, s := range w.Sides {
		for _, h := range s.Engine.Held(16) {
			out = append(out, h.String())
		}
	}
	return strings.Join(out, "; ")
}

// Seen returns every node of an engine's graph with its version. It leaves out
// holders that are gone, and objects that only a selection has shown.
func Seen(e *engine.Engine) string {
	var b strings.Builder
	named, gone := map[graph.Key]bool{}, map[graph.Key]bool{}
	for _, s := range e.Sweeps(e.Stats().Sweeps.Running) {
		gone[s.Holder] = s.Gone
	}
	// The fingerprint visits every node and names it first.
	nodes := e.Stats().Nodes
	probe.Fingerprint(e, func(k graph.Key, v graph.Version) uint64 {
		if named[k] || len(named) == nodes {
			return 0
		}
		if named[k] = true; !(gone[k] && v != "") {
			fmt.Fprintf(&b, "%s#%s; ", k, v)
		}
		return 0
	})
	return b.String()
}

// Rebuilt returns the nodes and versions of a graph that it builds from a new listing
// of the store. It returns an error if the graph refuses that listing.
func (w *World) Rebuilt() (string, error) {
	cfg := w.cfgs[0]
	g := graph.New(graph.Config{Scope: cfg.Scope, OwnerName: cfg.OwnerName, Limits: cfg.Limits})
	events := []graph.Event{{Type: graph.KindsKnown, Kinds: w.Kinds}}
	for _, k := range w.Kinds {
		events = append(events, graph.Event{Type: graph.ListBegun, Kind: k.Kind})
	}
	for _, o := range w.Store.Objects() {
		events = append(events, graph.Event{Type: graph.Put, Object: o.Clone()})
	}
	for _, ev := range events {
		if _, err := g.Apply(ev); err != nil {
			return "", fmt.Errorf("list the store: the graph refuses an event: %w", err)
		}
	}
	var b strings.Builder
	for n := range g.Nodes() {
		fmt.Fprintf(&b, "%s#%s; ", n.Key(), n.Version())
	}
	return b.String(), nil
}
