package run

import "time"

// stuckPause is the time that objects are stuck before the log reports them.
const stuckPause = 10 * time.Second

// StuckLog finds the moments at which the log reports the number of stuck objects. It
// does so for the first ones, for more than twice as many as in the last line, and when
// the last one has gone. The driver's lock guards a StuckLog. The zero value is ready.
type StuckLog struct {
	due    time.Time // of the next line, zero if there is nothing new
	logged int       // the number of objects in the last line
}

// Step takes the number of stuck objects now. It returns the time of the next line, zero
// for none, and whether to write a line with this number.
func (s *StuckLog) Step(now time.Time, n int) (at time.Time, write bool) {
	switch {
	case (n == 0) == (s.logged == 0) && n <= 2*s.logged:
		s.due = time.Time{}
	case s.due.IsZero():
		s.due = now.Add(stuckPause)
	case !now.Before(s.due):
		s.due, s.logged, write = time.Time{}, n, true
	}
	return s.due, write
}
