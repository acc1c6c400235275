package graph

import (
	"encoding/binary"
	"slices"
	"strconv"
)

// The text of most nodes is their name alone. Other fields follow the name, as far as the
// node's marks say so: UID and version as text, then generations, grace period and
// finalizers. The same object always has the same text, so that two objects are equal if
// their bytes are.

// facts is the content of a node's text.
type facts struct {
	name, uid, version      []byte
	generation, seen, grace int64
	finalizers              int
	list                    []byte // the text of the finalizers
}

// facts reads a node's text. It allocates nothing, and is valid until the next Apply.
func (g *Graph) facts(id NodeID) (f facts) {
	x, b := g.at(id), g.content(id)
	if !x.is(textUID | textVersion | moreText) {
		f.name = b
		return f
	}
	if n := len(b) - 1; !x.is(textUID|textVersion) && b[n] < longForm {
		f.name, f.generation = b[:n], int64(b[n])
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
	x, b := g.at(id), g.content(id)
	if !x.is(textUID | textVersion | moreText) {
		return b
	}
	if n := len(b) - 1; !x.is(textUID|textVersion) && b[n] < longForm {
		return b[:n]
	}
	b, _ = field(b)
	return b
}

// has reports whether the text has the finalizer.
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

// form is an object as the graph has it: the marks and the number of its record, and
// its text.
type form struct {
	marks   marks
	version uint64
	text    []byte
}

const formMarks = deletingMark | textUID | textVersion | moreText

// form packs an object. The graph owns the result, which is valid until the next call.
func (g *Graph) form(o *Object, p packed) *form {
	f := &g.packing
	f.marks = 0
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
	if hasMore(o) {
		f.marks |= moreText
	}
	switch b := f.text[:0]; {
	case f.marks&^deletingMark == 0:
		f.text = append(b, o.Name...)
	case f.marks&^deletingMark == moreText && isShort(o):
		f.text = append(append(b, o.Name...), byte(o.Generation))
	default:
		f.text = f.appendText(b, o)
	}
	return f
}

// keyForm packs a key, as form packs an object that has nothing else.
func (g *Graph) keyForm(k *Key, p packed) *form {
	f := &g.packing
	f.marks, f.version = 0, 0
	if b := f.text[:0]; p.text {
		f.marks = textUID
		f.text = appendField(appendField(b, k.Name), string(k.UID))
	} else {
		f.text = append(b, k.Name...)
	}
	return f
}

// hasMore reports whether the object has finalizers, generations or a grace period.
func hasMore(o *Object) bool {
	return o.Generation|o.ObservedGeneration|o.GraceSeconds != 0 || len(o.Finalizers) > 0
}

// longForm is the last byte of a text with moreText alone. Most of these objects have one
// small generation and no other field. Then the generation stands in place of longForm.
const longForm = 1 << 7

func isShort(o *Object) bool {
	return 0 < o.Generation && o.Generation < longForm && o.ObservedGeneration == 0 && o.GraceSeconds == 0 && len(o.Finalizers) == 0
}

func (f *form) appendText(b []byte, o *Object) []byte {
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
	return append(b, longForm)
}

// hasForm reports whether the observed node has exactly this form. It does not compare
// references.
func (g *Graph) hasForm(id NodeID, f *form) bool {
	x := g.at(id)
	return x.version == f.version && x.marks&formMarks == f.marks && string(g.content(id)) == string(f.text)
}

// keep writes a form into the record of a node. It does not write references.
func (g *Graph) keep(id NodeID, f *form) {
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

// key returns the coordinates of a node, in one allocation.
func (g *Graph) key(id NodeID) Key {
	x := g.at(id)
	name := g.name(id)
	var scratch [128]byte
	return g.keyOf(x.place, string(g.appendUID(append(scratch[:0], name...), id)), len(name))
}

// named returns the coordinates and the version of a node, in one allocation.
func (g *Graph) named(id NodeID) (Key, Version) {
	x := g.at(id)
	if x.state() != Observed {
		return g.key(id), ""
	}
	name := g.name(id)
	var scratch [128]byte
	b := g.appendUID(append(scratch[:0], name...), id)
	uid := len(b)
	text := string(g.appendVersion(b, id))
	return g.keyOf(x.place, text[:uid], len(name)), Version(text[uid:])
}

// object returns the observed object of a node. All of its text is one allocation.
func (g *Graph) object(id NodeID) (o Object) {
	x := g.at(id)
	if x.state() != Observed {
		o.Key = g.key(id)
		return o
	}
	f := g.facts(id)
	o.Deleting = x.is(deletingMark)
	o.Generation, o.ObservedGeneration, o.GraceSeconds = f.generation, f.seen, f.grace
	var scratch [256]byte
	b := g.appendUID(append(scratch[:0], f.name...), id)
	uid := len(b)
	b = g.appendVersion(b, id)
	version := len(b)
	plain := x.owner != 0 && !x.is(ownersMark)
	if plain {
		b = g.appendUID(append(b, g.name(x.owner)...), x.owner)
	}
	owner, list := len(b), f.list
	for range f.finalizers {
		var s []byte
		s, list = field(list)
		b = append(b, s...)
	}
	text := string(b)
	o.Key = g.keyOf(x.place, text[:uid], len(f.name))
	o.Version = Version(text[uid:version])
	if plain {
		k := g.keyOf(g.at(x.owner).place, text[version:owner], len(g.name(x.owner)))
		o.Owners = []Owner{{Key: k, Block: x.is(blockMark), Controller: x.is(controllerMark)}}
	} else if x.is(ownersMark) {
		o.Owners = slices.Clone(g.page(id).owners[slotOf(id)])
	}
	o.Finalizers = f.names(text[owner:])
	return o
}

// names returns the finalizers, as parts of a text of all of them.
func (f facts) names(text string) []string {
	if f.finalizers == 0 {
		return nil
	}
	out, b := make([]string, f.finalizers), f.list
	for i := range out {
		var s []byte
		s, b = field(b)
		out[i], text = text[:len(s)], text[len(s):]
	}
	return out
}

// keyOf returns the key at a place. The text has the name, of the given length, and the
// UID.
func (g *Graph) keyOf(p placeID, text string, name int) Key {
	at := &g.places[p]
	return Key{Kind: g.kinds[at.kind].info.Kind, Scope: at.scope, Name: text[:name], UID: UID(text[name:])}
}

func (g *Graph) version(id NodeID) Version {
	if g.at(id).state() != Observed {
		return ""
	}
	var scratch [64]byte
	return Version(g.appendVersion(scratch[:0], id))
}

// appendVersion appends the version of an observed node.
func (g *Graph) appendVersion(b []byte, id NodeID) []byte {
	if x := g.at(id); !x.is(textVersion) {
		return strconv.AppendUint(b, x.version, 10)
	}
	return append(b, g.facts(id).version...)
}
