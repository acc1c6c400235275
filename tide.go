package ownergraph

import "strings"

// tide is how far a kind was observed, where versions can be compared.
type tide struct {
	kind  Kind
	high  Version // in all
	floor Version // the same when the listing under way began
	most  Version // the newest of an object since the last rewind
}

// tides holds the tide of each kind, and that which was asked for last: most
// events are about the kind of the one before.
type tides struct {
	of   map[Kind]*tide
	last *tide
}

func (e *Engine) tide(name Kind) *tide {
	t := &e.tides
	if t.last != nil && t.last.kind == name {
		return t.last
	}
	k, ok := t.of[name]
	if !ok {
		if _, ok = e.kinds[name]; !ok {
			return &tide{} // it takes no part
		}
		k = &tide{kind: Kind(strings.Clone(string(name)))}
		t.of[k.kind] = k
	}
	t.last = k
	return k
}

func (t *tides) clone() tides {
	c := tides{of: make(map[Kind]*tide, len(t.of))}
	for name, k := range t.of {
		own := *k
		c.of[name] = &own
	}
	return c
}

// rise notes how far a kind was observed, where versions can be compared.
func (e *Engine) rise(name Kind, v Version) {
	cmp := e.cfg.CompareVersions
	if cmp == nil || v == "" {
		return
	}
	if t := e.tide(name); t.high == "" || cmp(name, v, t.high) > 0 {
		t.high = v
	}
}

// rise notes how far an object shows that the kind was observed; newest says that none
// of it had a newer version yet.
func (t *tide) rise(v Version, newest bool, cmp func(Kind, Version, Version) int) {
	as := newest && t.high == t.most
	if newest || t.most == "" || cmp(t.kind, v, t.most) > 0 {
		t.most = v
	}
	if as || t.high == "" || cmp(t.kind, v, t.high) > 0 {
		t.high = v
	}
}

// ebb forgets how far a kind was observed that is served no more. Its objects
// stay, and have the versions that they had.
func (e *Engine) ebb(name Kind) { e.tide(name).high, e.tide(name).floor = "", "" }

// forget forgets all about a kind.
func (t *tides) forget(name Kind) {
	delete(t.of, name)
	t.last = nil
}
