package run

import (
	"fmt"
	"strings"
)

// MaxNames bounds the names that one text has.
const MaxNames = 8

// FirstNames returns the first names in one text, and the number of the others. All is the
// number of all of them: the caller may have cut the list.
func FirstNames(names []string, all int) string {
	names = names[:min(len(names), MaxNames)]
	text := strings.Join(names, ", ")
	if more := all - len(names); more > 0 {
		text += fmt.Sprintf(", and %d more", more)
	}
	return text
}
