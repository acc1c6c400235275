package lint

import (
	"fmt"
	"time"
)

// ageText returns a time in its largest unit and the next one, rounded down: "328 d 14 h", "2 h",
// "1 min 30 s".
//
//test:by TestAge
func ageText(d time.Duration) string {
	units := [...]struct {
		of   time.Duration
		name string
	}{{24 * time.Hour, "d"}, {time.Hour, "h"}, {time.Minute, "min"}, {time.Second, "s"}}
	for i, u := range units[:3] {
		if d < u.of {
			continue
		}
		s := fmt.Sprintf("%d %s", d/u.of, u.name)
		if next := units[i+1]; d%u.of/next.of > 0 {
			s += fmt.Sprintf(" %d %s", d%u.of/next.of, next.name)
		}
		return s
	}
	return fmt.Sprintf("%d s", d/time.Second)
}
