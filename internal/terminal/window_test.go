package terminal

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestNewFindsTerminals has the files that are no terminals. TestPty has one.
func TestNewFindsTerminals(t *testing.T) {
	t.Setenv("TERM", "xterm")
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	defer w.Close()
	file, err := os.Create(filepath.Join(t.TempDir(), "out"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	closed, err := os.Create(filepath.Join(t.TempDir(), "closed"))
	if err != nil {
		t.Fatal(err)
	}
	closed.Close()
	for _, c := range []struct {
		out    io.Writer
		reason string
	}{
		{w, "a pipe"}, {file, "a file"}, {closed, "a closed file"}, {(*os.File)(nil), "no file"}, {&strings.Builder{}, "a writer in memory"},
	} {
		if New(c.out).IsTerminal() {
			t.Errorf("%s counts as a terminal", c.reason)
		}
	}
}

// TestPipe: a pipe gets plain lines.
func TestPipe(t *testing.T) {
	t.Setenv("TERM", "xterm")
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	play(t, New(w), nil)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	got, err := io.ReadAll(r)
	if want := plainPlay; err != nil || string(got) != want {
		t.Errorf("read %q, %v\nwant %q", got, err, want)
	}
}

// plainPlay is the output of play where lines are not redrawn.
const plainPlay = "begin\n" +
	"delete Deployment.apps/shop/frontend: 3 of 9 gone; 0 reads, 3 writes, 0 fences, 1s\n" +
	"delete Deployment.apps/shop/frontend: 9 of 9 gone; 0 reads, 9 writes, 0 fences, 1.2s\n" +
	"end\n"

// play writes a title, a line of progress with four updates, and a last line. It calls
// between before each update, with the index of the update.
func play(t *testing.T, o *Output, between func(update int)) {
	t.Helper()
	o.Print("begin\n")
	line := o.Line(at(0))
	state := func(ms int, gone uint64) Progress {
		return Progress{Label: "delete Deployment.apps/shop/frontend", Known: 9, Total: Exact, Gone: gone, Writes: gone, Elapsed: at(ms).Sub(at(0))}
	}
	for i, ms := range []int{100, 150, 1000, 1100} {
		if between != nil {
			between(i)
		}
		line.Update(at(ms), state(ms, []uint64{1, 2, 3, 8}[i]))
	}
	if err := line.End(state(1200, 9)); err != nil {
		t.Fatal(err)
	}
	o.Print("end\n")
	if err := o.Err(); err != nil {
		t.Fatal(err)
	}
}
