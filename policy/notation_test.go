package policy_test

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/policy"
)

// parseInput reads the input of a decision:
//
//	object | fact; fact; ... | moments
//
// The object is in graph's notation. Each fact is the state of the owner of the reference
// at its place. It is one of the words of owners, then "orphaning", "unacknowledged",
// "overdue", "unconfirmed", "remembered", "mark 2", "changed 2", "saw waiting 4", "same".
// Moments are the facts beside the owners, such as "known 3 passed 5 exact".
func parseInput(text string) (in input, set policy.Settings, err error) {
	part := strings.Split(text, "|")
	if len(part) != 3 {
		return in, set, fmt.Errorf("input %q: want object | facts | moments", text)
	}
	if in.Object, err = graph.ParseObject(part[0]); err != nil {
		return in, set, err
	}
	if strings.TrimSpace(part[1]) != "" {
		for _, fact := range strings.Split(part[1], ";") {
			o, err := parseFact(fact)
			if err != nil {
				return in, set, err
			}
			in.Owners = append(in.Owners, o)
		}
	}
	err = parseMoments(&in, &set, part[2])
	return in, set, err
}

// owners names the states of an owner by the graph, or by a read that proved absence.
func owners() map[string]policy.OwnerFacts {
	unknown := func(d graph.Doubt) policy.OwnerFacts { return policy.OwnerFacts{Class: graph.Unknown, Doubt: d} }
	return map[string]policy.OwnerFacts{
		"self":       {Self: true, Class: graph.Solid},
		"solid":      {Class: graph.Solid},
		"waiting":    {Class: graph.Waiting},
		"gone":       {Class: graph.Dangling},
		"unobserved": unknown(graph.Unobserved),
		"unlisted":   unknown(graph.Unlisted),
		"unresolved": unknown(graph.UnresolvedScope),
		"unserved":   unknown(graph.UnservedKind),
	}
}

func parseFact(text string) (policy.OwnerFacts, error) {
	w := words(strings.Fields(text))
	o, ok := owners()[w.next()]
	if !ok {
		return o, fmt.Errorf("fact %q: unknown owner", text)
	}
	for len(w) > 0 {
		switch word := w.next(); word {
		case "orphaning":
			o.Orphaning = true
		case "unacknowledged":
			o.Unacknowledged = true
		case "overdue":
			o.Overdue = true
		case "unconfirmed":
			o.Unconfirmed = true
		case "remembered":
			o.Remembered = true
		case "restricted":
			o.Restricted = true
		case "same":
			o.SameVersion = true
		case "mark":
			o.Mark = w.stamp()
		case "changed":
			o.Changed = w.stamp()
		case "saw":
			o.Read = map[string]policy.ReadState{
				"solid": policy.ReadSolid, "waiting": policy.ReadWaiting, "orphaning": policy.ReadOrphaning,
			}[w.next()]
			o.ReadBegan = w.stamp()
		default:
			return o, fmt.Errorf("fact %q: unknown word %q", text, word)
		}
	}
	return o, nil
}

func parseMoments(in *input, set *policy.Settings, text string) error {
	for w := words(strings.Fields(text)); len(w) > 0; {
		switch word := w.next(); word {
		case "known":
			in.Known = w.stamp()
		case "mark":
			in.Mark = w.stamp()
		case "passed":
			in.Fence.Passed = w.stamp()
		case "released":
			in.Fence.Released = w.stamp()
		case "referring":
			in.Referring = int(w.stamp())
		case "blocking":
			in.Blocking = int(w.stamp())
		case "ring":
			in.Ring = append(in.Ring, int(w.stamp()))
		case "exact":
			in.Fence.Exact = true
		case "held":
			in.Fence.Blocked = true
		case "restricted":
			in.Restricted = true
		case "retry":
			in.Retry = true
		case "flawed":
			in.Flawed = true
		case "unreadable":
			in.Flawed, in.Unreadable = true, true
		case "unacknowledged":
			in.Unacknowledged = true
		case "overdue":
			in.Overdue = true
		case "override":
			set.Override = true
		default:
			return fmt.Errorf("moments %q: unknown word %q", text, word)
		}
	}
	return nil
}

type words []string

func (w *words) next() string {
	if len(*w) == 0 {
		return ""
	}
	word := (*w)[0]
	*w = (*w)[1:]
	return word
}

func (w *words) stamp() policy.Moment {
	n, _ := strconv.ParseUint(w.next(), 10, 32)
	return policy.Moment(n)
}

// says renders a decision on one line: the action, its references, and the reason.
func says(o graph.Object, d policy.Decision) string {
	out := []string{d.Action.String()}
	switch d.Action {
	case policy.Delete:
		out = append(out, d.Propagation.String())
	case policy.Release:
		out = append(out, d.Finalizer)
	}
	for _, i := range d.Owners {
		out = append(out, o.Owners[i].Name)
	}
	if d.BestEffort {
		out = append(out, "(best effort)")
	}
	why := d.Reason.String()
	if d.Reason == policy.OwnerUnknown {
		why = d.Doubt.String()
	}
	return strings.Join(out, " ") + ": " + why
}

// input is an input of Decide with the object whose facts it has.
type input struct {
	policy.Facts
	Object graph.Object
}

// facts returns the input with the facts of the object, in lists of its own.
func (in input) facts() *policy.Facts {
	out, o := clone(in).Facts, in.Object
	out.Deleting, out.Finalizers, out.Propagation = o.Deleting, len(o.Finalizers) > 0, o.Propagation()
	out.References = len(o.Owners)
	for i := range min(len(out.Owners), len(o.Owners)) {
		if out.Owners[i].Block = o.Owners[i].Block; o.Owners[i].OnDelete != graph.OnDeleteUnset { // of the table
			out.Owners[i].OnDelete = o.Owners[i].OnDelete
		}
		for j := range i {
			unset := out.Owners[i].OnDelete == graph.OnDeleteUnset && out.Owners[j].OnDelete == graph.OnDeleteUnset
			if unset && !out.Owners[i].Self && !out.Owners[j].Self && !o.Owners[i].Same(o.Owners[j]) {
				out.Several = true
			}
		}
	}
	return &out
}

// decide is Decide with memory of its own.
func decide(in input, set policy.Settings) policy.Decision {
	return policy.Decide(in.facts(), set, new(policy.Scratch))
}

// clone returns a copy of the input that shares nothing with it.
func clone(in input) input {
	in.Object = in.Object.Clone()
	in.Owners = slices.Clone(in.Owners)
	in.Ring = slices.Clone(in.Ring)
	return in
}
