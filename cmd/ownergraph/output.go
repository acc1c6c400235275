package main

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
	"github.com/spf13/cobra"
)

// The formats of an output. The last three are pictures.
const (
	formatText    = "text"
	formatJSON    = "json"
	formatDOT     = "dot"
	formatMermaid = "mermaid"
	formatSVG     = "svg"
)

// addFormat adds the flag of the format to a subcommand without a picture.
func (a *app) addFormat(cmd *cobra.Command) { a.addFormats(cmd, formatText, formatJSON) }

// addPictures adds the flag of the format to a subcommand with a picture.
func (a *app) addPictures(cmd *cobra.Command) {
	a.addFormats(cmd, formatText, formatJSON, formatDOT, formatMermaid, formatSVG)
}

func (a *app) addFormats(cmd *cobra.Command, allowed ...string) {
	a.format = formatText
	cmd.Flags().VarP(&formatFlag{&a.format, allowed}, "output", "o", "format of the output: "+choice(allowed))
	_ = cmd.RegisterFlagCompletionFunc("output", cobra.FixedCompletions(allowed, cobra.ShellCompDirectiveNoFileComp))
}

// formatFlag is a flag of package pflag.
type formatFlag struct {
	value   *string
	allowed []string
}

func (f *formatFlag) String() string { return *f.value }
func (f *formatFlag) Type() string   { return "format" }

// Set refuses a picture of a subcommand without one.
func (f *formatFlag) Set(s string) error {
	switch {
	case slices.Contains(f.allowed, s):
		*f.value = s
		return nil
	case s == formatDOT || s == formatMermaid || s == formatSVG:
		return fmt.Errorf("this subcommand has no picture: want %s", choice(f.allowed))
	}
	return fmt.Errorf("want %s", choice(f.allowed))
}

// choice returns "a, b or c".
func choice(words []string) string {
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " or " + words[last]
}

// writePicture writes a picture in the format of the user. It returns false for the formats
// that are no pictures.
//
// Held by TestDump and TestDOTIsRead.
func (a *app) writePicture(draw func() view.Picture) (bool, error) {
	text := ""
	switch a.format {
	case formatDOT:
		text = draw().DOT()
	case formatMermaid:
		text = draw().Mermaid()
	case formatSVG:
		text = draw().SVG()
	default:
		return false, nil
	}
	_, err := io.WriteString(a.stdout, text)
	return true, err
}

// writeJSON writes a value as indented JSON.
func (a *app) writeJSON(value any) error {
	text, err := json.Marshal(value)
	if err != nil {
		return err
	}
	var out bytes.Buffer
	if err := json.Indent(&out, text, "", "  "); err != nil {
		return err
	}
	out.WriteByte('\n')
	_, err = a.stdout.Write(out.Bytes())
	return err
}

// writeText writes text, with its telling words in colour on a terminal.
func (a *app) writeText(text string) error {
	if a.colours() {
		text = paint(text)
	}
	_, err := io.WriteString(a.stdout, text)
	return err
}

// colours reports whether standard output is a terminal that shows colours, and the user
// has not set NO_COLOR.
//
// Held by TestColour.
func (a *app) colours() bool {
	return os.Getenv("NO_COLOR") == "" && terminal.New(a.stdout).IsTerminal()
}

const (
	red    = "\x1b[31m"
	yellow = "\x1b[33m"
	plain  = "\x1b[0m"
)

// paint colours the first telling word of each line.
func paint(text string) string {
	var out strings.Builder
	for line := range strings.Lines(text) {
		words := strings.Split(line, " ")
		for i, word := range words {
			if colour := colourOf(strings.TrimRight(word, ":,;\n")); colour != "" {
				bare := strings.TrimRight(word, ":,;\n")
				words[i] = colour + bare + plain + word[len(bare):]
				break
			}
		}
		out.WriteString(strings.Join(words, " "))
	}
	return out.String()
}

// colourOf returns the colour of a word that stands out, or "".
func colourOf(word string) string {
	switch word {
	case "error", "stuck":
		return red
	case "warning", "held", "possible", "(possible)", "pending":
		return yellow
	}
	return ""
}
