package invariant

import (
	"strings"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/finalizer"
	"github.com/ownergraph/ownergraph/graph"
)

// selects is what an engine was told of labels. UID and version say which ones an
// object has; that it matches nothing is known of a version when a selection
// without it is complete that began when the version was known.
type selects struct {
	shown  map[shown]string     // the value of what matched
	since  map[graph.Key]uint64 // when the version of an object became known
	passes map[selecting]uint64 // when the newest selection began that is complete
	began  map[selecting]uint64 // when the one under way did
}

// selecting names the selections for some Members of a plan among a kind.
type selecting struct {
	plan    *finalizer.Plan
	members int
	kind    graph.Kind
}

// shown names a version of an object and for whom it was selected.
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

// note takes an object as it is told, and as it was told last.
func (s *selects) note(was graph.Object, o *graph.Object, now uint64) {
	if since, known := s.since[o.Key]; !known || since == 0 || was.Version != o.Version {
		s.since[o.Key] = now
	}
}

// serves reports whether a selection says who matches some Members.
func serves(p *finalizer.Plan, members int, q ownergraph.Selection) bool {
	all, label := p.Select(members, nil)
	rest, of := strings.CutPrefix(all, label)
	named := label != "" && of && strings.HasPrefix(q.Selector, label+" in (") && strings.HasSuffix(q.Selector, ")"+rest)
	return q.Label == label && (q.Selector == all || named)
}

// selected takes a page of a selection.
func (w *Witness) selected(q ownergraph.Selection, r ownergraph.Result, began uint64) {
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

// toldLabels says what the labels of an object are for some Members, as far as was
// told of exactly this version.
func (w *Witness) toldLabels(p *finalizer.Plan, members int, o graph.Object) (value string, match bool) {
	value, match = w.selects.shown[shown{selecting{p, members, o.Kind}, o.Key, o.Version}]
	return value, match
}

// labelsTold reports whether the engine was told what the labels of an object are
// at its version, which was known since a moment, as far as somebody's membership
// depends on them.
func (w *Witness) labelsTold(o graph.Object, known uint64) bool {
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

// unselected returns a kind of which no selection is complete that began after the
// moment, for the sweep that a finalizer stands for.
func (w *Witness) unselected(name string, after uint64) (graph.Kind, bool) {
	for _, p := range w.plans {
		if name != p.Sweep().Finalizer && name != p.Sweep().Confirm {
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
