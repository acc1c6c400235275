package invariant

import (
	"strings"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/engine"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/sweep/plan"
)

// selects is the knowledge of labels that an engine had. A selection shows the
// labels of an object at a UID and a version. An object matches no selector if a
// selection without it is complete that began when the version was known.
type selects struct {
	shown  map[shown]string     // the value of the label of a match
	since  map[graph.Key]uint64 // the time at which an object's version became known
	passes map[selecting]uint64 // the begin of the newest complete selection
	began  map[selecting]uint64 // the begin of the selection under way
}

// selecting names the selections of a kind for Members of a plan.
type selecting struct {
	plan    *plan.Plan
	members int
	kind    graph.Kind
}

// shown names a version of an object in a selection.
type shown struct {
	selecting
	key     graph.Key
	version graph.Version
}

func newSelects() selects {
	return selects{
		shown: map[shown]string{}, since: map[graph.Key]uint64{},
		passes: map[selecting]uint64{}, began: map[selecting]uint64{},
	}
}

func (s *selects) reset() {
	clear(s.shown)
	clear(s.since)
	clear(s.passes)
	clear(s.began)
}

// note takes an event's object and the object of the event before.
func (s *selects) note(was graph.Object, o *graph.Object, now uint64) {
	if since, known := s.since[o.Key]; !known || since == 0 || was.Version != o.Version {
		s.since[o.Key] = now
	}
}

// serves reports whether a selection finds the matches of Members.
func serves(p *plan.Plan, members int, q ownergraph.SelectRequest) bool {
	all, label := p.Select(members, nil)
	rest, of := strings.CutPrefix(all, label)
	named := label != "" && of && strings.HasPrefix(q.Selector, label+" in (") && strings.HasSuffix(q.Selector, ")"+rest)
	return q.Label == label && (q.Selector == all || named)
}

// selected takes a page of a selection.
func (w *Witness) selected(q ownergraph.SelectRequest, r engine.Result, began uint64) {
	for _, p := range w.plans {
		for _, i := range p.LabelledMembers() {
			at := selecting{p, i, q.Kind}
			if !serves(p, i, q) {
				continue
			}
			if q.After == "" {
				w.selects.began[at] = began
			}
			if r.Err != nil {
				delete(w.selects.began, at)
				continue
			}
			for _, o := range r.Selected.Objects {
				w.selects.shown[shown{at, o.Key, o.Version}] = o.Value
			}
			if first := w.selects.began[at]; r.Selected.More == "" && first > 0 {
				w.selects.passes[at] = max(w.selects.passes[at], first)
				delete(w.selects.began, at)
			}
		}
	}
}

// shownLabels returns the value and the match of an object's labels for Members. It
// uses selections that showed exactly this version.
func (w *Witness) shownLabels(p *plan.Plan, members int, o graph.Object) (value string, match bool) {
	value, match = w.selects.shown[shown{selecting{p, members, o.Kind}, o.Key, o.Version}]
	return value, match
}

// labelsKnown reports whether selections showed the labels of an object at its
// version. The version was known since the given time. Only labels that decide a
// membership count.
func (w *Witness) labelsKnown(o graph.Object, known uint64) bool {
	for _, p := range w.plans {
		for _, i := range p.LabelledMembers() {
			at := selecting{p, i, o.Kind}
			_, is := w.selects.shown[shown{at, o.Key, o.Version}]
			if !is && p.NeedsLabels(i, o) && w.selects.passes[at] <= known {
				return false
			}
		}
	}
	return true
}

// unselected returns a kind without a complete selection that began after the given
// time. The selection is for the sweep of the finalizer.
func (w *Witness) unselected(name string, after uint64) (graph.Kind, bool) {
	for _, p := range w.plans {
		if name != p.Sweep().Finalizer {
			continue
		}
		for _, i := range p.LabelledMembers() {
			for kind, k := range w.kinds {
				if k.served && p.Takes(i, kind) && w.selects.passes[selecting{p, i, kind}] <= after {
					return kind, true
				}
			}
		}
	}
	return "", false
}
