package seed

import (
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/excerpt"
)

// Whole is a copy of an engine's graph under way. Restart begins it. A Whole is not safe for
// concurrent use.
type Whole struct {
	copy  *excerpt.Copy
	cfg   graph.Config
	kinds []graph.KindState
	begun int    // the number of objects at the beginning
	era   uint64 // the number of rewinds at the beginning
	torn  bool
}

// Restart begins the copy, or begins it anew after a rewind. The copied graph gets the settings.
func (w *Whole) Restart(v *View, cfg graph.Config) {
	w.Close(v)
	w.copy, w.begun, w.era, w.torn, w.cfg = excerpt.NewWhole(v.Graph), v.Graph.Observed(), v.Rewinds, false, cfg
	v.Open.Add(w.copy, nil)
}

// Close ends the copy. It may be called again.
func (w *Whole) Close(v *View) {
	if w.copy != nil {
		v.Open.Close(v.Graph, w.copy)
	}
}

// Step copies a slice of the objects. It returns true at the end, which closes the copy.
func (w *Whole) Step(v *View) (done bool) {
	if v.Rewinds != w.era {
		w.Restart(v, w.cfg)
	}
	if w.copy.Changes() > 1000+2*w.begun { // it would come to no end
		w.copy.Loosen()
		w.torn = true
	}
	if done = w.copy.Step(v.excerptView(), Slice); done {
		w.kinds = v.Graph.Kinds()
		w.Close(v)
	}
	return done
}

// Graph returns the graph of an ended copy, once. It needs no lock. It calls the functions of the
// settings that judge marks, which may panic. OneInstant says that the graph is that of the last
// step.
func (w *Whole) Graph() (g *graph.Graph, oneInstant bool, err error) {
	g, err = w.copy.Graph(w.cfg, w.kinds)
	return g, !w.torn, err
}
