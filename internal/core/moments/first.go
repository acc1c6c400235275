package moments

import "time"

// First is the first of several times to wait for. All of them are later than After. The zero
// value has none.
type First struct{ After, first time.Time }

// Add counts a time in, if it is one to wait for. A time that has come is that right after After.
func (f *First) Add(t time.Time, ok bool) {
	switch {
	case !ok:
	case !t.After(f.After):
		f.first = f.After.Add(1)
	case f.first.IsZero() || t.Before(f.first):
		f.first = t
	}
}

// At returns the first time, the zero time without one.
func (f *First) At() time.Time { return f.first }

// Soonest returns the earlier of two times, of which the zero time is none.
func Soonest(a, b time.Time) time.Time {
	if a.IsZero() || !b.IsZero() && b.Before(a) {
		return b
	}
	return a
}
