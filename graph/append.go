package graph

import (
	"encoding/binary"

	"github.com/ownergraph/ownergraph/internal/core/flags"
)

// The functions here write a node into bytes of the caller, and allocate nothing else. A
// text is its length as an unsigned varint and its bytes. Coordinates are the texts of kind,
// scope, name and UID. An owner reference is a byte of flags and the coordinates. With the
// flag HasPolicy a byte with OnDelete stands between them. Package history reads all of
// them.

// AppendKey appends the node's full coordinates.
//
//test:by TestAppend
func (n innerNode) AppendKey(b []byte) []byte {
	g, x := n.g, n.at()
	at := &g.places[x.place]
	b = appendField(b, string(g.kinds[at.kind].info.Kind))
	b = appendField(b, at.scope)
	b = appendBytes(b, g.name(n.id))
	if x.is(textUID) {
		return appendBytes(b, g.facts(n.id).uid)
	}
	return x.uid.appendUUID(append(b, uuidText))
}

// AppendUID appends the text of the node's UID.
//
//test:by TestAppend
func (n innerNode) AppendUID(b []byte) []byte {
	if x := n.at(); !x.is(textUID) {
		return x.uid.appendUUID(b)
	}
	return append(b, n.g.facts(n.id).uid...)
}

// uuidText is the length of the text of a UUID.
const uuidText = 36

// AppendOwner appends the i-th owner reference, in the form of the store.
func (n innerNode) AppendOwner(b []byte, i int) []byte {
	if n.at().is(ownersMark) {
		return appendOwner(b, &n.g.page(n.id).owners[slotOf(n.id)][i])
	}
	first := byte(0)
	if n.at().is(blockMark) {
		first |= flags.Blocks
	}
	if n.at().is(controllerMark) {
		first |= flags.Controls
	}
	return Node{n.g, n.at().owner}.inner().AppendKey(append(b, first))
}

// appendOwner appends an owner reference.
func appendOwner(b []byte, o *Owner) []byte {
	first := byte(0)
	for flag, on := range [...]bool{o.Block, o.Controller, o.Unresolved} {
		if on {
			first |= 1 << flag
		}
	}
	if o.OnDelete == OnDeleteUnset {
		return appendKey(append(b, first), &o.Key)
	}
	return appendKey(append(b, first|flags.HasPolicy, byte(o.OnDelete)), &o.Key)
}

// appendKey appends coordinates.
func appendKey(b []byte, k *Key) []byte {
	b = appendField(appendField(b, string(k.Kind)), k.Scope)
	return appendField(appendField(b, k.Name), string(k.UID))
}

// AppendVersion appends the text of the observed version.
func (n innerNode) AppendVersion(b []byte) []byte {
	var scratch [64]byte
	return appendBytes(b, n.g.appendVersion(scratch[:0], n.id))
}

// AppendFinalizers appends the number of finalizers of an observed node and the number of
// texts that follow, as varints, and the texts. All texts together have at most limit bytes.
func (n innerNode) AppendFinalizers(b []byte, limit int) []byte {
	if !n.at().is(moreText) {
		return append(b, 0, 0)
	}
	f := n.g.facts(n.id)
	list, kept, from := f.list, 0, f.list
	for kept < f.finalizers {
		_, rest := field(list)
		if len(from)-len(rest) > limit {
			break
		}
		list = rest
		kept++
	}
	b = binary.AppendUvarint(binary.AppendUvarint(b, uint64(f.finalizers)), uint64(kept))
	return append(b, from[:len(from)-len(list)]...)
}

func appendBytes(b, s []byte) []byte {
	return append(binary.AppendUvarint(b, uint64(len(s))), s...)
}
