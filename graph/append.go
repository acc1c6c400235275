package graph

import (
	"encoding/binary"
)

// The functions here write a node into bytes of the caller, and allocate nothing else. A
// text is its length as an unsigned varint and its bytes. Coordinates are the texts of kind,
// scope, name and UID. An owner reference is a byte of flags and the coordinates. With the
// flag OwnerHasPolicy a byte with OnDelete stands between them. Package history reads all of
// them.

// The flags of an owner reference.
const (
	OwnerBlocks = 1 << iota
	OwnerControls
	OwnerUnresolved
	OwnerHasPolicy
)

// AppendKey appends the node's full coordinates.
//
// Held by TestAppend.
func (n Node) AppendKey(b []byte) []byte {
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

// uuidText is the length of the text of a UUID.
const uuidText = 36

// AppendOwner appends the i-th owner reference, in the form of the store.
func (n Node) AppendOwner(b []byte, i int) []byte {
	if n.at().is(ownersMark) {
		return AppendOwner(b, &n.g.page(n.id).owners[slotOf(n.id)][i])
	}
	flags := byte(0)
	if n.at().is(blockMark) {
		flags |= OwnerBlocks
	}
	if n.at().is(controllerMark) {
		flags |= OwnerControls
	}
	return Node{n.g, n.at().owner}.AppendKey(append(b, flags))
}

// AppendOwner appends an owner reference.
func AppendOwner(b []byte, o *Owner) []byte {
	flags := byte(0)
	for flag, on := range [...]bool{o.Block, o.Controller, o.Unresolved} {
		if on {
			flags |= 1 << flag
		}
	}
	if o.OnDelete == OnDeleteUnset {
		return AppendKey(append(b, flags), &o.Key)
	}
	return AppendKey(append(b, flags|OwnerHasPolicy, byte(o.OnDelete)), &o.Key)
}

// AppendKey appends coordinates.
func AppendKey(b []byte, k *Key) []byte {
	b = appendField(appendField(b, string(k.Kind)), k.Scope)
	return appendField(appendField(b, k.Name), string(k.UID))
}

// AppendVersion appends the text of the observed version.
func (n Node) AppendVersion(b []byte) []byte {
	var scratch [64]byte
	return appendBytes(b, n.g.appendVersion(scratch[:0], n.id))
}

// AppendFinalizers appends the number of finalizers of an observed node and the number of
// texts that follow, as varints, and the texts. All texts together have at most limit bytes.
func (n Node) AppendFinalizers(b []byte, limit int) []byte {
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
