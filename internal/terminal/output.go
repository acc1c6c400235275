package terminal

import (
	"io"
	"os"
)

// erase begins a redraw: it moves to the start of the line and clears it.
const erase = "\r\x1b[K"

// Output writes the text and the progress of a command. It keeps the first error of the
// writer, and writes nothing after it. It is not safe for concurrent use.
//
//test:by TestOutputKeepsFirstError
type Output struct {
	out    io.Writer
	screen *os.File // nil if it is no file
	live   bool     // a line can be redrawn
	drawn  bool     // the cursor is on a line that will be redrawn
	err    error
}

// New returns an Output that writes to out. It redraws lines if out is a file that is a
// terminal, and the variable TERM of the environment is not "dumb".
//
//test:by TestNewFindsTerminals
func New(out io.Writer) *Output {
	o := &Output{out: out}
	if file, isFile := out.(*os.File); isFile {
		o.screen = file
		o.live = os.Getenv("TERM") != "dumb" && isTerminal(file)
	}
	return o
}

// Write writes text. It erases a line of progress that is not ended, and the next
// redraw shows that line again. So the text should be whole lines. Write returns the
// first error of the writer.
//
//test:by TestTextErasesLine
func (o *Output) Write(text []byte) (n int, err error) {
	if o.drawn {
		o.drawn = false
		_, _ = o.send([]byte(erase)) // the error is kept
	}
	return o.send(text)
}

// Print writes the text of Printable as Write does. The error is that of Err.
func (o *Output) Print(text string) { _, _ = o.Write([]byte(Printable(text))) }

// Err returns the first error of the writer, unchanged.
func (o *Output) Err() error { return o.err }

// redraw replaces the row of the cursor.
func (o *Output) redraw(line string) {
	_, _ = o.send([]byte(erase + line)) // the error is kept
	o.drawn = true
}

// send writes with one call of the writer's Write.
func (o *Output) send(text []byte) (n int, err error) {
	if o.err == nil {
		n, o.err = o.out.Write(text)
	}
	return n, o.err
}

// IsTerminal reports whether the output is a terminal that is not dumb.
//
//test:by TestNewFindsTerminals
func (o *Output) IsTerminal() bool { return o.live }
