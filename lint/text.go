package lint

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/ownergraph/ownergraph/internal/spell"
)

// Text returns the report as lines for a person. The findings of one code stand together, the
// errors first, with the remedy once. Each finding has a line with its object, field, message and fate.
// At most limit findings of a code have a line, all if limit is 0. The last line counts all
// findings by severity, also those that the bound of the check has left out. It names the number of checked objects if that is not 0.
//
//test:by TestReportText TestReportTextIsBounded
func (r Report) Text(limit, objects int) string {
	var b strings.Builder
	for _, g := range r.groups() {
		g.write(&b, limit)
	}
	b.WriteString(r.total())
	if objects > 0 {
		b.WriteString(" in " + spell.Count(uint64(objects), "object"))
	}
	b.WriteByte('\n')
	return b.String()
}

// group has the findings of one code.
type group struct {
	Count
	worst    Severity
	findings []Finding
}

// groups returns the findings by code, those with the worst severity first.
func (r Report) groups() []group {
	var of [maxCode + 1]group
	for _, f := range r.Findings {
		g := &of[min(f.Code, maxCode)]
		g.Code, g.worst, g.findings = f.Code, max(g.worst, f.Severity), append(g.findings, f)
	}
	for _, c := range r.Counts {
		of[min(c.Code, maxCode)].Count = c
	}
	list := slices.DeleteFunc(of[:], func(g group) bool { return g.Code == CodeUnset })
	slices.SortStableFunc(list, func(a, b group) int { return cmp.Compare(b.worst, a.worst) })
	return list
}

func (g *group) write(b *strings.Builder, limit int) {
	info := CodeInfo{Code: g.Code}
	for _, c := range Codes() {
		if c.Code == g.Code {
			info = c
		}
	}
	head := g.Code.String()
	if g.worst != SeverityUnset {
		head += " " + g.worst.String()
	}
	fmt.Fprintf(b, "%s: %s (%d)\n", head, info.Title, len(g.findings)+g.LeftOut)
	shown := len(g.findings)
	if limit > 0 {
		shown = min(shown, limit)
	}
	rows(b, g.findings[:shown])
	if more := len(g.findings) - shown + g.LeftOut; more > 0 {
		fmt.Fprintf(b, "  ... and %d more\n", more)
	}
	if g.Ignored > 0 {
		fmt.Fprintf(b, "  ignored: %d\n", g.Ignored)
	}
	if len(g.findings) > 0 {
		fmt.Fprintf(b, "  Remedy: %s\n", info.Remedy)
	}
}

// maxMessage bounds the width of the column of messages. The fate follows a longer message at once.
const maxMessage = 60

// rows writes findings in columns.
func rows(b *strings.Builder, list []Finding) {
	var table [][4]string
	var width [4]int
	for _, f := range list {
		row := [...]string{object(f.Object), spell.Line(f.Field), strings.TrimSuffix(spell.Line(f.Message), "."), f.end()}
		for i, cell := range row {
			width[i] = max(width[i], utf8.RuneCountInString(cell))
		}
		table = append(table, row)
	}
	width[2] = min(width[2], maxMessage)
	for _, row := range table {
		var line strings.Builder
		for i, cell := range row {
			line.WriteString("  " + cell + strings.Repeat(" ", max(0, width[i]-utf8.RuneCountInString(cell))))
		}
		b.WriteString(strings.TrimRight(line.String(), " ") + "\n")
	}
}

// total counts the findings by severity, such as "3 errors, 1 note".
func (r Report) total() string {
	var n [Error + 1]int
	for _, g := range r.groups() {
		for _, f := range g.findings {
			n[min(f.Severity, Error)]++
		}
		n[min(g.worst, Error)] += g.LeftOut // their severity is that of their code
	}
	var words []string
	for s := Error; s >= Note; s-- {
		if n[s] > 0 {
			words = append(words, spell.Count(uint64(n[s]), s.String()))
		}
	}
	if len(words) == 0 {
		return "no findings"
	}
	return strings.Join(words, ", ")
}
