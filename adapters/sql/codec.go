package sqlstore

import (
	"encoding/binary"
	"errors"
	"slices"

	"github.com/ownergraph/ownergraph/graph"
)

// errBody says that a stored object cannot be read. A table may have been edited by hand.
var errBody = errors.New("body of an object: not readable")

// The first byte of a body is its format. Only a body with a policy of a reference has another one
// than formatPlain. A program that keeps policies, and decides as if there were none, knows
// formatReserved. It would delete an object with release references alone. So a policy is written in
// formatPolicies, which that program cannot read.
//
//test:by TestBodyFormats
const (
	formatPlain    = 1
	formatReserved = 2 // release and restrict, only read
	formatPolicies = 3
)

const (
	flagDeleting = 1 << iota
)

const (
	flagUnresolved = 1 << iota
	flagBlock
	flagController

	shiftPolicy = iota // the higher bits are OnDelete
)

// encodeBody returns the content of an object: all but its key and its version. The text
// is stored byte by byte.
//
//test:by TestBodyRoundTrip FuzzBody
func encodeBody(o *graph.Object) []byte {
	n := 8
	for _, r := range o.Owners {
		n += 10 + len(r.Kind) + len(r.Scope) + len(r.Name) + len(r.UID)
	}
	b := append(make([]byte, 0, n), formatOf(o), bitIf(o.Deleting, flagDeleting))
	for _, v := range [...]int64{o.GraceSeconds, o.Generation, o.ObservedGeneration} {
		b = binary.AppendVarint(b, v)
	}
	b = binary.AppendUvarint(b, uint64(len(o.Owners)))
	for _, r := range o.Owners {
		b = append(b, bitIf(r.Unresolved, flagUnresolved)|bitIf(r.Block, flagBlock)|bitIf(r.Controller, flagController)|byte(r.OnDelete)<<shiftPolicy)
		b = appendText(appendText(appendText(appendText(b, string(r.Kind)), r.Scope), r.Name), string(r.UID))
	}
	b = binary.AppendUvarint(b, uint64(len(o.Finalizers)))
	for _, f := range o.Finalizers {
		b = appendText(b, f)
	}
	return b
}

func formatOf(o *graph.Object) byte {
	if hasPolicy(o) {
		return formatPolicies
	}
	return formatPlain
}

// hasFormat reports whether a body of the format may have the object.
func hasFormat(o *graph.Object, format byte) bool {
	if format == formatReserved {
		cascades := func(r graph.Owner) bool { return r.OnDelete == graph.OnDeleteCascade }
		return hasPolicy(o) && !slices.ContainsFunc(o.Owners, cascades)
	}
	return format == formatOf(o)
}

// hasPolicy reports whether a reference of the object has a policy.
func hasPolicy(o *graph.Object) bool {
	return slices.ContainsFunc(o.Owners, func(r graph.Owner) bool { return r.OnDelete != graph.OnDeleteUnset })
}

func bitIf(on bool, bit byte) byte {
	if on {
		return bit
	}
	return 0
}

func appendText(b []byte, s string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(s))), s...)
}

// decodeBody fills in the content of an object. It keeps no part of the body.
func decodeBody(body []byte, o *graph.Object) error {
	r := bodyReader{rest: string(body)}
	format, flags := r.byte(), r.byte()
	o.Deleting = flags&flagDeleting != 0
	o.GraceSeconds, o.Generation, o.ObservedGeneration = r.number(), r.number(), r.number()
	if n := r.count(5); n > 0 {
		o.Owners = make([]graph.Owner, n)
	}
	for i := range o.Owners {
		f := r.byte()
		o.Owners[i] = graph.Owner{
			Key:        graph.Key{Kind: graph.Kind(r.text()), Scope: r.text(), Name: r.text(), UID: graph.UID(r.text())},
			Unresolved: f&flagUnresolved != 0, Block: f&flagBlock != 0, Controller: f&flagController != 0,
			OnDelete: graph.OnDelete(f >> shiftPolicy),
		}
		r.bad = r.bad || o.Owners[i].OnDelete > graph.OnDeleteCascade
	}
	if n := r.count(1); n > 0 {
		o.Finalizers = make([]string, n)
	}
	for i := range o.Finalizers {
		o.Finalizers[i] = r.text()
	}
	if r.bad || r.rest != "" || !hasFormat(o, format) {
		return errBody
	}
	return nil
}

// bodyReader reads a body from left to right. The texts that it returns share one string.
type bodyReader struct {
	rest string
	bad  bool
}

func (r *bodyReader) byte() byte {
	if r.rest == "" {
		r.bad = true
		return 0
	}
	b := r.rest[0]
	r.rest = r.rest[1:]
	return b
}

func (r *bodyReader) unsigned() (v uint64) {
	for shift := 0; shift < 64; shift += 7 {
		b := r.byte()
		v |= uint64(b&0x7f) << shift
		if b < 0x80 {
			return v
		}
	}
	r.bad = true
	return 0
}

func (r *bodyReader) number() int64 {
	u := r.unsigned()
	return int64(u>>1) ^ -int64(u&1)
}

// count reads the length of a list whose items have at least min bytes.
func (r *bodyReader) count(min int) int {
	n := r.unsigned()
	if n > uint64(len(r.rest)/min) {
		r.bad, r.rest = true, ""
		return 0
	}
	return int(n)
}

func (r *bodyReader) text() string {
	n := r.unsigned()
	if n > uint64(len(r.rest)) {
		r.bad, r.rest = true, ""
		return ""
	}
	s := r.rest[:n]
	r.rest = r.rest[n:]
	return s
}
