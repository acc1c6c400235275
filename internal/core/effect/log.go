package effect

// Record is a line for the log. Args are pairs of a name and a value. It is a value.
type Record struct {
	Level Level
	Text  string
	Args  []any
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

// lines are the records that have been carried out and wait for the caller.
type lines struct {
	records []Record
	dropped int // beyond the bound
}

// Dropped returns the line that stands for n dropped ones.
func Dropped(n int) Record {
	return Record{Level: Warn, Text: "lines of the log dropped", Args: []any{"count", n}}
}

// Warn appends a Log record. Args are pairs of a name and a value.
func (l *List) Warn(text string, args ...any) {
	l.items = append(l.items, Effect{Type: Log, Record: &Record{Level: Warn, Text: text, Args: args}})
}

// Keep keeps a line for the caller. Beyond a bound it counts the line and drops it.
func (l *List) Keep(r Record) {
	if len(l.lines.records) == maxLines {
		l.lines.dropped++
		return
	}
	l.lines.records = append(l.lines.records, r)
}

// HasLines reports whether a line is kept.
func (l *List) HasLines() bool { return len(l.lines.records) > 0 }

// TakeLines returns the kept lines, the first one first, and keeps them no longer. The
// last of them counts the dropped ones, if there are any.
func (l *List) TakeLines() []Record {
	taken := l.lines.records
	if n := l.lines.dropped; n > 0 {
		taken = append(taken, Dropped(n))
	}
	l.lines = lines{}
	return taken
}
