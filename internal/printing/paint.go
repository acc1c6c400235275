package printing

import "strings"

const (
	red    = "\x1b[31m"
	yellow = "\x1b[33m"
	strong = "\x1b[1;33m" // yellow and bold
	plain  = "\x1b[0m"
)

// paint colours the sign and the name in a line of a plan, and the first telling word of any other
// line.
func paint(text string) string {
	var out strings.Builder
	for line := range strings.Lines(text) {
		out.WriteString(paintLine(line))
	}
	return out.String()
}

func paintLine(line string) string {
	bare := strings.TrimLeft(line, " ")
	blanks := line[:len(line)-len(bare)]
	if sign, rest, ok := strings.Cut(bare, " "); ok && signColour(sign) != "" {
		name := strings.TrimRight(rest[:nameEnd(rest)], "\n")
		return blanks + signColour(sign) + sign + " " + name + plain + rest[len(name):]
	}
	words := strings.Split(line, " ")
	for i, word := range words {
		bare := strings.TrimRight(word, ":,;\n")
		colour, first := colourOf(bare), i
		if bare == "held" && i > 1 && isNumber(words[i-2]) {
			if first = i - 2; words[first] == "0" {
				continue
			}
		}
		if colour != "" {
			words[i] = bare + plain + word[len(bare):]
			words[first] = colour + words[first]
			break
		}
	}
	return strings.Join(words, " ")
}

func isNumber(word string) bool {
	return word != "" && strings.Trim(word, "0123456789") == ""
}

// nameEnd returns the end of the name at the begin of a text. A blank within quotes is part of it.
func nameEnd(text string) int {
	quoted, escaped := false, false
	for i, r := range text {
		switch {
		case escaped:
			escaped = false
		case r == '\\':
			escaped = quoted
		case r == '"':
			quoted = !quoted
		case r == ' ' && !quoted:
			return i
		}
	}
	return len(text)
}

// signColour returns the colour of a plan's sign, or "".
func signColour(sign string) string {
	switch sign {
	case "-":
		return red
	case "~":
		return yellow
	case "!":
		return strong
	}
	return ""
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
