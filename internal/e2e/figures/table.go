package main

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"text/tabwriter"
	"time"
)

// row is the rounds of one scenario by one side, together.
type row struct {
	scenario, side string
	runs, objects  int
	counts         map[string]int
	server, own    time.Duration
	rates          []float64 // objects a second, sorted
	end            string
}

// rate is the median.
func (r row) rate() float64 {
	if len(r.rates) == 0 {
		return 0
	}
	return r.rates[len(r.rates)/2]
}

// each returns a count by object.
func (r row) each(verb string) float64 { return float64(r.counts[verb]) / float64(max(r.objects, 1)) }

// micros returns a time by object.
func (r row) micros(d time.Duration) float64 {
	return float64(d.Microseconds()) / float64(max(r.objects, 1))
}

// fold puts rounds together. Of those that failed nothing counts but that.
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
		slices.Sort(r.rates)
	}
	return out
}

func printTables(out io.Writer, cascades []cascade, starts []startup) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	rows := fold(cascades)
	if len(rows) > 0 {
		fmt.Fprintln(w, "cascade\tside\tget\tpatch\tdelete\tlists\twatches\tdiscovery\tobjects/s\tof upstream\tof bare loop\tserver\town\tend\t")
	}
	for _, r := range rows {
		against := func(side string) string {
			i := slices.IndexFunc(rows, func(o row) bool { return o.scenario == r.scenario && o.side == side })
			if i < 0 || rows[i].rate() == 0 {
				return "-"
			}
			return fmt.Sprintf("%.2f", r.rate()/rows[i].rate())
		}
		n := max(r.runs, 1)
		fmt.Fprintf(w, "%s\t%s\t%.3f\t%.3f\t%.3f\t%d\t%d\t%d\t%.0f\t%s\t%s\t%.0f µs\t%.0f µs\t%s\t\n", r.scenario, r.side,
			r.each(verbGet), r.each(verbPatch), r.each(verbDelete), r.counts[verbList]/n, r.counts[verbWatch]/n, r.counts[verbDiscover]/n,
			r.rate(), against(upstream), against(bare), r.micros(r.server), r.micros(r.own), r.end)
	}
	if len(starts) > 0 {
		fmt.Fprintln(w, "\nstart on\tside\tready\tquiet\tget\tlists\twatches\tdiscovery\tserver\town\tresident\tat most\teach\theap\tat most\t")
	}
	for _, s := range starts {
		fmt.Fprintf(w, "%d\t%s\t%.2f s\t%.2f s\t%d\t%d\t%d\t%d\t%.2f s\t%.2f s\t%.1f MB\t%.1f MB\t%.0f B\t%.1f MB\t%.2f\t\n", s.objects, s.side,
			s.ready.Seconds(), s.quiet.Seconds(), s.counts[verbGet], s.counts[verbList], s.counts[verbWatch], s.counts[verbDiscover],
			s.server.Seconds(), s.own.Seconds(), mega(s.memory.Resident), mega(s.memory.ResidentPeak), s.each,
			mega(s.memory.Heap), float64(s.memory.HeapPeak)/float64(max(s.memory.Heap, 1)))
	}
	return w.Flush()
}

func mega(n int64) float64 { return float64(n) / 1e6 }

// printLines prints every run by itself.
func printLines(out io.Writer, cascades []cascade, starts []startup) error {
	line := func(values ...any) error {
		text := ""
		for i, v := range values {
			text += fmt.Sprint(map[bool]string{true: "\t"}[i > 0], v)
		}
		_, err := fmt.Fprintln(out, text)
		return err
	}
	err := line("what", "side", "round", "objects", "get", "patch", "delete", "list", "watch", "discovery", "seconds",
		"server CPU s", "own CPU s", "end", "ready s", "resident B", "resident peak B", "B an object", "heap B", "heap peak B")
	for _, c := range cascades {
		err = cmp.Or(err, line(c.scenario, c.side, c.round, c.objects, c.counts[verbGet], c.counts[verbPatch], c.counts[verbDelete],
			c.counts[verbList], c.counts[verbWatch], c.counts[verbDiscover], c.took.Seconds(), c.server.Seconds(), c.own.Seconds(), c.end,
			"", "", "", "", "", ""))
	}
	for _, s := range starts {
		err = cmp.Or(err, line("start", s.side, 0, s.objects, s.counts[verbGet], s.counts[verbPatch], s.counts[verbDelete],
			s.counts[verbList], s.counts[verbWatch], s.counts[verbDiscover], s.quiet.Seconds(), s.server.Seconds(), s.own.Seconds(), "",
			s.ready.Seconds(), s.memory.Resident, s.memory.ResidentPeak, s.each, s.memory.Heap, s.memory.HeapPeak))
	}
	return err
}
