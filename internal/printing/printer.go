package printing

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/ownergraph/ownergraph/internal/terminal"
	"github.com/ownergraph/ownergraph/view"
)

// The formats. The last three are pictures.
const (
	Text    = "text"
	JSON    = "json"
	DOT     = "dot"
	Mermaid = "mermaid"
	SVG     = "svg"
)

// Plain are the formats of a result without a picture.
func Plain() []string { return []string{Text, JSON} }

// Pictures are the formats of a result with a picture.
func Pictures() []string { return []string{Text, JSON, DOT, Mermaid, SVG} }

// Printer writes to Out in one format. It is not safe for concurrent use.
type Printer struct {
	Out    io.Writer
	Format string // "" is Text
}

// maxMermaid is the bound by which a picture stays within Mermaid's own defaults. Sites such as
// GitHub draw no larger one.
const maxMermaid = 100

// Limit returns the most objects of a picture. 0 is the default: that of package view, and less
// for Mermaid.
//
//test:by TestLimit
func (p *Printer) Limit(limit int) int {
	if limit == 0 && p.Format == Mermaid {
		return maxMermaid
	}
	return limit
}

// Picture writes a picture, if the format is one.
//
//test:by TestPicture
func (p *Printer) Picture(draw func() view.Picture) (done bool, err error) {
	text := ""
	switch p.Format {
	case DOT:
		text = draw().DOT()
	case Mermaid:
		text = draw().Mermaid()
	case SVG:
		text = draw().SVG()
	default:
		return false, nil
	}
	_, err = io.WriteString(p.Out, text)
	return true, err
}

// JSON writes a value as indented JSON.
func (p *Printer) JSON(value any) error {
	text, err := json.Marshal(value)
	if err != nil {
		return err
	}
	var out bytes.Buffer
	if err := json.Indent(&out, text, "", "  "); err != nil {
		return err
	}
	out.WriteByte('\n')
	_, err = p.Out.Write(out.Bytes())
	return err
}

// JSONLine writes a value as one line of JSON.
//
//test:by TestJSONLine
func (p *Printer) JSONLine(value any) error {
	text, err := json.Marshal(value)
	if err != nil {
		return err
	}
	_, err = p.Out.Write(append(text, '\n'))
	return err
}

// Text writes text, with its telling words in colour on a terminal. NO_COLOR turns the
// colour off. No character of an object's text controls the terminal.
//
//test:by TestText
func (p *Printer) Text(text string) error {
	text = terminal.Printable(text)
	if os.Getenv("NO_COLOR") == "" && terminal.New(p.Out).IsTerminal() {
		text = paint(text)
	}
	_, err := io.WriteString(p.Out, text)
	return err
}

// Flag is the flag of a format. It is a Value of package pflag.
type Flag struct {
	Value   *string
	Allowed []string
}

// String returns the format.
func (f *Flag) String() string {
	if f.Value == nil {
		return ""
	}
	return *f.Value
}

// Type returns the word for the value in a help text.
func (f *Flag) Type() string { return "format" }

// Usage returns the help text.
func (f *Flag) Usage() string { return "format of the output: " + choice(f.Allowed) }

// Set sets the format. It refuses a format that is not allowed.
//
//test:by TestFlag
func (f *Flag) Set(s string) error {
	switch {
	case slices.Contains(f.Allowed, s):
		*f.Value = s
		return nil
	case slices.Contains(Pictures(), s):
		return fmt.Errorf("this subcommand has no picture: want %s", choice(f.Allowed))
	}
	return fmt.Errorf("want %s", choice(f.Allowed))
}

// choice returns "a, b or c".
func choice(words []string) string {
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " or " + words[last]
}
