package graph

import (
	"encoding/binary"
	"hash/maphash"
	"math/bits"

	"github.com/ownergraph/ownergraph/internal/core/swar"
)

// uid is a UID in 16 bytes. For a canonical UUID, with 36 bytes of text, it has the
// digits in an order of its own: see packUID. For another UID it has a hash, and the
// node's page has the text.
type uid struct{ hi, lo uint64 }

// uuidLen is the length of a UUID as text.
const uuidLen = 36

// packed is a UID in the form of a node.
type packed struct {
	uid
	text bool // uid is a hash
}

// packUID reads a UUID in its canonical form: 8-4-4-4-12 digits in lower case. Only this
// form prints as it was read. Each event brings two UUIDs, so packUID reads eight digits
// at once, each into a byte of a word. Two words of four bits a byte make one word of
// eight bits a byte. The order of the digits does not matter.
func (g *Graph) packUID(u UID) packed {
	if len(u) != uuidLen || u[8] != '-' || u[13] != '-' || u[18] != '-' || u[23] != '-' {
		return g.packText(u)
	}
	t := string(u)
	a, badA := hexDigits(swar.Word(t))
	b, badB := hexDigits(swar.Half(t[9:]) | swar.Half(t[14:])<<32)
	c, badC := hexDigits(swar.Half(t[19:]) | swar.Half(t[24:])<<32)
	d, badD := hexDigits(swar.Word(t[28:]))
	if (badA|badB|badC|badD)&highBits != 0 {
		return g.packText(u)
	}
	return packed{uid{a<<4 | b, c<<4 | d}, false}
}

// packText is packUID for any other UID.
func (g *Graph) packText(u UID) packed {
	return packed{uid{maphash.String(g.index.seed, string(u)), 0}, true}
}

const (
	lowBits  = 0x0f * swar.EachByte
	highBits = 0xf0 * swar.EachByte
)

// hexDigits reads eight lower-case hexadecimal digits. Each byte of the text becomes the
// value of one digit. If one byte is no digit, bad has a bit of highBits. The first such
// byte from the right takes no carry from a neighbour, so it always shows.
func hexDigits(text uint64) (x, bad uint64) {
	letters := text >> 6 & swar.EachByte // 1 for a possible letter, 0 for a possible digit
	x = text ^ '0'*swar.EachByte - ('a'^'0'-10)*letters
	return x, x | ((x + 6*swar.EachByte) ^ letters<<4)
}

// hexText is the inverse of hexDigits.
func hexText(x uint64) uint64 {
	return x + '0'*swar.EachByte + ('a'-'0'-10)*((x+6*swar.EachByte)>>4&swar.EachByte)
}

// appendUUID appends the canonical form.
func (u uid) appendUUID(b []byte) []byte {
	var t [32]byte
	for i, x := range [...]uint64{u.hi >> 4, u.hi, u.lo >> 4, u.lo} {
		binary.LittleEndian.PutUint64(t[8*i:], hexText(x&lowBits))
	}
	b = append(append(b, t[:8]...), '-')
	b = append(append(b, t[8:12]...), '-')
	b = append(append(b, t[12:16]...), '-')
	b = append(append(b, t[16:20]...), '-')
	return append(b, t[20:]...)
}

// hash spreads a UID over 64 bits. Each graph has its own hash, so that no user can
// choose UIDs that collide. No output depends on it.
func (x *index) hash(u uid) uint64 {
	hi, lo := bits.Mul64(u.hi^x.salt[0], u.lo^x.salt[1])
	h := (hi ^ lo) * 0x9e3779b97f4a7c15
	return h ^ h>>29
}

// maxDigits is the number of digits that always fit into 64 bits.
const maxDigits = 19

// parseVersion reads a version that is a decimal number in its shortest form, without a
// sign and without leading zeros. It reads up to eight digits at once. One by one, each
// digit would wait for the one before.
func parseVersion(v Version) (n uint64, ok bool) {
	if len(v) == 0 || len(v) > maxDigits || v[0] == '0' && len(v) > 1 {
		return 0, false
	}
	head, bad := string(v[:len(v)%8]), uint64(0)
	if m := len(head); m >= 4 {
		x := swar.Half(head) | swar.Half(head[m-4:])<<(8*(m-4)&63)
		x = (x ^ '0'*swar.EachByte) << (8 * (8 - m) & 63) // as with leading zeros
		n, bad = decimal(x)
	} else {
		for i := range m {
			d := uint64(head[i]) - '0'
			n, bad = n*10+d, bad|d|(9-d)
		}
	}
	for v = v[len(head):]; len(v) >= 8; v = v[8:] {
		x, b := decimal(swar.Word(string(v)) ^ '0'*swar.EachByte)
		n, bad = n*1e8+x, bad|b
	}
	return n, bad&swar.TopBits == 0
}

// decimal returns the number of eight digits, one in each byte, the first one lowest. It
// joins neighbours to numbers of two digits, then of four, then of eight. If one byte is
// no digit, bad has a bit of swar.TopBits.
func decimal(x uint64) (n, bad uint64) {
	bad = x | (x + (0x7f-9)*swar.EachByte)
	x = (x*10 + x>>8) & 0x00ff00ff00ff00ff
	x = (x*100 + x>>16) & 0x0000ffff0000ffff
	return (x*10000 + x>>32) & 0xffffffff, bad
}
