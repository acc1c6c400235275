package oracle

import (
	"slices"

	"github.com/ownergraph/ownergraph/graph"
)

// class is the class of an owner reference, C1 to C3.
type class uint8

const (
	self class = iota
	unknown
	solid
	waiting
	absent
	classes // their number
)

func (s State) class(d graph.Object, r graph.Owner, cfg Config) class {
	elsewhere, gone := unknown, absent
	if r.UID == d.UID {
		gone = self // the object lives
	}
	if cfg.Scope == ScopeAbsent {
		elsewhere = gone
	}
	switch {
	case refersTo(r, d.Key):
		return self
	case r.Unresolved, r.Scope != "" && d.Scope == "":
		return unknown
	case r.Scope != "" && r.Scope != d.Scope:
		return elsewhere
	}
	for _, o := range s.objects {
		switch {
		case o.Key == r.Key && s.waits(o.Object, cfg):
			return waiting
		case o.Key == r.Key:
			return solid
		case o.UID == r.UID && o.Kind == r.Kind && cfg.keeps(r, o.Key):
			return unknown
		}
	}
	return gone
}

// keeps reports whether a living object keeps a reference with its UID and another
// scope or name. It does if no setting makes the difference an absence.
func (c Config) keeps(r graph.Owner, live graph.Key) bool {
	return (r.Scope == live.Scope || c.Scope != ScopeAbsent) && (r.Name == live.Name || c.OwnerName != NameAbsent)
}

// hasUID reports whether a reference of d counts for an orphaning by its UID, with
// any coordinates. A setting that reads other coordinates as absence leaves no owner for them.
func (c Config) hasUID(d graph.Object, r graph.Owner, live graph.Key) bool {
	scope, scopes, names := r.Scope, c.Scope != ScopeAbsent, c.OwnerName != NameAbsent
	if !scopes && scope != "" && d.Scope != "" {
		scope = d.Scope // the engine looks nowhere else
	}
	return r.UID == live.UID && (scopes || names) && (scopes || scope == live.Scope) && (names || r.Name == live.Name)
}

// flawed reports whether the object's data is wrong, C4 and C5.
func (c Config) flawed(d graph.Object) bool {
	for i, r := range d.Owners {
		if r.Kind == "" || r.Name == "" || r.UID == "" {
			return true
		}
		if r.OnDelete > graph.OnDeleteCascade || r.OnDelete != graph.OnDeleteUnset && !c.Policies {
			return true
		}
		wrong := func(p graph.Owner) bool {
			twice := p.UID == r.UID && (!p.Same(r) || p.OnDelete != r.OnDelete)
			return twice || p.Controller && r.Controller && !p.Same(r)
		}
		if slices.ContainsFunc(d.Owners[:i], wrong) {
			return true
		}
	}
	return false
}
