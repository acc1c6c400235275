package swar

import "testing"

// TestIsPlain tries each byte at each place of a text.
func TestIsPlain(t *testing.T) {
	for c := range 256 {
		for at := range 17 {
			text := []byte("aaaaaaaaaaaaaaaaa")
			text[at] = byte(c)
			if want := c >= ' ' && c <= '~'; IsPlain(string(text)) != want {
				t.Errorf("byte %#x at %d is plain: %t", c, at, !want)
			}
		}
	}
	for _, short := range []string{"", "a", "a\x00", "\x7f"} {
		if want := len(short) < 2 && short != "\x7f"; IsPlain(short) != want {
			t.Errorf("IsPlain(%q) = %t", short, !want)
		}
	}
}

// TestWord: the first byte of a text is the lowest of the word.
func TestWord(t *testing.T) {
	if got := Word("\x01\x02\x03\x04\x05\x06\x07\x08rest"); got != 0x0807060504030201 {
		t.Errorf("Word = %#x", got)
	}
	if got := Half("\x01\x02\x03\x04rest"); got != 0x04030201 {
		t.Errorf("Half = %#x", got)
	}
}
