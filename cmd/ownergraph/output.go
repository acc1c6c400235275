package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/ownergraph/ownergraph/internal/terminal"
	"github.com/spf13/cobra"
)

// The formats of an output.
const (
	formatText = "text"
	formatJSON = "json"
)

func (a *app) addFormat(cmd *cobra.Command) {
	cmd.Flags().StringVarP(&a.format, "output", "o", formatText, "format of the output: text or json")
	_ = cmd.RegisterFlagCompletionFunc("output", cobra.FixedCompletions([]string{formatText, formatJSON}, cobra.ShellCompDirectiveNoFileComp))
}

func (a *app) checkFormat() error {
	switch a.format {
	case "", formatText, formatJSON:
		return nil
	}
	return usageError(fmt.Sprintf("--output %q: want text or json", a.format))
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
