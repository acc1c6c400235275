package spell

import "fmt"

// Counted returns a number with its noun, in the singular for 1.
func Counted(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}
