package terminal

// cut joins a title and counts in a number of columns. It shortens the title at its
// front, and leaves it out where no room is left. Only then it shortens the counts at
// their end, because the first ones matter most.
//
//test:by TestCut TestRedrawNeedsOneRow
func cut(title, counts string, columns int) string {
	const dots = "..."
	switch room := columns - width(counts); {
	case room >= width(title):
		return title + counts
	case room >= len(dots):
		return dots + lastColumns(title, room-len(dots)) + counts
	case room >= 0:
		return counts
	}
	return firstColumns(counts, columns-len(dots)) + dots[:min(columns, len(dots))]
}

// width returns an upper bound of the columns of a text. A character outside of ASCII
// counts as two.
func width(text string) int {
	n := 0
	for _, r := range text {
		n += cells(r)
	}
	return n
}

func cells(r rune) int {
	if r > '\x7f' {
		return 2
	}
	return 1
}

// firstColumns returns the longest beginning of a text that fits.
func firstColumns(text string, columns int) string {
	for i, r := range text {
		if columns -= cells(r); columns < 0 {
			return text[:i]
		}
	}
	return text
}

// lastColumns returns the longest end of a text that fits.
func lastColumns(text string, columns int) string {
	runes := []rune(text)
	from := len(runes)
	for from > 0 && columns >= cells(runes[from-1]) {
		from--
		columns -= cells(runes[from])
	}
	return string(runes[from:])
}
