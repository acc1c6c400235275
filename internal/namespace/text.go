package namespace

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/ownergraph/ownergraph/dump"
	"github.com/ownergraph/ownergraph/explain"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/spell"
	"github.com/ownergraph/ownergraph/lint"
)

// Finalizer is the finalizer in the spec of a namespace that its controller takes off, as
// adapters/clientgo and package dump report it.
const Finalizer = "spec.finalizers:kubernetes"

// Conclude names the actors that have to act next for the namespace.
//
//test:by cmd/internal/cli.TestTerminatingNamespace cmd/internal/cli.TestGolden
//test:by internal/proof/e2e.TestPluginExplainsNamespace
func (n *Answer) Conclude(ns *lint.Object, partly bool) {
	for _, c := range n.Conditions[:min(len(n.Conditions), maxNamed)] {
		if strings.HasSuffix(c.Type, "Failure") {
			n.Next = append(n.Next, fmt.Sprintf("the namespace controller reports %s: %s", spell.Line(c.Type), Clip(c.Message)))
		}
	}
	n.Next = append(n.Next, n.Services.next()...)
	n.Next = append(n.Next, n.finalizers()...)
	unmarked, ending := n.withoutFinalizers()
	if unmarked > 0 {
		n.Next = append(n.Next, fmt.Sprintf("the namespace controller has to delete %s without a mark", spell.Count(uint64(unmarked), "object")))
	}
	if ending > 0 {
		n.Next = append(n.Next, fmt.Sprintf("%s with a mark and without a finalizer: the grace period, or the node, has to end", spell.Count(uint64(ending), "object")))
	}
	for _, f := range ns.Finalizers {
		if f != Finalizer {
			n.Next = append(n.Next, fmt.Sprintf("the controller of the finalizer %s has to take it off the namespace", spell.Line(f)))
		}
	}
	if len(n.Next) > 0 {
		return
	}
	last := "the namespace controller has to take off " + Finalizer + ": no object remains"
	if partly {
		last += " of the kinds that are listed"
	}
	n.Next = append(n.Next, last)
}

// Holder is a finalizer that holds objects of a namespace.
type Holder struct {
	Finalizer string
	Objects   []graph.Object // with a mark
}

// Holders returns the finalizers of the remaining objects with a mark, by name.
func (n *Answer) Holders() (list []Holder) {
	by := map[string][]graph.Object{}
	for _, k := range n.Remaining {
		for _, o := range k.all {
			for _, f := range o.Finalizers {
				if o.Deleting {
					by[f] = append(by[f], o.Object)
				}
			}
		}
	}
	for _, f := range slices.Sorted(maps.Keys(by)) {
		list = append(list, Holder{f, by[f]})
	}
	return list
}

// finalizers returns a line for each finalizer of the remaining objects with a mark.
func (n *Answer) finalizers() (lines []string) {
	for _, h := range n.Holders() {
		actor := "the controller of the finalizer " + spell.Line(h.Finalizer)
		if h.Finalizer == graph.FinalizerForeground || h.Finalizer == graph.FinalizerOrphan {
			actor = "the garbage collector, for the finalizer " + h.Finalizer + ","
		}
		lines = append(lines, fmt.Sprintf("%s has to take it off %s: %s", actor, spell.Count(uint64(len(h.Objects)), "object"), spell.List(h.Objects)))
	}
	return lines
}

// withoutFinalizers counts the objects without a mark, and those with a mark alone.
func (n *Answer) withoutFinalizers() (unmarked, ending int) {
	for _, k := range n.Remaining {
		for _, o := range k.all {
			switch {
			case !o.Deleting:
				unmarked++
			case len(o.Finalizers) == 0:
				ending++
			}
		}
	}
	return unmarked, ending
}

// Text returns the answer as lines: the age of the mark, the actors that have to act next, the
// conditions, and the objects that remain. The function ago describes an instant.
//
//test:by cmd/internal/cli.TestTerminatingNamespace cmd/internal/cli.TestGolden
func (n *Answer) Text(name string, markedAt time.Time, ago func(time.Time) string) string {
	var out strings.Builder
	left, since := 0, ""
	for _, k := range n.Remaining {
		left += k.Count
	}
	if !markedAt.IsZero() {
		since = " since its deletion " + ago(markedAt)
	}
	fmt.Fprintf(&out, "Namespace/%s does not terminate%s; %s left\n", spell.Line(name), since, spell.Count(uint64(left), "object"))
	out.WriteString("next:\n")
	for _, line := range n.Next {
		fmt.Fprintf(&out, "  %s\n", line)
	}
	conditions(&out, n.Conditions, n.Unread)
	n.Services.text(&out)
	if len(n.Remaining) == 0 {
		out.WriteString("remaining: no object of the listed kinds\n")
	}
	for _, k := range n.Remaining {
		fmt.Fprintf(&out, "remaining %s: %d, %d with a mark\n", k.Kind.Text(), k.Count, k.Marked)
		for _, o := range k.Objects {
			out.WriteString(o.text(ago))
		}
		if more := k.Count - len(k.Objects); more > 0 {
			fmt.Fprintf(&out, "  ... and %d more\n", more)
		}
	}
	return out.String()
}

// conditions writes the conditions of a namespace, or the reason for which they are not known.
func conditions(out *strings.Builder, list []dump.Condition, unread string) {
	switch {
	case unread != "":
		fmt.Fprintf(out, "conditions: not known: %s\n", Clip(unread))
		return
	case len(list) == 0:
		out.WriteString("conditions: none\n")
		return
	}
	out.WriteString("conditions:\n")
	for _, c := range list[:min(len(list), maxNamed)] {
		fmt.Fprintf(out, "  %s (%s): %s\n", spell.Line(c.Type), spell.Line(c.Reason), Clip(c.Message))
	}
	if more := len(list) - maxNamed; more > 0 {
		fmt.Fprintf(out, "  ... and %d more\n", more)
	}
}

func (o *remainingObject) text(ago func(time.Time) string) string {
	x := &o.Explanation
	mark := "no mark"
	if x.Deleting {
		mark = "marked"
		if o.MarkedAt != nil {
			mark += " " + ago(*o.MarkedAt)
		}
	}
	line := fmt.Sprintf("  %s: %s; finalizers: %s\n", x.Key.Text(), mark, Finalizers(o.Finalizers))
	if pace, _ := x.Pace(); pace > explain.Resting {
		line += "    it " + strings.TrimPrefix(x.Sentence(), x.Key.Text()+" ") + "\n"
	}
	return line
}

const (
	maxClip  = 400 // bytes of a text of the server
	maxNamed = 20  // conditions, services and writers in a text
)

// Clip cuts a text of the server, and makes it safe for a terminal.
func Clip(s string) string {
	if len(s) > maxClip {
		s = strings.ToValidUTF8(s[:maxClip], "") + "..."
	}
	return spell.Line(s)
}

// Finalizers joins finalizers as text that controls no terminal.
func Finalizers(list []string) string {
	if len(list) == 0 {
		return "none"
	}
	return spell.Line(strings.Join(list, ", "))
}
