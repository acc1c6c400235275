// Package terminal shows the progress of a deletion or of a sweep to a person. A command
// gives it a Progress from time to time, and the time.
//
// On a terminal an Output redraws one line at most every 100 ms. The line is cut at the
// width of the window, so it never wraps. Elsewhere, and where TERM is dumb, an Output
// writes plain lines. It writes at most one line each second, and only after a count has
// changed.
//
// The package reads no clock and starts no goroutine. It knows no other package of this
// module.
package terminal
