package relocate

import (
	"go/scanner"
	"go/token"
	"strings"
)

// unit is a token of Go, or a chain of names like e.kinds.list. It is a value.
type unit struct {
	text     string
	kind     token.Token // IDENT for a chain
	from, to int         // bytes of the text
}

// units splits a text into units without comments. No chain crosses a cut.
func units(text string, cuts ...int) []unit {
	fset := token.NewFileSet()
	file := fset.AddFile("", fset.Base(), len(text))
	var s scanner.Scanner
	s.Init(file, []byte(text), nil, 0)
	var all []unit
	for {
		pos, tok, lit := s.Scan()
		if tok == token.EOF {
			return join(all, cuts)
		}
		if tok == token.SEMICOLON && lit != ";" { // made by the scanner
			continue
		}
		if lit == "" {
			lit = tok.String()
		}
		from := file.Offset(pos)
		all = append(all, unit{text: lit, kind: tok, from: from, to: min(from+len(lit), len(text))})
	}
}

// join makes chains of names that are joined by dots. An empty pair of parentheses
// belongs to its name, so that a field and the method in its place are alike.
func join(all []unit, cuts []int) []unit {
	cut := func(from, to int) bool {
		for _, c := range cuts {
			if from < c && c < to {
				return true
			}
		}
		return false
	}
	kind := func(i int) token.Token {
		if i < len(all) {
			return all[i].kind
		}
		return token.EOF
	}
	var out []unit
	for i := 0; i < len(all); i++ {
		u := all[i]
		for u.kind == token.IDENT {
			next := ""
			switch {
			case kind(i+1) == token.PERIOD && kind(i+2) == token.IDENT:
				next = "." + all[i+2].text
			case kind(i+1) == token.LPAREN && kind(i+2) == token.RPAREN && !strings.HasSuffix(u.text, "()"):
				next = "()"
			}
			if next == "" || cut(u.from, all[i+2].to) {
				break
			}
			u.text += next
			u.to = all[i+2].to
			i += 2
		}
		out = append(out, u)
	}
	return out
}

// last returns the last name of a chain, or the token's text.
func (u unit) last() string { return lastOf(u.text) }

func lastOf(chain string) string {
	return strings.TrimSuffix(chain[strings.LastIndexByte(chain, '.')+1:], "()")
}

// weight returns the likeness of a unit and itself.
func (u unit) weight() float32 { return likeness(u, u) }

// likeness returns the worth of an alignment of two units. Units that cannot stand
// for each other have 0.
func likeness(a, b unit) float32 {
	switch name := a.kind == token.IDENT; {
	case a.text == b.text && (name || a.kind.IsLiteral()):
		return 2
	case a.text == b.text && a.kind.IsKeyword():
		return 1.5
	case a.text == b.text && a.kind == b.kind:
		return 1
	case name && b.kind == token.IDENT:
		return likeChains(a, b)
	case a.kind.IsLiteral() && a.kind == b.kind:
		return 0.5
	}
	return 0
}

func likeChains(a, b unit) float32 {
	if a.last() == b.last() {
		return 1.7
	}
	for x := range strings.SplitSeq(a.text, ".") {
		for y := range strings.SplitSeq(b.text, ".") {
			if strings.TrimSuffix(x, "()") == strings.TrimSuffix(y, "()") {
				return 1.1
			}
		}
	}
	return 0.5
}
