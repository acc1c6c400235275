package graph

import (
	"encoding/hex"
	"hash/maphash"
	"math/bits"
)

// uid is a UID in 16 bytes: a canonical UUID itself, which takes 36 as text; of
// any other text a hash, and the text stands in the node's page.
type uid struct{ hi, lo uint64 }

// parseUUID reads a UUID in its canonical form, 8-4-4-4-12 digits in lower case:
// the only form that formats as it was read.
func parseUUID(u UID) (id uid, ok bool) {
	if len(u) != 36 || u[8] != '-' || u[13] != '-' || u[18] != '-' || u[23] != '-' {
		return uid{}, false
	}
	a, okA := parseHex(word(u[0:4]), word(u[4:8]))
	b, okB := parseHex(word(u[9:13]), word(u[14:18]))
	c, okC := parseHex(word(u[19:23]), word(u[24:28]))
	d, okD := parseHex(word(u[28:32]), word(u[32:36]))
	return uid{a<<32 | b, c<<32 | d}, okA && okB && okC && okD
}

// parseHex reads eight lower-case hexadecimal digits, all of them at once: each
// byte of x becomes the value of one.
func parseHex(high, low uint64) (v uint64, ok bool) {
	const each = 0x0101010101010101
	text := high<<32 | low
	letters := text >> 6 & each // 1 for what may be a letter, 0 for what may be a digit
	x := text&(0x0f*each) + 9*letters
	bad := (x + '0'*each + ('a'-'0'-10)*letters) ^ text | x&(0xf0*each) | (x+6*each)>>4&each ^ letters
	x = (x | x>>4) & 0x00ff00ff00ff00ff
	x = (x | x>>8) & 0x0000ffff0000ffff
	return (x | x>>16) & 0xffffffff, bad == 0
}

func word(s UID) uint64 {
	_ = s[3]
	return uint64(s[0])<<24 | uint64(s[1])<<16 | uint64(s[2])<<8 | uint64(s[3])
}

// appendUUID appends the canonical form.
func (u uid) appendUUID(b []byte) []byte {
	var raw [16]byte
	for i := range 8 {
		raw[i], raw[8+i] = byte(u.hi>>(56-8*i)), byte(u.lo>>(56-8*i))
	}
	b = append(hex.AppendEncode(b, raw[:4]), '-')
	b = append(hex.AppendEncode(b, raw[4:6]), '-')
	b = append(hex.AppendEncode(b, raw[6:8]), '-')
	b = append(hex.AppendEncode(b, raw[8:10]), '-')
	return hex.AppendEncode(b, raw[10:])
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
