// Package swar reads eight bytes of a text at once, in one register. Its full name is
// SIMD within a register.
package swar

const (
	// EachByte times a byte has that byte in each of the eight places of a word.
	EachByte = 0x0101010101010101
	// TopBits has the top bit of each byte.
	TopBits = 0x80 * EachByte
)

// Word returns the first eight bytes of a text as a word. The first byte is the lowest.
func Word(s string) uint64 {
	_ = s[7]
	return uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
		uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
}

// Half returns the first four bytes of a text as the lower half of a word.
func Half(s string) uint64 {
	_ = s[3]
	return uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24
}

// IsPlain reports whether a text has printable ASCII only, as nearly every text has.
// A byte above 0x7e or below a blank sets the top bit of its place, or carries into it.
func IsPlain(s string) bool {
	if len(s) < 8 {
		for i := range len(s) {
			if s[i] < ' ' || s[i] > '~' {
				return false
			}
		}
		return true
	}
	bad, last := uint64(0), s[len(s)-8:]
	for ; len(s) > 0; s = s[8:] {
		if len(s) < 8 {
			s = last // it overlaps the word before
		}
		x := Word(s)
		bad |= x | (x&(0x7f*EachByte) + EachByte) | ^(x | TopBits - 0x20*EachByte)
	}
	return bad&TopBits == 0
}
