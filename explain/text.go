package explain

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/spell"
	"github.com/ownergraph/ownergraph/policy"
)

// Sentence explains the object in one line, without a line break at its end: its state with the
// reason, and the actor that has to act next. It has no times of conditions.
func (x *Explanation) Sentence() string {
	s := speech{x: x}
	out := s.statement()
	if next := s.next(false); next != "" {
		out += " " + next
	}
	return out
}

// Text returns the explanation as lines for a person: the state of the object, the actor that has
// to act, the proof of a deletion, the owners, the chain of conditions, and the remedy. A key has
// the form that the commands read, without a UID. No text of an object can control a terminal.
// Every line ends with a line break.
//
//test:by TestTextOfEnds TestTextOfActions TestTextOfStates TestTextControlsNoTerminal
func (x *Explanation) Text() string { return speech{x: x}.text() }

// Wide returns Text with the UID of each object, and with the flags of each owner reference.
//
//test:by TestWide
func (x *Explanation) Wide() string { return speech{x: x, wide: true}.text() }

// speech makes the sentences about one explanation.
type speech struct {
	x    *Explanation
	wide bool // with UIDs and the flags of references
}

func (s speech) text() string {
	x := s.x
	var b strings.Builder
	fmt.Fprintln(&b, s.statement())
	if next := s.next(true); next != "" {
		fmt.Fprintln(&b, next)
	}
	s.deletion(&b, x.Deletion)
	s.owners(&b, x.Owners, x.OwnersCut, Owner.now)
	s.chain(&b)
	if len(x.SweepsInScope) > 0 {
		fmt.Fprintf(&b, "Members outside its scope are not covered by the sweep of %s (%s).\n", s.key(x.Key), spell.Line(strings.Join(x.SweepsInScope, ", ")))
	}
	if remedy := s.remedy(); remedy != "" {
		fmt.Fprintf(&b, "Remedy: %s\n", remedy)
	}
	if !x.Look.IsZero() {
		fmt.Fprintf(&b, "The engine looks again at %s.\n", stamp(x.Look))
	}
	if !x.Changed.IsZero() && x.State == Exists {
		fmt.Fprintf(&b, "Last change: %s.\n", stamp(x.Changed))
	}
	return b.String()
}

// remedy returns the remedy for the deciding reason. It is empty for an object that rests or moves,
// and where nothing is needed.
func (s speech) remedy() string {
	pace, next := s.x.Pace()
	if pace <= Moving || s.x.isContained() {
		return ""
	}
	reason, doubt := next.Reason, next.Doubt
	if reason == policy.ObserveOnly {
		reason, doubt = s.x.Decision.Reason, s.x.Decision.Doubt
	}
	if s.x.isRestricted() && (reason == policy.NoOwners || reason == policy.NoOwnerDeletes) {
		reason = policy.Restricted // nothing but the restriction is to be mended
	}
	article := policy.About(reason)
	if reason == policy.OwnerUnknown && doubt != graph.DoubtUnset {
		article = policy.AboutDoubt(doubt)
	}
	if article.Remedy == "None is needed." {
		return ""
	}
	return article.Remedy
}

// key spells a key.
func (s speech) key(k graph.Key) string {
	if s.wide && k.UID != "" {
		return k.Text() + " (UID " + spell.Clip(string(k.UID)) + ")"
	}
	return k.Text()
}

// keys spells keys, and counts those beyond the bound and more others.
func (s speech) keys(list []graph.Key, more int) string {
	names := make([]string, 0, spell.MaxNamed)
	for _, k := range list[:min(len(list), spell.MaxNamed)] {
		names = append(names, s.key(k))
	}
	return and(names, more+len(list)-len(names))
}

// and joins names, and counts more of them.
func and(names []string, more int) string {
	if more > 0 {
		names = append(slices.Clip(names), fmt.Sprint(more, " more"))
	}
	if n := len(names); n > 1 {
		return strings.Join(names[:n-1], ", ") + " and " + names[n-1]
	}
	return strings.Join(names, "")
}

func stamp(t time.Time) string { return t.UTC().Format(time.RFC3339) }

// number returns "1 owner", "2 owners".
func number(n int, noun string) string { return spell.Count(uint64(max(n, 0)), noun) }
