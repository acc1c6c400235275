package main

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/ownergraph/ownergraph/internal/proof/figures"
)

// row is the rounds of one scenario by one side, together.
type row struct {
	scenario, side string
	runs, objects  int
	counts         map[string]int
	server, own    time.Duration
	rates          []float64 // objects a second
	end            string
}

// rate is the median, NaN if every run failed.
func (r row) rate() float64 { return figures.Median(r.rates) }

// each returns a count by object.
func (r row) each(verb string) float64 { return float64(r.counts[verb]) / float64(max(r.objects, 1)) }

// micros returns a time by object.
func (r row) micros(d time.Duration) float64 {
	return float64(d.Microseconds()) / float64(max(r.objects, 1))
}

// fold puts rounds together. Of a failed round only the failure counts.
func fold(list []cascade) []row {
	var out []row
	for _, c := range list {
		i := slices.IndexFunc(out, func(r row) bool { return r.scenario == c.scenario && r.side == c.side })
		if i < 0 {
			i = len(out)
			out = append(out, row{scenario: c.scenario, side: c.side, counts: map[string]int{}, end: "same"})
		}
		r := &out[i]
		if c.end != "same" {
			r.end = c.end
		}
		if c.took == 0 {
			continue
		}
		r.runs, r.objects = r.runs+1, r.objects+c.objects
		r.server, r.own = r.server+c.server, r.own+c.own
		for verb, n := range c.counts {
			r.counts[verb] += n
		}
		r.rates = append(r.rates, float64(c.objects)/c.took.Seconds())
	}
	return out
}

// cascadeColumns and startColumns are the columns of the two tables.
var (
	cascadeColumns = []string{"cascade", "side", "get", "patch", "delete", "lists", "watches", "discovery",
		"objects/s", "of upstream", "of bare loop", "server", "own", "end"}
	startColumns = []string{"start on", "side", "ready", "quiet", "get", "lists", "watches", "discovery",
		"server", "own", "resident", "at most", "each", "heap", "at most"}
)

// printTables prints the rounds together, for a terminal.
func printTables(out io.Writer, cascades []cascade, starts []startup) error {
	rows := fold(cascades)
	lines := [][]string{cascadeColumns}
	for _, r := range rows {
		lines = append(lines, r.cells(rows))
	}
	if err := printLines(figures.Aligned(out), lines); err != nil {
		return err
	}
	lines = [][]string{startColumns}
	for _, s := range starts {
		lines = append(lines, s.cells())
	}
	if len(rows) > 0 && len(starts) > 0 {
		fmt.Fprintln(out)
	}
	return printLines(figures.Aligned(out), lines)
}

// printLines prints a heading and its lines, and nothing if there is no line.
func printLines(p figures.Printer, lines [][]string) error {
	if len(lines) < 2 {
		return nil
	}
	for _, cells := range lines {
		if err := p.Print(cells); err != nil {
			return err
		}
	}
	return p.Flush()
}

func (r row) cells(rows []row) []string {
	against := func(side string) string {
		i := slices.IndexFunc(rows, func(o row) bool { return o.scenario == r.scenario && o.side == side })
		if i < 0 {
			return "-"
		}
		return figures.Number(r.rate() / rows[i].rate())
	}
	each := func(verb string) string { return fmt.Sprintf("%.3f", r.each(verb)) }
	total := func(verb string) string { return fmt.Sprint(r.counts[verb] / max(r.runs, 1)) }
	return []string{
		r.scenario, r.side, each(verbGet), each(verbPatch), each(verbDelete), total(verbList), total(verbWatch), total(verbDiscover),
		figures.Number(r.rate()), against(upstream), against(bare),
		fmt.Sprintf("%.0f µs", r.micros(r.server)), fmt.Sprintf("%.0f µs", r.micros(r.own)), r.end,
	}
}

func (s startup) cells() []string {
	seconds := func(d time.Duration) string { return fmt.Sprintf("%.2f s", d.Seconds()) }
	mega := func(n int64) string { return fmt.Sprintf("%.1f MB", float64(n)/1e6) }
	total := func(verb string) string { return fmt.Sprint(s.counts[verb]) }
	return []string{
		fmt.Sprint(s.objects), s.side, seconds(s.ready), seconds(s.quiet),
		total(verbGet), total(verbList), total(verbWatch), total(verbDiscover), seconds(s.server), seconds(s.own),
		mega(s.memory.Resident), mega(s.memory.ResidentPeak), fmt.Sprintf("%.0f B", s.each),
		mega(s.memory.Heap), fmt.Sprintf("%.2f", float64(s.memory.HeapPeak)/float64(max(s.memory.Heap, 1))),
	}
}

// runColumns are the columns of a line for each run.
var runColumns = []string{"what", "side", "round", "objects", "get", "patch", "delete", "list", "watch", "discovery", "seconds",
	"server CPU s", "own CPU s", "end", "ready s", "resident B", "resident peak B", "B an object", "heap B", "heap peak B"}

// printRuns prints each run as a line of its own.
func printRuns(out io.Writer, cascades []cascade, starts []startup) error {
	p := figures.TSV(out)
	err := p.Print(runColumns)
	line := func(values ...any) {
		cells := make([]string, len(values))
		for i, v := range values {
			cells[i] = fmt.Sprint(v)
		}
		err = cmp.Or(err, p.Print(cells))
	}
	for _, c := range cascades {
		line(c.scenario, c.side, c.round, c.objects, c.counts[verbGet], c.counts[verbPatch], c.counts[verbDelete],
			c.counts[verbList], c.counts[verbWatch], c.counts[verbDiscover], c.took.Seconds(), c.server.Seconds(), c.own.Seconds(), c.end,
			"", "", "", "", "", "")
	}
	for _, s := range starts {
		line("start", s.side, 0, s.objects, s.counts[verbGet], s.counts[verbPatch], s.counts[verbDelete],
			s.counts[verbList], s.counts[verbWatch], s.counts[verbDiscover], s.quiet.Seconds(), s.server.Seconds(), s.own.Seconds(), "",
			s.ready.Seconds(), s.memory.Resident, s.memory.ResidentPeak, s.each, s.memory.Heap, s.memory.HeapPeak)
	}
	return err
}
