package sim

import (
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/ownergraph/ownergraph/engine"
	"github.com/ownergraph/ownergraph/graph"
)

// line is one line of a recorder. Every field ends with a blank, and a text has its
// length before it. So two lines that differ in a field differ.
type line []byte

func (l line) word(s string) line { return append(append(l, s...), ' ') }

func (l line) num(n int) line { return append(strconv.AppendInt(l, int64(n), 10), ' ') }

// text appends a text. It escapes bytes below the blank, since they would break the
// line.
func (l line) text(s string) line {
	l = append(strconv.AppendInt(l, int64(len(s)), 10), ':')
	for i := range len(s) {
		if s[i] < ' ' {
			l = fmt.Appendf(l, "\\%02x", s[i])
		} else {
			l = append(l, s[i])
		}
	}
	return append(l, ' ')
}

func (l line) flags(all ...bool) line {
	for _, set := range all {
		if set {
			l = append(l, '1')
		} else {
			l = append(l, '0')
		}
	}
	return append(l, ' ')
}

// time appends a time, and "never" for the zero time.
func (l line) time(t time.Time) line {
	if t.IsZero() {
		return l.word("never")
	}
	return append(strconv.AppendInt(l, t.UnixNano(), 10), ' ')
}

func (l line) seconds(s *int64) line {
	if s == nil {
		return l.word("-")
	}
	return l.num(int(*s))
}

// key appends the four parts of a key.
func (l line) key(k graph.Key) line {
	return l.text(string(k.Kind)).text(k.Scope).text(k.Name).text(string(k.UID))
}

func (l line) owner(o graph.Owner) line {
	l = l.key(o.Key).flags(o.Unresolved, o.Block, o.Controller)
	if o.OnDelete != graph.OnDeleteUnset {
		l = l.num(int(o.OnDelete))
	}
	return l
}

func (l line) owners(all []graph.Owner) line {
	l = l.num(len(all))
	for _, o := range all {
		l = l.owner(o)
	}
	return l
}

func (l line) object(o graph.Object) line {
	l = l.key(o.Key).text(string(o.Version)).owners(o.Owners).num(len(o.Finalizers))
	for _, f := range o.Finalizers {
		l = l.text(f)
	}
	return l.flags(o.Deleting).num(int(o.GraceSeconds)).num(int(o.Generation)).num(int(o.ObservedGeneration))
}

func (l line) precondition(p graph.Precondition) line {
	return l.text(string(p.UID)).text(string(p.Version))
}

func (l line) change(c graph.Change) line {
	l = l.owners(c.DropOwners).owners(c.Unblock).text(c.DropFinalizer).text(c.AddFinalizer)
	if c.AddOwner != nil {
		l = l.owner(*c.AddOwner)
	}
	return l
}

// sweep appends the numbers of a sweep.
func (l line) sweep(s engine.SweepStatus) line {
	l = l.key(s.Holder).text(s.Finalizer).flags(s.Gone, s.Halted).num(s.Members).num(s.MembersGone).num(s.MembersLeft)
	for _, n := range s.Phases {
		l = l.num(n)
	}
	l = l.num(s.Open)
	for _, k := range s.Kinds {
		l = l.text(string(k.Kind)).num(k.Count)
	}
	l = l.num(s.Blocked).num(s.Waves).num(len(s.By))
	for _, h := range s.By {
		l = l.key(h.Key).num(int(h.Reason))
	}
	return l
}

// failure appends the number of the sentinel that an error wraps.
func (l line) failure(err error) line {
	if err == nil {
		return l.num(0)
	}
	for i, sentinel := range []error{
		graph.ErrNotFound, graph.ErrConflict, graph.ErrKindUnknown, graph.ErrRefused, graph.ErrInvalid,
	} {
		if errors.Is(err, sentinel) {
			return l.num(i + 1)
		}
	}
	return l.num(9)
}
