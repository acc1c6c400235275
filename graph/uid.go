package graph

import (
	"encoding/binary"
	"hash/maphash"
	"math/bits"
)

// uid is a UID in 16 bytes: the digits of a canonical UUID, which takes 36 as
// text, in an order of their own (see parseUUID); of any other text a hash, and the
// text stands in the node's page.
type uid struct{ hi, lo uint64 }

// uuidLen is how long a UUID is as text.
const uuidLen = 36

// parseUUID reads a UUID in its canonical form, 8-4-4-4-12 digits in lower case:
// the only form that formats as it was read. It comes twice with each event, so
// it takes eight digits at once, and leaves each in a byte: two words of four bits
// a byte are one of eight, and to put them in order would be of no use.
func parseUUID(u UID) (id uid, ok bool) {
	if len(u) != uuidLen || u[8] != '-' || u[13] != '-' || u[18] != '-' || u[23] != '-' {
		return uid{}, false
	}
	a, badA := hexDigits(half(u[0:])<<32 | half(u[4:]))
	b, badB := hexDigits(half(u[9:])<<32 | half(u[14:]))
	c, badC := hexDigits(half(u[19:])<<32 | half(u[24:]))
	d, badD := hexDigits(half(u[28:])<<32 | half(u[32:]))
	return uid{a<<4 | b, c<<4 | d}, (badA|badB|badC|badD)&highBits == 0
}

const (
	eachByte = 0x0101010101010101
	lowBits  = 0x0f * eachByte
	highBits = 0xf0 * eachByte
)

// hexDigits reads eight lower-case hexadecimal digits: each byte of the text becomes
// the value of one. There is a bit of highBits in bad if one of them is none. Of
// what is no digit, the first from the right borrows from nobody, so it shows.
func hexDigits(text uint64) (x, bad uint64) {
	letters := text >> 6 & eachByte // 1 for what may be a letter, 0 for what may be a digit
	x = text ^ '0'*eachByte - ('a'^'0'-10)*letters
	return x, x | ((x + 6*eachByte) ^ letters<<4)
}

// half returns four bytes of text, the first of them highest.
func half(s UID) uint64 {
	_ = s[3]
	return uint64(s[0])<<24 | uint64(s[1])<<16 | uint64(s[2])<<8 | uint64(s[3])
}

// hexText is the inverse of hexDigits.
func hexText(x uint64) uint64 { return x + '0'*eachByte + ('a'-'0'-10)*((x+6*eachByte)>>4&eachByte) }

// appendUUID appends the canonical form.
func (u uid) appendUUID(b []byte) []byte {
	var t [32]byte
	for i, x := range [...]uint64{u.hi >> 4, u.hi, u.lo >> 4, u.lo} {
		binary.BigEndian.PutUint64(t[8*i:], hexText(x&lowBits))
	}
	b = append(append(b, t[:8]...), '-')
	b = append(append(b, t[8:12]...), '-')
	b = append(append(b, t[12:16]...), '-')
	b = append(append(b, t[16:20]...), '-')
	return append(b, t[20:]...)
}

// packed is a UID as a node holds it.
type packed struct {
	uid
	text bool // it is a hash
}

func (g *Graph) packUID(u UID) packed {
	if id, ok := parseUUID(u); ok {
		return packed{id, false}
	}
	return packed{uid{maphash.String(g.index.seed, string(u)), 0}, true}
}

// hash spreads a UID over 64 bits. It differs from graph to graph, so that
// nobody can choose UIDs that meet, and no output depends on it.
func (x *index) hash(u uid) uint64 {
	hi, lo := bits.Mul64(u.hi^x.salt[0], u.lo^x.salt[1])
	h := (hi ^ lo) * 0x9e3779b97f4a7c15
	return h ^ h>>29
}

// maxDigits is how many digits always fit into 64 bits.
const maxDigits = 19

// parseVersion reads a version that is a decimal number as it would be written:
// without a sign and without zeros before it.
func parseVersion(v Version) (n uint64, ok bool) {
	if len(v) == 0 || len(v) > maxDigits || v[0] == '0' && len(v) > 1 {
		return 0, false
	}
	for i := range len(v) {
		d := v[i] - '0'
		if d > 9 {
			return 0, false
		}
		n = n*10 + uint64(d)
	}
	return n, true
}
