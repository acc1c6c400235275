package relocate

import (
	"errors"
	"fmt"
	"go/token"
	"slices"
	"strings"

	"github.com/ownergraph/ownergraph/internal/proof/mutants"
)

// errByHand says why a bug cannot be rewritten without a person.
var errByHand = errors.New("by hand")

// origin is the old home of a bug.
type origin struct {
	mutants.Decl
	units        []unit
	first, after int // the units of the old text
	old          string
	starts, ends bool // the old text begins, or ends, with a line
}

// originOf returns the old home of a bug in a source in which it applies.
func originOf(b mutants.Bug, source *mutants.Source) (*origin, error) {
	p, at, err := source.Locate(b.Decl, b.Old)
	if err != nil {
		return nil, err
	}
	end := at + len(b.Old)
	o := originAt(p, at, end)
	o.old = b.Old
	o.starts = at == 0 || p.Src[at-1] == '\n'
	o.ends = end == len(p.Src) || p.Src[end] == '\n'
	if o.first >= o.after {
		return nil, fmt.Errorf("%w: the old text has no code", errByHand)
	}
	return o, nil
}

// originAt returns the old home of a part of a file.
func originAt(p mutants.Place, at, end int) *origin {
	o := &origin{Decl: p.Decl, units: units(string(p.Src[p.From:max(p.To, end)]), at-p.From, end-p.From)}
	o.first, o.after = span(o.units, at-p.From, end-p.From)
	return o
}

// span returns the units within a part of a text.
func span(all []unit, from, to int) (first, after int) {
	for i, u := range all {
		if u.from < from {
			first = i + 1
		}
		if u.to <= to {
			after = i + 1
		}
	}
	return first, after
}

// hunk is one part of a bug: units of the old text that others take the place of.
type hunk struct{ from, to, newFrom, newTo int }

// hunks returns the changes from old units to new ones.
func hunks(old, next []unit) []hunk {
	partners := common(old, next)
	var all []hunk
	i, j := 0, 0
	for k := 0; k <= len(old); k++ {
		to := len(next)
		if k < len(old) {
			if to = partners[k]; to < 0 {
				continue
			}
		}
		if k > i || to > j {
			all = append(all, hunk{i, k, j, to})
		}
		i, j = k+1, to+1
	}
	return all
}

// piece is a part of the new home's text, and the text that takes its place.
type piece struct {
	from, to int
	text     string
}

// carry writes a bug anew in the words of another declaration. It takes the old text
// from there, and puts each change of the bug at the partners of the changed units.
func (o *origin) carry(b mutants.Bug, c aligned, m mapping) (mutants.Bug, error) {
	old, next := o.units[o.first:o.after], units(b.New)
	partners := c.partners[o.first:o.after]
	all := hunks(old, next)
	if len(all) == 0 {
		return b, fmt.Errorf("%w: the bug changes no code", errByHand)
	}
	lo, hi := extent(partners)
	if lo < 0 {
		return b, fmt.Errorf("%w: the old text has no counterpart", errByHand)
	}
	src := c.Text()
	var pieces []piece
	var doubtful []string
	for _, h := range all {
		p, ok := place(h, old, partners, c)
		if ok && !framed(c.partners, o.first+h.from, o.first+h.to) && !m.sure(old[h.from:h.to], partners[h.from:h.to], c.units) {
			doubtful = append(doubtful, src[p.from:p.to])
		}
		if !ok {
			if p, ok = between(h, partners, c); !ok {
				return b, fmt.Errorf("%w: changed code has no counterpart", errByHand)
			}
			doubtful = append(doubtful, src[p.from:p.to])
		}
		text, unclear := m.rewrite(inserted(h, next, b.New))
		p.text, doubtful = text, append(doubtful, unclear...)
		pieces = append(pieces, p)
	}
	from, to := min(c.units[lo].from, pieces[0].from), max(c.units[hi].to, pieces[len(pieces)-1].to)
	from, to = o.lines(src, from, to, c)
	plain, _ := m.rewrite(b.New)
	b.Decl, b.Old, b.New = c.Decl, src[from:to], replaced(src, from, to, pieces)
	b.New = tidy(b.Old, b.New, plain)
	if len(doubtful) > 0 {
		return b, fmt.Errorf("%w: not certain: %s", errByHand, strings.Join(doubtful, ", "))
	}
	return b, nil
}

// extent returns the first and the last partner, or -1.
func extent(partners []int) (lo, hi int) {
	lo, hi = -1, -1
	for _, j := range partners {
		if j >= 0 {
			if lo < 0 {
				lo = j
			}
			hi = j
		}
	}
	return lo, hi
}

// place returns the part of the new home that a change takes the place of, or false.
func place(h hunk, old []unit, partners []int, c aligned) (piece, bool) {
	if h.from == h.to {
		return gap(h, partners, c)
	}
	lo, hi := partners[h.from], partners[h.to-1]
	paired := 0
	for _, j := range partners[h.from:h.to] {
		if j >= 0 {
			paired++
		}
	}
	if lo < 0 || hi < 0 || 10*paired < 7*(h.to-h.from) {
		return piece{}, false
	}
	if strings.HasSuffix(old[h.to-1].text, "()") && !strings.HasSuffix(c.units[hi].text, "()") {
		hi = callEnd(c.units, hi)
	}
	return piece{from: c.units[lo].from, to: c.units[hi].to}, true
}

// callEnd returns the unit that ends the call that a unit begins.
func callEnd(all []unit, at int) int {
	depth := 0
	for i := at + 1; i < len(all); i++ {
		switch all[i].kind {
		case token.LPAREN:
			depth++
		case token.RPAREN:
			depth--
		}
		if depth <= 0 {
			if all[i].kind == token.RPAREN {
				return i
			}
			break
		}
	}
	return at
}

// framed reports whether the neighbours of a change have partners that stand next to
// the partners of the change.
func framed(partners []int, from, to int) bool {
	if from == to {
		return true
	}
	before, behind := from == 0, to == len(partners)
	return (before || partners[from-1] == partners[from]-1) && (behind || partners[to] == partners[to-1]+1)
}

// gap returns the point of the new home at which a change inserts code, or false.
func gap(h hunk, partners []int, c aligned) (piece, bool) {
	before, behind := partnerOf(partners, h.from-1), partnerOf(partners, h.from)
	switch {
	case before >= 0 && (h.from == len(partners) || behind == before+1):
		return piece{from: c.units[before].to, to: c.units[before].to}, true
	case behind >= 0 && h.from == 0:
		return piece{from: c.units[behind].from, to: c.units[behind].from}, true
	}
	return piece{}, false
}

// between returns the part of the new home between the neighbours of a change, or
// false. A person has to look whether that part is the changed one.
func between(h hunk, partners []int, c aligned) (piece, bool) {
	before, behind := partnerOf(partners, h.from-1), partnerOf(partners, h.to)
	if before < 0 || behind < 0 || behind == before+1 {
		return piece{}, false
	}
	return piece{from: c.units[before+1].from, to: c.units[behind-1].to}, true
}

func partnerOf(partners []int, i int) int {
	if i < 0 || i >= len(partners) {
		return -1
	}
	return partners[i]
}

// inserted returns the new text of a change. An insertion takes along the blanks
// between it and its neighbour.
func inserted(h hunk, next []unit, text string) string {
	switch {
	case h.newFrom == h.newTo:
		return ""
	case h.from < h.to:
		return text[next[h.newFrom].from:next[h.newTo-1].to]
	case h.from > 0 && h.newFrom > 0:
		return text[next[h.newFrom-1].to:next[h.newTo-1].to]
	case h.newTo < len(next):
		return text[next[h.newFrom].from:next[h.newTo].from]
	}
	return text[next[h.newFrom].from:next[h.newTo-1].to]
}

// maxLines is the number of lines by which a text may grow on each side.
const maxLines = 8

// lines returns the range of the new old text. It has whole lines where the former
// one had, and more lines until it occurs once.
func (o *origin) lines(src string, from, to int, c aligned) (int, int) {
	start := strings.LastIndexByte(src[:from], '\n') + 1
	if o.starts && strings.TrimSpace(src[start:from]) == "" {
		from = start
	}
	end := to + lineEnd(src[to:])
	if rest := strings.TrimSpace(src[to:end]); o.ends && (rest == "" || strings.HasPrefix(rest, "//")) {
		to = end
	}
	for range maxLines {
		if len(c.At(src[from:to])) == 1 {
			break
		}
		switch start, end := strings.LastIndexByte(src[:from], '\n')+1, to+lineEnd(src[to:]); {
		case start < from || end > to:
			from, to = start, end
		case to < len(src):
			to += 1 + lineEnd(src[to+1:])
		case from > 0:
			from = strings.LastIndexByte(src[:from-1], '\n') + 1
		}
	}
	return from, to
}

func lineEnd(text string) int {
	if i := strings.IndexByte(text, '\n'); i >= 0 {
		return i
	}
	return len(text)
}

// tidy returns the new text of a bug in the layout of the former new text, if that
// has the same code. Otherwise it removes lines that the changes left blank.
func tidy(old, next, plain string) string {
	if slices.EqualFunc(units(next), units(plain), func(a, b unit) bool { return a.text == b.text }) {
		return plain
	}
	if !blank(old) {
		return full(next)
	}
	return next
}

// replaced returns a part of a text with pieces replaced.
func replaced(src string, from, to int, pieces []piece) string {
	var out strings.Builder
	for _, p := range pieces {
		out.WriteString(src[from:max(p.from, from)])
		out.WriteString(p.text)
		from = max(p.to, from)
		if p.text == "" && (p.from == 0 || strings.IndexByte(" \t\n(", src[p.from-1]) >= 0) {
			from += len(src[from:to]) - len(strings.TrimLeft(src[from:to], " "))
		}
	}
	out.WriteString(src[from:to])
	return out.String()
}

// blank reports whether a text has a blank line.
func blank(text string) bool { return full(text) != text }

// full returns a text without blank lines, and without blanks at the ends of lines.
func full(text string) string {
	var out []string
	for line := range strings.SplitSeq(text, "\n") {
		if strings.TrimSpace(line) != "" {
			out = append(out, strings.TrimRight(line, " \t"))
		}
	}
	return strings.Join(out, "\n")
}
