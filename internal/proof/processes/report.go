package processes

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/proof/figures"
	"github.com/ownergraph/ownergraph/share"
)

// Report has the writes of a proof, in the order of their times.
type Report struct {
	writes []Write
	stops  map[string]stop
}

// report reads the writes.
func (p *Proof) report() *Report {
	p.t.Helper()
	list, err := p.site.Writes(p.ctx)
	if err != nil {
		p.t.Fatal(err)
	}
	slices.SortStableFunc(list, func(a, b Write) int { return a.At.Compare(b.At) })
	return &Report{list, p.stops}
}

// faults returns the writes that no proof allows. A write that was under way during a stop of its
// process may fail, since the server may have ended its connection.
func (r *Report) faults() (wrong []string) {
	for _, w := range r.writes {
		if !w.Bound {
			wrong = append(wrong, fmt.Sprintf("S5: %s: %s %s without a UID or a version", w.Process, w.Verb, w.Key))
		}
		if w.Outcome == OutcomeFailed && !r.stops[w.Process].has(w) {
			wrong = append(wrong, fmt.Sprintf("%s: %s %s: %s", w.Process, w.Verb, w.Key, w.Text))
		}
	}
	return wrong
}

// of returns the writes to the objects of cascades.
func (r *Report) of(list []*cascade) (out []Write) {
	in := map[graph.UID]bool{}
	for _, c := range list {
		for _, k := range c.keys() {
			in[k.UID] = true
		}
	}
	for _, w := range r.writes {
		if in[w.Key.UID] {
			out = append(out, w)
		}
	}
	return out
}

// lost returns the writes that met another state, by process.
func lost(list []Write) map[string]int {
	out := map[string]int{}
	for _, w := range list {
		if w.Outcome == OutcomeLost {
			out[w.Process]++
		}
	}
	return out
}

// ratio returns the writes for each object that had to be written, and its text. The writes that a
// stop made vain are apart. Their number is that of the calls under way at its moment.
func (r *Report) ratio(list []*cascade) (float64, string) {
	all, n, vain := r.of(list), needed(list), 0
	for _, w := range all {
		if w.Outcome != OutcomeDone && r.stops[w.Process].has(w) {
			vain++
		}
	}
	ratio := float64(len(all)-vain) / float64(n)
	text := fmt.Sprintf("%s writes an object (%d for %d objects; conflicts %v", figures.Number(ratio), len(all)-vain, n, lost(all))
	if vain > 0 {
		text += fmt.Sprintf("; and %d in vain, under way during a stop", vain)
	}
	return ratio, text + ")"
}

// bound checks the writes for each object.
func (p *Proof) bound(when string, r *Report, list []*cascade, most float64) {
	p.t.Helper()
	ratio, text := r.ratio(list)
	p.t.Logf("%s: %s", when, text)
	if ratio > most {
		p.t.Errorf("%s: %s, more than %v", when, text, most)
	}
}

// waited returns the time from a moment until another process writes to an object of a member's
// part.
func (r *Report) waited(member string, since time.Time, members ...string) string {
	set, err := share.Of(member, members)
	if err != nil {
		return err.Error()
	}
	for _, w := range r.writes {
		if w.Process != member && w.At.After(since) && set.Has(w.Key.UID) {
			return w.At.Sub(since).Round(time.Millisecond).String()
		}
	}
	return "for ever"
}

// costs returns the figures of each process.
func (p *Proof) costs() string {
	total, text := Status{}, strings.Builder{}
	for _, name := range p.ended {
		x := p.processes[name]
		s := x.last
		total.Written, total.Reads, total.Fences = total.Written+s.Written, total.Reads+s.Reads, total.Fences+s.Fences
		fmt.Fprintf(&text, "\n%s %s: %d writes, %d reads, %d fences, %d MiB resident, at most %d", x.role, name, s.Written, s.Reads, s.Fences, x.memory.now>>20, x.memory.peak>>20)
	}
	n := float64(needed(p.cascades[:p.deleted]))
	return fmt.Sprintf("%s reads and %s fences an object%s", figures.Number(float64(total.Reads)/n), figures.Number(float64(total.Fences)/n), &text)
}
