package lint

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// list returns a number of things with their names, such as: the finalizer "a".
func (c *checker) list(noun string, names []string) string {
	quoted := make([]string, 0, len(names))
	for _, n := range names {
		quoted = append(quoted, strconv.Quote(n))
	}
	if len(names) == 1 {
		return "the " + noun + " " + short(quoted[0])
	}
	return fmt.Sprintf("%d %ss: %s", len(names), noun, c.names(quoted))
}

// names sorts names, and returns as many of them as a message may have, with the number of
// the others.
func (c *checker) names(names []string) string {
	slices.Sort(names)
	more := len(names) - c.cfg.Details
	names = names[:min(len(names), c.cfg.Details)]
	for i := range names {
		names[i] = short(names[i])
	}
	return strings.Join(names, ", ") + andMore(more)
}

func andMore(n int) string {
	if n <= 0 {
		return ""
	}
	return fmt.Sprintf(" and %d more", n)
}
