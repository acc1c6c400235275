package guards

import (
	"maps"
	"strconv"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/selecting"
	"github.com/ownergraph/ownergraph/internal/core/seq"
)

// newMembers returns the selections of members for verdicts. Page is the number of objects in a
// page.
func newMembers(rules []selecting.Rule, page int) Labels {
	l := newLabels(Rules{}, page)
	for _, r := range rules {
		l.rules = append(l.rules, labelRule{
			takes: r.Takes, selects: func(o *graph.Object) bool { return r.Needs(*o) }, selector: r.Selector, label: r.Label,
		})
	}
	return l
}

// Shown is what selections of members have shown. It is a value that no longer changes, so it is
// safe for concurrent use. Nil has shown nothing.
//
// The labels are those of one instant for each rule and kind. An object that gets a label later
// comes below the root after the verdict.
type Shown struct {
	matches map[matchKey]match
	done    map[selecting.Key]bool
}

// Shown returns what the complete selections have shown that began after the moment.
func (l *Labels) Shown(since seq.Stamp) *Shown {
	s := &Shown{matches: map[matchKey]match{}, done: map[selecting.Key]bool{}}
	for k, x := range l.done {
		if x.began > since {
			s.done[k] = true
		}
	}
	if len(s.done) > 0 {
		s.matches = maps.Clone(l.matches)
	}
	return s
}

// Restore tells a fork the members that selections have shown. The fork selects none itself.
func (l *Labels) Restore(s *Shown) { l.restored = s }

// Restored returns the members that a fork knows, or nil outside of one.
func (l *Labels) Restored() *Shown { return l.restored }

// Selected reports whether a selection has shown the members of a kind by a rule.
func (s *Shown) Selected(rule int, kind graph.Kind) bool {
	return s != nil && s.done[selecting.Key{Rule: rule, Kind: kind}]
}

// Value returns the label of an object, if a rule has matched it. Known says that a selection has
// told.
func (s *Shown) Value(rule int, k graph.Key) (value string, is, known bool) {
	if !s.Selected(rule, k.Kind) {
		return "", false, false
	}
	m, is := s.matches[matchKey{rule, k}]
	return m.value, is, true
}

// Text names the rules that have matched an object by what is restored, each with its label, on lines.
func (l *Labels) Text(k graph.Key) (text string) {
	for i := range l.rules {
		if value, is, _ := l.restored.Value(i, k); is {
			text += "\n" + strconv.Itoa(i) + "=" + value
		}
	}
	return text
}

// Forget drops all that selections have shown, if none is wanted. It frees the memory after the
// last root.
func (l *Labels) Forget() {
	if !l.under && len(l.wanted) == 0 {
		clear(l.matches)
		clear(l.done)
	}
}
