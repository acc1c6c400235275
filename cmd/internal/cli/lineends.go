package cli

import "io"

// lineEnds is a reader that turns each lone carriage return into a line feed. YAML takes both as the
// end of a line.
type lineEnds struct {
	from io.Reader
	last bool // the byte before was a carriage return, and is not given out yet
}

// Read returns the text. A carriage return waits for the byte behind it.
func (l *lineEnds) Read(p []byte) (int, error) {
	if len(p) < 2 {
		return 0, io.ErrShortBuffer // package bufio reads by larger parts
	}
	at := 0
	if l.last {
		at, p[0] = 1, '\r'
	}
	n, err := l.from.Read(p[at:])
	n += at
	l.last = false
	for i := range n {
		switch {
		case p[i] != '\r':
		case i+1 < n && p[i+1] != '\n', i+1 == n && err != nil:
			p[i] = '\n'
		case i+1 == n:
			l.last = true
			return n - 1, err
		}
	}
	return n, err
}
