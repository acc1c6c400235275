package printing

import (
	"bytes"
	"strings"
	"testing"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/view"
)

func TestPaint(t *testing.T) {
	for _, c := range []struct{ text, want, reason string }{
		{"", "", "nothing"},
		{"a removed; wave 1\n", "a removed; wave 1\n", "no word stands out"},
		{"a held: b\n  c held", "a " + yellow + "held" + plain + ": b\n  c " + yellow + "held" + plain, "a word of each line, with its sign outside"},
		{"it is stuck, and held\n", "it is " + red + "stuck" + plain + ", and held\n", "the first word of a line"},
		{"held\n\n", yellow + "held" + plain + "\n\n", "the line breaks stay"},
		{"    - pod/a\n", "    " + red + "- pod/a" + plain + "\n", "an object that goes"},
		{"~ pod/a loses the owner set/b\n", yellow + "~ pod/a" + plain + " loses the owner set/b\n", "the sign and the name alone"},
		{"  ! pod/a stays: finalizers hold it", "  " + strong + "! pod/a" + plain + " stays: finalizers hold it", "it needs a look"},
		{`- pod/"a b\" c" goes`, red + `- pod/"a b\" c"` + plain + " goes", "a blank in a name"},
		{"- pod x 40: a, held\n", red + "- pod" + plain + " x 40: a, held\n", "several objects in a line"},
		{"    pod/a stays\n", "    pod/a stays\n", "an object without a sign"},
		{"2 objects go; 3 are held\n", "2 objects go; " + yellow + "3 are held" + plain + "\n", "the held ones in the sum"},
		{"2 objects go; 0 are held\n", "2 objects go; 0 are held\n", "none is held"},
		{"it is held\n", "it is " + yellow + "held" + plain + "\n", "no count"},
		{"heldover pod/held\n", "heldover pod/held\n", "a part of a name is no word"},
	} {
		if got := paint(c.text); got != c.want {
			t.Errorf("paint(%q) = %q, want %q: %s", c.text, got, c.want, c.reason)
		}
	}
}

// TestPicture: each format of a picture has its own form, and the others are no pictures.
func TestPicture(t *testing.T) {
	o := graph.Object{Key: graph.Key{Kind: "pod", Scope: "s", Name: "a", UID: "1"}}
	draw := func() view.Picture { return view.All([]graph.Object{o}, 0) }
	for format, want := range map[string]string{DOT: "digraph", Mermaid: "flowchart", SVG: "<svg", Text: "", JSON: "", "": ""} {
		var out bytes.Buffer
		done, err := (&Printer{Out: &out, Format: format}).Picture(draw)
		if err != nil || done != (want != "") || !strings.Contains(out.String(), want) {
			t.Errorf("%q: %v, %v, %.100s", format, done, err, &out)
		}
	}
}

// TestText: a text of an object does not control the terminal.
func TestText(t *testing.T) {
	var out bytes.Buffer
	if err := (&Printer{Out: &out}).Text("finalizer x\x1b[2J\n"); err != nil || out.String() != "finalizer x\\x1b[2J\n" {
		t.Errorf("%v, %q", err, &out)
	}
}

// TestFlag: a flag takes the allowed formats alone.
func TestFlag(t *testing.T) {
	value := Text
	f := &Flag{&value, Plain()}
	if err := f.Set("json"); err != nil || value != JSON {
		t.Errorf("%q, %v", value, err)
	}
	for text, want := range map[string]string{"svg": "this subcommand has no picture: want text or json", "yaml": "want text or json"} {
		if err := f.Set(text); err == nil || err.Error() != want {
			t.Errorf("%s: %v", text, err)
		}
	}
	if got := (&Flag{&value, Pictures()}).Usage(); got != "format of the output: text, json, dot, mermaid or svg" {
		t.Error(got)
	}
}

// TestLimit: a picture in Mermaid is small unless the user has said otherwise.
func TestLimit(t *testing.T) {
	for _, c := range []struct {
		format      string
		limit, want int
		reason      string
	}{
		{Mermaid, 0, maxMermaid, "Mermaid draws no more by default"},
		{Mermaid, 700, 700, "the user knows better"},
		{SVG, 0, 0, "the bound of package view"},
	} {
		if got := (&Printer{Format: c.format}).Limit(c.limit); got != c.want {
			t.Errorf("%s, %d: %d, want %d: %s", c.format, c.limit, got, c.want, c.reason)
		}
	}
}

// TestJSONLine checks that each value is a line of its own, so that a program reads them one by one.
func TestJSONLine(t *testing.T) {
	var out bytes.Buffer
	p := &Printer{Out: &out}
	for _, v := range []any{map[string]int{"a": 1}, "two\nlines"} {
		if err := p.JSONLine(v); err != nil {
			t.Fatal(err)
		}
	}
	if want := "{\"a\":1}\n\"two\\nlines\"\n"; out.String() != want {
		t.Errorf("%q, want %q", &out, want)
	}
}
