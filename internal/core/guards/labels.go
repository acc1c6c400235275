package guards

import (
	"maps"
	"slices"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/selecting"
	"github.com/ownergraph/ownergraph/internal/core/seq"
	"github.com/ownergraph/ownergraph/policy"
)

// Labels follows the protection of objects by labels. Labels are no part of an object, so the
// store is asked for the objects that a rule selects. UID and version fix the labels of an
// object, until a rewind (RULES, G1):
//
//   - An object is protected at a version that a selection has shown.
//   - It is not protected at a version if a complete selection did not bring it at that version
//     or a later one, and began after the version was known.
//   - Otherwise its protection is unknown.
//
// New makes it. It is not safe for concurrent use.
//
// Its invariants, which Check verifies:
//
//  1. a selection under way is of a rule with a selector
//  2. the wanted selections are sorted, and each stands there once
type Labels struct {
	rules   []labelRule
	matches map[matchKey]match
	done    map[selecting.Key]selection
	wanted  []selecting.Key
	waiting map[graph.NodeID]bool // objects to decide again after the next selection
	recall  map[graph.Key]string  // of a fork: the knowledge of each object, by the name of the rule

	restored *Shown // of a fork: the known members

	at    selecting.Key
	under bool
	began seq.Stamp // the first page was requested, 0 before that
	after string    // the cursor of the last page
	call  uint64    // the page under way, 0 without one
	page  int
}

// matchKey names the match of an object with a rule.
type matchKey struct {
	rule int
	key  graph.Key
}

// labelRule is a rule that depends on labels.
type labelRule struct {
	name            string // of a protection
	takes           func(graph.Kind) bool
	selects         func(*graph.Object) bool // by all conditions but the labels
	selector, label string
}

// match says that a selection has shown an object at a version.
type match struct {
	version graph.Version
	value   string    // of the label in the request
	began   seq.Stamp // the newest selection that showed it
}

// selection is the state of the selections of one key.
type selection struct {
	began seq.Stamp // the newest one that is complete
	pace  selecting.Pace
	err   string // of the last one, "" for none
}

// newLabels returns the protection by labels of rules. Page is the number of objects in a page.
func newLabels(r Rules, page int) Labels {
	l := Labels{page: page, matches: map[matchKey]match{}, done: map[selecting.Key]selection{}, waiting: map[graph.NodeID]bool{}}
	for _, i := range r.labelled {
		p := &r.list[i]
		l.rules = append(l.rules, labelRule{
			name: ruleName(p.Name, "Protect", i), selector: p.Selector,
			takes:   func(k graph.Kind) bool { return within(p.Kinds, k) },
			selects: func(o *graph.Object) bool { return selects(p.Kinds, p.Scopes, p.Names, p.Where, o) },
		})
	}
	return l
}

// Any reports whether a rule has a selector.
func (l *Labels) Any() bool { return len(l.rules) > 0 }

// State returns the name of the rule that protects an object by its labels, "" for none. Unknown
// says that a selection has to tell. Known is the moment at which the object's version became
// known, and rewound that of the last rewind.
func (l *Labels) State(o *graph.Object, known, rewound seq.Stamp) (rule string, unknown bool) {
	for i := range l.rules {
		if !l.rules[i].selects(o) {
			continue
		}
		if l.recall != nil {
			name, ok := l.recall[o.Key]
			return name, !ok
		}
		m, is := l.matches[matchKey{i, o.Key}]
		is = is && m.began > rewound
		switch s := l.done[selecting.Key{Rule: i, Kind: o.Kind}]; {
		case is && m.version == o.Version:
			return l.rules[i].name, false
		case s.began > max(known, rewound) && (!is || s.began > m.began):
		default:
			unknown = true
		}
	}
	return "", unknown
}

// MayProtect reports whether a rule protects an object by its labels, or a selection has to tell.
// Known and rewound are as in State.
func (l *Labels) MayProtect(o *graph.Object, known, rewound seq.Stamp) bool {
	rule, unknown := l.State(o, known, rewound)
	return rule != "" || unknown
}

// Judge returns Protected for an object that its labels protect. If a selection has to tell, it
// returns ProtectionUnknown, and Want asks for that selection.
func (l *Labels) Judge(v View, id graph.NodeID, o *graph.Object) policy.Reason {
	switch rule, unknown := l.State(o, v.State(id).Known, v.Kinds.Rewound()); {
	case rule != "":
		return policy.Protected
	case unknown:
		return policy.ProtectionUnknown
	}
	return policy.ReasonUnset
}

// Want asks for the selections that tell the protection of an object, and for a decision
// after them.
func (l *Labels) Want(v View, id graph.NodeID, o *graph.Object) {
	if l.recall != nil { // a fork asks nothing
		return
	}
	for i := range l.rules {
		if l.rules[i].selects(o) {
			l.want(v, selecting.Key{Rule: i, Kind: o.Kind}, v.State(id).Known)
		}
	}
	l.waiting[id] = true
}

// SelectedAt returns the moment as of which complete selections show the protected objects of
// every kind. It is the last moment without a rule, and in a fork.
func (l *Labels) SelectedAt(v View) seq.Stamp {
	at := seq.Max
	if l.recall != nil {
		return at
	}
	for i := range l.rules {
		for name, k := range v.Kinds.All() {
			if k.Part && l.rules[i].takes(name) {
				at = min(at, l.done[selecting.Key{Rule: i, Kind: name}].began)
			}
		}
	}
	return at
}

// WantAll asks for a selection of every kind that begins after the moment. The root is decided
// again after them.
func (l *Labels) WantAll(v View, id graph.NodeID, after seq.Stamp) {
	if l.WantKinds(v, after) {
		l.waiting[id] = true
	}
}

// WantKinds asks for a selection of every kind that begins after the moment. It reports whether a
// rule takes a kind.
func (l *Labels) WantKinds(v View, after seq.Stamp) (takes bool) {
	if l.recall != nil { // a fork asks nothing
		return false
	}
	for i := range l.rules {
		for name := range v.Kinds.All() {
			if l.rules[i].takes(name) {
				l.want(v, selecting.Key{Rule: i, Kind: name}, after)
				takes = true
			}
		}
	}
	return takes
}

// want asks for a selection that begins after the moment. A fork asks nothing.
func (l *Labels) want(v View, k selecting.Key, after seq.Stamp) {
	if l.recall != nil || l.done[k].began > after || l.under && l.at == k && l.began > after || !v.Kinds.Of(k.Kind).Part {
		return
	}
	if i, in := slices.BinarySearchFunc(l.wanted, k, selecting.Key.Compare); !in {
		l.wanted = slices.Insert(l.wanted, i, k)
	}
}

// Leave forgets an object that is gone.
func (l *Labels) Leave(id graph.NodeID, k graph.Key) {
	delete(l.waiting, id)
	for i := range l.rules {
		delete(l.matches, matchKey{i, k})
	}
}

// Clone returns a copy that shares nothing with l that either may change.
func (l *Labels) Clone() Labels {
	c := *l
	c.matches, c.done, c.waiting = maps.Clone(l.matches), maps.Clone(l.done), maps.Clone(l.waiting)
	c.wanted = slices.Clone(l.wanted)
	return c
}

// Recall tells a fork the protection of each object, by the name of the rule. An object that
// is not there is unknown.
func (l *Labels) Recall(known map[graph.Key]string) { l.recall = known }
