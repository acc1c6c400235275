package effect

import (
	"fmt"
	"strings"
	"time"

	"github.com/ownergraph/ownergraph/internal/lines"
)

// Record is a line for the log. Args are pairs of a name and a value. Cause stands for the error of
// many lines, or is empty. It is a value.
type Record struct {
	Level Level
	Text  string
	Args  []any
	Cause string
}

// Level says how serious a Record is.
type Level uint8

const (
	// LevelUnset is no level.
	LevelUnset Level = iota
	// Debug is for one object or run that needs no action.
	Debug
	// Info is for a change of the whole that needs no action.
	Info
	// Warn is for a fault that the engine survives.
	Warn
	// Error is for a fault that stops the engine.
	Error

	numLevels
)

var levelNames = [numLevels]string{"unset", "debug", "info", "warn", "error"}

// String returns the level in lower case.
func (l Level) String() string {
	if l < numLevels {
		return levelNames[l]
	}
	return levelNames[LevelUnset]
}

// maxLines bounds the lines that a List keeps. A caller takes them after each step, and a
// step that has more to say repeats itself.
const maxLines = 256

// maxObjects bounds the lines of a text in a minute that are about one object each.
const maxObjects = 32

// kept are the records that have been carried out and wait for the caller.
type kept struct {
	records []Record
	dropped int // beyond the bound
	repeats lines.Lines
}

// note notes a line, and reports whether it is to be written. A warning with an error or a panic
// comes again with each try and each object. So one line of a text and cause is due in a minute. A
// warning about an object without an error comes once for the object, and more of them are due. A
// line gets the number of the others. A line that has the number already is due.
//
//test:by TestDue
func (r *Record) note(to *lines.Lines, now time.Time) bool {
	cause, most := r.cause()
	if most == 0 {
		return true
	}
	others, due := to.Note(r.Text, cause, most, now)
	if due && others > 0 {
		r.Args = append(r.Args[:len(r.Args):len(r.Args)], "others", others)
	}
	return due
}

// cause returns the text that the line shares with its repetitions, without the object, and the
// most lines of it in a minute. Zero is no bound.
func (r *Record) cause() (text string, most int) {
	if r.Level != Warn && r.Level != Error {
		return "", 0
	}
	var err error
	var names []string
	for i := 1; i < len(r.Args); i += 2 {
		switch r.Args[i-1] {
		case "others":
			return "", 0
		case "key":
			key := fmt.Sprint(r.Args[i])
			place, uid, _ := strings.Cut(key, "@")
			names = append(names, key, place, uid, place[strings.LastIndexByte(place, '/')+1:])
		case "err", "panic":
			err = fmt.Errorf("%v", r.Args[i])
		}
	}
	switch {
	case r.Cause != "":
		return r.Cause, 1
	case err != nil:
		return lines.Cause(err, names...), 1
	case len(names) > 0:
		return "", maxObjects
	}
	return "", 0
}

// Dropped returns the line that stands for n dropped ones.
func Dropped(n int) Record {
	return Record{Level: Warn, Text: "lines of the log dropped", Args: []any{"count", n}}
}

// Warn appends a Log record. Args are pairs of a name and a value.
func (l *List) Warn(text string, args ...any) {
	l.items = append(l.items, Effect{Type: Log, Record: &Record{Level: Warn, Text: text, Args: args}})
}

// KeepDue is Keep for a line that is due. The lines of one text and cause are bounded, and one of
// them gets the number of the others.
//
//test:by TestDue TestFlood
func (l *List) KeepDue(r Record, now time.Time) {
	if r.note(&l.lines.repeats, now) {
		l.Keep(r)
	}
}

// KeepLate keeps a line for each text with a number of others that no line has shown in time. It
// returns the time of its next look, zero for none.
//
//test:by TestFlood
func (l *List) KeepLate(now time.Time) (at time.Time) {
	return l.lines.repeats.Late(now, func(text string, others int) {
		l.Keep(Record{Level: Warn, Text: text, Args: []any{"others", others}})
	})
}

// Keep keeps a line for the caller. Beyond a bound it counts the line and drops it. A line of level
// Error is never dropped: KeepDue bounds them.
func (l *List) Keep(r Record) {
	if len(l.lines.records) >= maxLines && r.Level != Error {
		l.lines.dropped++
		return
	}
	l.lines.records = append(l.lines.records, r)
}

// TakeLines returns the kept lines, the first one first, and keeps them no longer. The
// last of them counts the dropped ones, if there are any.
func (l *List) TakeLines() []Record {
	taken := l.lines.records
	if n := l.lines.dropped; n > 0 {
		taken = append(taken, Dropped(n))
	}
	l.lines.records, l.lines.dropped = nil, 0
	return taken
}
