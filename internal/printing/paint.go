package printing

import "strings"

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
