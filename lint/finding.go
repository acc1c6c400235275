package lint

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/spell"
)

// Finding is one fault of one object. It is a comparable value and safe for concurrent
// use.
type Finding struct {
	Code     Code
	Severity Severity
	// Object has the fault, and Field is its place there, such as "owners[0].uid".
	Object graph.Key
	Field  string
	// Message is a sentence.
	Message string
	// Fate is the end of Object by the collector of the store: that of Kubernetes for an
	// Input.Kubernetes, else the engine of this module. Of is the other object of Blocks and
	// Passed, and zero for the others.
	Fate Fate
	Of   graph.Key
	// Engine is the end by the engine of this module, for an Input.Kubernetes. It is unset
	// where it is the same as Fate.
	Engine Fate
}

// String returns the finding as one line, without its end.
func (f Finding) String() string {
	text := fmt.Sprintf("%s %s %s: %s: %s", f.Code, f.Severity, object(f.Object), spell.Line(f.Field), spell.Line(f.Message))
	if end := f.end(); end != "" {
		text += " Fate: " + end + "."
	}
	return text
}

// end returns the fate in words, with the other object or the other collector. It is empty if the
// finding says nothing about an end.
func (f Finding) end() string {
	switch {
	case f.Fate == FateUnset:
		return ""
	case f.Engine != FateUnset:
		return f.Fate.by("Kubernetes' collector") + "; by the engine of this module: " + f.Engine.by("it")
	case f.Of == graph.Key{}:
		return f.Fate.String()
	}
	return f.Fate.String() + " " + object(f.Of)
}

// object spells an object. A file may have one without a kind or a name.
func object(k graph.Key) string {
	if k.Kind == "" || k.Name == "" {
		return short(k.PlaceString())
	}
	return short(k.Text())
}

// by returns the fate in words with the name of the collector.
func (f Fate) by(collector string) string {
	return strings.Replace(f.String(), "the collector", collector, 1)
}

// compare orders findings by object, code, field and message.
func (f Finding) compare(g Finding) int {
	return cmp.Or(f.Object.Compare(g.Object), cmp.Compare(f.Code, g.Code), strings.Compare(f.Field, g.Field), strings.Compare(f.Message, g.Message))
}

// Count is the number of findings of one code. It is a value.
type Count struct {
	Code Code
	// Found is the number of all findings. Ignored of them are on the list of
	// Config.Ignore, and LeftOut are beyond Config.PerCode. The report has the others.
	Found, Ignored, LeftOut int
}

// Report is the result of a check. The caller owns it. It is not safe for concurrent
// modification.
type Report struct {
	// Findings are sorted by object, code and field.
	Findings []Finding
	// Counts has the codes that were found, in their order.
	Counts []Count
}

// String returns the report as lines of a log: one for each finding, and one for each code with
// findings that the report does not have. The text of an empty report is empty. [Report.Text] is
// for a person.
//
//test:by TestReportString
func (r Report) String() string {
	var b strings.Builder
	for _, f := range r.Findings {
		b.WriteString(f.String() + "\n")
	}
	for _, c := range r.Counts {
		if c.Ignored > 0 || c.LeftOut > 0 {
			fmt.Fprintf(&b, "%s: %d found, %d ignored, %d left out\n", c.Code, c.Found, c.Ignored, c.LeftOut)
		}
	}
	return b.String()
}

// ledger collects findings. It keeps at most a fixed number of each code: the first in
// the order of objects, because the checks walk the objects in that order.
type ledger struct {
	ignore   Ignore
	perCode  int
	findings []Finding
	counts   [maxCode + 1]Count
}

// admits counts a finding and reports whether the report takes it. The caller makes the
// message only then.
func (l *ledger) admits(c Code, o graph.Key) bool {
	n := &l.counts[c]
	n.Found++
	switch {
	case l.ignore.matches(c, o):
		n.Ignored++
		return false
	case n.Found-n.Ignored > l.perCode:
		n.LeftOut++
		return false
	}
	return true
}

func (l *ledger) report() Report {
	var r Report
	slices.SortFunc(l.findings, Finding.compare)
	r.Findings = l.findings
	for c, n := range l.counts {
		if n.Found > 0 {
			n.Code = Code(c)
			r.Counts = append(r.Counts, n)
		}
	}
	return r
}
