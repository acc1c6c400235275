package plan

import (
	"iter"
	"slices"
	"strings"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/guard"
)

// A text may be long and full of delimiters, and each delimiter separates another name
// from the rest. A look at all of these names would take the square of the text's length.
// The plan looks at the first name, of any length. It looks at maxCuts-1 of its shadows,
// of at most maxShadow bytes. One cut stands for the rest.
const (
	maxCuts   = 32
	maxShadow = 1024
)

// cut is a name in a text that names holders. See Claim.
type cut struct {
	name         string
	shadow, rest bool
}

// cuts yields the holder's name in the object, and then its shadows. It is not for
// ByOwner and ByLabel.
func (m *members) cuts(o graph.Object) iter.Seq[cut] {
	return func(yield func(cut) bool) {
		text, ok := m.text(o)
		switch {
		case !ok || text == "":
		case m.Delimiter == "":
			yield(cut{name: text})
		default:
			m.cutText(text, yield)
		}
	}
}

func (m *members) cutText(text string, yield func(cut) bool) {
	size := m.next(text, 0)
	if size < 0 || size > 0 && !yield(cut{name: m.named(text, size)}) {
		return
	}
	near := m.named(text, min(len(text), maxShadow+len(m.Delimiter)))
	for n := 1; n < maxCuts && size < len(near); n++ {
		if size = m.next(near, size+1); size < 0 {
			break
		}
		if !yield(cut{name: m.named(near, size), shadow: true}) {
			return
		}
	}
	if size >= 0 || len(near) < len(text) {
		yield(cut{shadow: true, rest: true})
	}
}

// next returns the size of the shortest name of at least so many bytes that a delimiter
// separates from the rest, -1 without one.
func (m *members) next(text string, size int) int {
	if !m.Suffix {
		if i := strings.Index(text[size:], m.Delimiter); i >= 0 {
			return size + i
		}
		return -1
	}
	i := strings.LastIndex(text[:len(text)-size], m.Delimiter)
	if i < 0 {
		return -1
	}
	return len(text) - i - len(m.Delimiter)
}

// named returns the part of the text, of so many bytes, at the place of a name.
func (m *members) named(text string, size int) string {
	if m.Suffix {
		return text[len(text)-size:]
	}
	return text[:size]
}

// names reports whether a delimiter separates the name from the rest of the text.
func (m *members) names(o graph.Object, name string) bool {
	text, ok := m.text(o)
	if !ok || name == "" || m.Delimiter == "" {
		return false
	}
	if m.Suffix {
		return strings.HasSuffix(text, name) && strings.HasSuffix(text[:len(text)-len(name)], m.Delimiter)
	}
	return strings.HasPrefix(text, name) && strings.HasPrefix(text[len(name):], m.Delimiter)
}

// NamedByRest reports whether objects may name the holder without a claim that has its
// name. The claims with Rest stand for these objects. Such a holder has a delimiter in
// its name, so it gets no sweep by that name: see Fit.
func (p *Plan) NamedByRest(holder graph.Object) bool {
	return slices.ContainsFunc(p.sweep.Members, func(m guard.Members) bool {
		return m.Delimiter != "" && !(*members)(&m).reaches(holder.Name)
	})
}

// reaches reports whether a text that names a holder has a cut of its own for it.
func (m *members) reaches(name string) (found bool) {
	text := name + m.Delimiter
	if m.Suffix {
		text = m.Delimiter + name
	}
	m.cutText(text, func(c cut) bool {
		found = found || c.name == name
		return !found
	})
	return found
}

// text returns the part of the object's text that names the holder.
func (m *members) text(o graph.Object) (string, bool) {
	text, ok := "", true
	switch m.By {
	case guard.ByName:
		text = o.Name
	case guard.ByScope:
		text = o.Scope
	case guard.ByKind:
		text = string(o.Kind)
	case guard.ByFunc:
		return m.Named(o), true
	}
	if m.AfterText != "" {
		if _, text, ok = strings.Cut(text, m.AfterText); !ok {
			return "", false
		}
	}
	return strings.CutSuffix(text, m.TrimSuffix)
}
