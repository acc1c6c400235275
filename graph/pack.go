package graph

import (
	"encoding/binary"
	"slices"
)

// What is written of a node is its name, and nothing else for most. Behind the
// name of the others stand, each as far as the node's marks say so: its UID and
// its version as text; its generations, grace period and finalizers. The same
// object is always written the same way, so two are equal if their bytes are.

// facts is what is written of a node, as it stands there.
type facts struct {
	name, uid, version      []byte
	generation, seen, grace int64
	finalizers              int
	list                    []byte // of as many finalizers
}

// facts reads what is written of a node. It allocates nothing, and is valid
// until the next Apply.
func (g *Graph) facts(id NodeID) (f facts) {
	x, b := g.at(id), g.content(id)
	if !x.is(textUID | textVersion | moreText) {
		f.name = b
		return f
	}
	f.name, b = field(b)
	if x.is(textUID) {
		f.uid, b = field(b)
	}
	if x.is(textVersion) {
		f.version, b = field(b)
	}
	if !x.is(moreText) {
		return f
	}
	for _, n := range [...]*int64{&f.generation, &f.seen, &f.grace} {
		v, used := binary.Varint(b)
		*n, b = v, b[used:]
	}
	n, used := binary.Uvarint(b)
	f.finalizers, f.list = int(n), b[used:]
	return f
}

func (g *Graph) name(id NodeID) []byte {
	b := g.content(id)
	if g.at(id).is(textUID | textVersion | moreText) {
		b, _ = field(b)
	}
	return b
}

// has reports whether the finalizer is among those written.
func (f facts) has(name string) bool {
	b := f.list
	for range f.finalizers {
		var s []byte
		if s, b = field(b); string(s) == name {
			return true
		}
	}
	return false
}

func (f facts) propagation() Propagation {
	switch {
	case f.finalizers == 0:
		return Unset
	case f.has(FinalizerOrphan):
		return Orphan
	case f.has(FinalizerForeground):
		return Foreground
	}
	return Unset
}

// form is how an object is held: the marks and the number that stand in its
// record, and what is written of it.
type form struct {
	marks   marks
	version uint64
	text    []byte
}

const formMarks = deletingMark | textUID | textVersion | moreText

// form packs an object. The text is valid until the next one is packed.
func (g *Graph) form(o *Object, p packed) (f form) {
	if o.Deleting {
		f.marks |= deletingMark
	}
	if p.text {
		f.marks |= textUID
	}
	n, number := parseVersion(o.Version)
	if f.version = n; !number && o.Version != "" {
		f.marks |= textVersion
	}
	if o.Generation != 0 || o.ObservedGeneration != 0 || o.GraceSeconds != 0 || len(o.Finalizers) > 0 {
		f.marks |= moreText
	}
	b := g.scratch[:0]
	if f.marks&^deletingMark == 0 {
		b = append(b, o.Name...)
	} else {
		b = f.appendText(b, o)
	}
	g.scratch, f.text = b, b
	return f
}

func (f form) appendText(b []byte, o *Object) []byte {
	b = appendField(b, o.Name)
	if f.marks&textUID != 0 {
		b = appendField(b, string(o.UID))
	}
	if f.marks&textVersion != 0 {
		b = appendField(b, string(o.Version))
	}
	if f.marks&moreText == 0 {
		return b
	}
	for _, n := range [...]int64{o.Generation, o.ObservedGeneration, o.GraceSeconds} {
		b = binary.AppendVarint(b, n)
	}
	b = binary.AppendUvarint(b, uint64(len(o.Finalizers)))
	for _, s := range o.Finalizers {
		b = appendField(b, s)
	}
	return b
}

// holds reports whether the observed node holds exactly this, but for the
// references.
func (g *Graph) holds(id NodeID, f form) bool {
	x := g.at(id)
	return x.version == f.version && x.marks&formMarks == f.marks && string(g.content(id)) == string(f.text)
}

// keep writes an object into its record, but for the references.
func (g *Graph) keep(id NodeID, f form) {
	g.write(id, f.text)
	x := g.at(id)
	x.version, x.marks = f.version, x.marks&^formMarks|f.marks
}

// appendUID appends the text of a node's UID.
func (g *Graph) appendUID(b []byte, id NodeID) []byte {
	if x := g.at(id); !x.is(textUID) {
		return x.uid.appendUUID(b)
	}
	return append(b, g.facts(id).uid...)
}

// key returns the coordinates of a node; its text is one allocation.
func (g *Graph) key(id NodeID) Key {
	x := g.at(id)
	name := g.name(id)
	var room [128]byte
	text := string(g.appendUID(append(room[:0], name...), id))
	at := &g.places[x.place]
	return Key{g.kinds[at.kind].info.Kind, at.scope, text[:len(name)], UID(text[len(name):])}
}

// object returns what was observed of a node.
func (g *Graph) object(id NodeID) Object {
	x := g.at(id)
	o := Object{Key: g.key(id)}
	if x.state() != Observed {
		return o
	}
	f := g.facts(id)
	o.Version, o.Owners, o.Deleting = g.version(id), g.references(id), x.is(deletingMark)
	o.Generation, o.ObservedGeneration, o.GraceSeconds = f.generation, f.seen, f.grace
	if f.finalizers > 0 {
		o.Finalizers = make([]string, f.finalizers)
		b := f.list
		for i := range o.Finalizers {
			var s []byte
			s, b = field(b)
			o.Finalizers[i] = string(s)
		}
	}
	return o
}

func (g *Graph) version(id NodeID) Version {
	switch x := g.at(id); {
	case x.state() != Observed:
		return ""
	case x.is(textVersion):
		return Version(g.facts(id).version)
	default:
		return Version(appendVersion(nil, x.version))
	}
}

// references returns a copy of a node's owner references.
func (g *Graph) references(id NodeID) []Owner {
	x := g.at(id)
	switch {
	case x.is(wideMark):
		return slices.Clone(g.page(id).wide[slotOf(id)])
	case x.owner == 0:
		return nil
	}
	return []Owner{g.plainOwner(id)}
}
