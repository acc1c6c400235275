package main

import "testing"

func TestPaint(t *testing.T) {
	for _, c := range []struct{ text, want, reason string }{
		{"", "", "nothing"},
		{"a removed; wave 1\n", "a removed; wave 1\n", "no word stands out"},
		{"a held: b\n  c held", "a " + yellow + "held" + plain + ": b\n  c " + yellow + "held" + plain, "a word of each line, with its sign outside"},
		{"it is stuck, and held\n", "it is " + red + "stuck" + plain + ", and held\n", "the first word of a line"},
		{"held\n\n", yellow + "held" + plain + "\n\n", "the line breaks stay"},
		{"heldover pod/held\n", "heldover pod/held\n", "a part of a name is no word"},
	} {
		if got := paint(c.text); got != c.want {
			t.Errorf("paint(%q) = %q, want %q: %s", c.text, got, c.want, c.reason)
		}
	}
}
