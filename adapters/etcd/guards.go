package etcdstore

import (
	"maps"
	"slices"
	"strings"

	"github.com/ownergraph/ownergraph/graph"
)

// noteEnding notes whether an object ends by a foreground or an orphan deletion.
func (k *kindState) noteEnding(ending map[string]graph.Key, at string, o *graph.Object) (changed bool) {
	_, was := ending[at]
	ends := o.Deleting && o.Propagation() != graph.Unset && !k.info.NoOwner
	if ends {
		ending[at] = o.Key
	} else {
		delete(ending, at)
	}
	return was != ends
}

// blinds are the blind objects of a scope. The first one has the references for all of them.
type blinds struct {
	all   map[*unread]struct{}
	first *unread
}

// addBlind takes an object into the blind ones of its scope, if it is blind. It reports whether
// the object is the first one, and lacks the references to the owners that end.
func (w *watch) addBlind(b *unread) (first bool) {
	if !b.blind {
		return false
	}
	s := w.blind[b.object.Scope]
	if s == nil {
		s = &blinds{map[*unread]struct{}{}, b}
		if w.blind == nil {
			w.blind = map[string]*blinds{}
		}
		w.blind[b.object.Scope] = s
		first = true
	}
	s.all[b] = struct{}{}
	return first
}

// dropBlind takes an object out of the blind ones. Another one first takes over its references,
// and is reported with them. Otherwise an owner could end between the two reports.
//
//test:by TestBlindGuardMended
func (w *watch) dropBlind(b *unread) {
	s := w.blind[b.object.Scope]
	if s == nil {
		return
	}
	delete(s.all, b)
	switch {
	case len(s.all) == 0:
		delete(w.blind, b.object.Scope)
	case s.first == b:
		for s.first = range s.all {
			break
		}
		s.first.object.Owners = b.object.Owners
		s.first.report(w)
	}
}

// guardOwners lets a blind object refer to each owner that ends by a foreground or an orphan
// deletion, and that may be its owner: one of its scope, or a global one. The owner then waits.
// Otherwise its end would leave a reference that counts as dangling when the object can be
// read again. One blind object of a scope stands for the others. The watch calls it before
// each report of a fence, and the engine ends no such deletion without a later fence. From then on
// no report may lack the references, not even for a moment.
//
//test:by TestBlindHoldsOwners
func (w *watch) guardOwners() {
	if !w.stale {
		return
	}
	w.stale = false
	if len(w.blind) == 0 {
		return
	}
	owners := w.endingOwners()
	for _, scope := range slices.Sorted(maps.Keys(w.blind)) {
		b := w.blind[scope].first
		if refs := owners(scope); !slices.Equal(refs, b.object.Owners) {
			b.object.Owners = refs
			b.report(w)
		}
	}
}

// endingOwners returns a function that lists the owners that end and that an object of the scope
// may have.
func (w *watch) endingOwners() func(scope string) []graph.Owner {
	by := map[string][]graph.Owner{}
	for _, k := range w.list {
		for _, owner := range k.ending {
			if owner.Scope == "" || w.blind[owner.Scope] != nil {
				by[owner.Scope] = append(by[owner.Scope], graph.Owner{Key: owner, Block: true})
			}
		}
	}
	for _, list := range by {
		slices.SortFunc(list, func(a, b graph.Owner) int { return strings.Compare(a.Key.String(), b.Key.String()) })
	}
	return func(scope string) []graph.Owner {
		if scope == "" {
			return slices.Clone(by[""])
		}
		return slices.Concat(by[""], by[scope])
	}
}
