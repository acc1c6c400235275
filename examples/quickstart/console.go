package main

import "io"

// console is the output of the example. It keeps the first error of a write, and writes
// nothing after it. It is not safe for concurrent use.
type console struct {
	out  io.Writer
	live bool // a line can be redrawn
	err  error
}

func newConsole(out io.Writer) *console { return &console{out: out, live: isTerminal(out)} }

func (c *console) Write(p []byte) (n int, err error) {
	if c.err == nil {
		n, c.err = c.out.Write(p)
	}
	return n, c.err
}

func (c *console) print(text string) { _, _ = io.WriteString(c, text) } // the error is kept
