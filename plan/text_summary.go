package plan

import "fmt"

// maxList is the number of kinds or assumptions that Text prints.
const maxList = 100

func (w *writer) summary(p *Plan) {
	for i, t := range p.Totals {
		if i == maxList {
			w.line(0, "... and %s", number(len(p.Totals)-i, "more kind"))
			break
		}
		c := tally{possible: t.Possible}
		c.ends[Removed], c.ends[Orphaned], c.ends[Trimmed], c.ends[Kept], c.ends[Held] = t.Removed, t.Orphaned, t.Trimmed, t.Kept, t.Held
		w.line(0, "%s: %s", word(string(t.Kind)), c.words(false))
	}
	w.line(0, "%s: %s", number(p.Waves, "wave"), p.Cost)
	for i := range p.Verdicts {
		if i == maxList {
			w.line(0, "... and %s", number(len(p.Verdicts)-i, "more verdict"))
			break
		}
		w.line(0, "%s", word(p.Verdicts[i].String()))
	}
	for i, a := range p.Assumptions {
		if i == maxList {
			w.line(0, "... and %s", number(len(p.Assumptions)-i, "more assumption"))
			break
		}
		w.line(0, "assumed: %s", a)
	}
	for _, label := range []struct {
		on   bool
		text string
	}{
		{p.BestEffort, "best effort: the store has no fences, so a foreground or orphan deletion may miss a dependent"},
		{p.Torn, "not of one instant: the objects kept changing during the copy"},
		{p.Busy, "the collector had work under way, and the plan includes the end of that work"},
	} {
		if label.on {
			w.line(0, "%s", label.text)
		}
	}
}

func number(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return fmt.Sprintf("%d %s", n, noun)
}

// String returns the cost in words.
func (c Cost) String() string {
	about := ""
	if c.Varies {
		about = "about "
	}
	s := fmt.Sprintf("%s%s, at most %s and %s", about, number(c.Writes, "write"), number(c.Reads, "read"), number(c.Fences, "fence"))
	if c.Handlers > 0 {
		s += ", " + number(c.Handlers, "run") + " of handlers"
	}
	return s
}

// String returns the assumption in one line.
func (a Assumption) String() string {
	s := a.Type.String()
	if a.Name != "" {
		s += " " + word(a.Name)
	}
	if a.Count > 0 {
		s += " (" + number(a.Count, "object") + ")"
	}
	if a.Detail != "" {
		s += ": " + word(a.Detail)
	}
	return s
}
