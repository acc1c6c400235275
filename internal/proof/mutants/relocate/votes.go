package relocate

import (
	"go/token"
	"strings"
)

// votes counts for each old chain of names the chains that stand in its place.
type votes map[string]map[string]int

func (v votes) add(from, to string) {
	if v[from] == nil {
		v[from] = map[string]int{}
	}
	v[from][to]++
}

// winner returns the chain that has three votes of four, or false.
func (v votes) winner(from string) (string, bool) {
	all, most, best := 0, 0, ""
	for to, n := range v[from] {
		all += n
		if n > most || n == most && to < best {
			most, best = n, to
		}
	}
	return best, all > 0 && 4*most >= 3*all
}

// mapping turns names of an old declaration into those of its new home.
type mapping struct {
	whole  votes // chains as they stand
	prefix votes // chains without the names at the end that both sides share
	all    lexicon
}

// lexicon has the votes of all declarations together.
type lexicon struct{ whole, word votes }

// learn returns the mapping that an alignment of two declarations shows.
func learn(a, b []unit, partners []int, all lexicon) mapping {
	m := mapping{whole: votes{}, prefix: votes{}, all: all}
	for i, j := range partners {
		if j < 0 || a[i].kind != token.IDENT || b[j].kind != token.IDENT {
			continue
		}
		m.whole.add(a[i].text, b[j].text)
		x, y := strings.Split(a[i].text, "."), strings.Split(b[j].text, ".")
		for len(x) > 1 && len(y) > 0 && x[len(x)-1] == y[len(y)-1] {
			x, y = x[:len(x)-1], y[:len(y)-1]
			m.prefix.add(strings.Join(x, "."), strings.Join(y, "."))
		}
	}
	return m
}

// learn adds an alignment's chains to the votes.
func (x lexicon) learn(a, b []unit, partners []int) {
	for i, j := range partners {
		if j >= 0 && a[i].kind == token.IDENT && b[j].kind == token.IDENT {
			x.whole.add(a[i].text, b[j].text)
			x.word.add(a[i].last(), b[j].last())
		}
	}
}

// same reports whether a declaration leaves the first name of a chain as it is.
func (m mapping) same(text string) bool {
	first, _, _ := strings.Cut(text, ".")
	to, ok := m.prefix.winner(first)
	return m.prefix[first] == nil || ok && to == first
}

// sure reports whether units are alike by half. Names are alike if the votes of other
// declarations say so.
func (m mapping) sure(old []unit, partners []int, next []unit) bool {
	var like, all float32
	for i, u := range old {
		if u.kind != token.IDENT && !u.kind.IsLiteral() {
			continue
		}
		all += u.weight()
		if j := partners[i]; j >= 0 {
			l := likeness(u, next[j])
			if to, ok := m.all.word.winner(u.last()); ok && to == next[j].last() && m.all.word[u.last()][to] > 1 {
				l = u.weight()
			}
			like += l
		}
	}
	return 2*like >= all
}

// chain returns the new text of a chain. It is false if the votes contradict.
func (m mapping) chain(text string) (string, bool) {
	if m.whole[text] != nil {
		return m.whole.winner(text)
	}
	if to, ok := m.all.whole.winner(text); ok && m.same(text) && m.same(to) {
		return to, true
	}
	for at := len(text); ; {
		if at = strings.LastIndexByte(text[:at], '.'); at < 0 {
			break
		}
		head, rest := text[:at], m.rename(text[at+1:])
		for _, v := range []votes{m.whole, m.prefix} {
			if v[head] == nil {
				continue
			}
			to, ok := v.winner(head)
			if to == "" {
				return rest, ok
			}
			return to + "." + rest, ok
		}
	}
	return m.rename(text), true
}

// rename renames each name of a chain that all declarations rename alike.
func (m mapping) rename(text string) string {
	names := strings.Split(text, ".")
	for i, n := range names {
		name, call := strings.CutSuffix(n, "()")
		if to, ok := m.all.word.winner(name); ok {
			names[i] = to
			if call {
				names[i] += "()"
			}
		}
	}
	return strings.Join(names, ".")
}

// rewrite turns the chains of a text. It returns the chains that the votes
// contradict.
func (m mapping) rewrite(text string) (string, []string) {
	var out strings.Builder
	var doubtful []string
	at := 0
	for _, u := range units(text) {
		if u.kind != token.IDENT {
			continue
		}
		to, ok := m.rename(u.text), true
		if !strings.HasSuffix(text[:u.from], ".") {
			to, ok = m.chain(u.text)
		}
		if !ok {
			doubtful = append(doubtful, u.text)
			to = u.text
		}
		out.WriteString(text[at:u.from] + to)
		at = u.to
	}
	return out.String() + text[at:], doubtful
}
