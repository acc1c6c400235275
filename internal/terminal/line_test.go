package terminal

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// at returns the instant some milliseconds after the begin of a test.
func at(ms int) time.Time { return time.Unix(0, 0).Add(time.Duration(ms) * time.Millisecond) }

func TestLine(t *testing.T) {
	long := strings.Repeat("y", 90)
	const none = " gone; 0 reads, 0 writes, 0 fences, "
	tests := []struct {
		name, reason string
		live         bool
		label        string
		want         string
	}{
		{"terminal", "one line, redrawn every 100 ms at most", true, "x",
			erase + "x: 2" + none + "100ms" + erase + "x: 3" + none + "1s" + erase + "x: 3" + none + "2s" + erase + "x: 4" + none + "2s\n"},
		{"file", "a line each second at most, and none twice", false, "x",
			"x: 3" + none + "1s\nx: 4" + none + "2s\n"},
		{"long label", "a redrawn line does not wrap, the last one may", true, long,
			erase + "..." + long[:32] + ": 2" + none + "100ms" + erase + "..." + long[:35] + ": 3" + none + "1s" +
				erase + "..." + long[:35] + ": 3" + none + "2s" + erase + long + ": 4" + none + "2s\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var out bytes.Buffer
			line := (&Output{out: &out, live: tt.live}).Line(at(0))
			update := func(ms int, gone uint64) {
				line.Update(at(ms), Progress{Label: tt.label, Gone: gone, Elapsed: at(ms).Sub(at(0))})
			}
			update(99, 1)
			update(100, 2)
			update(199, 2)
			update(1000, 3)
			update(2000, 3)
			if err := line.End(Progress{Label: tt.label, Gone: 4, Elapsed: 2001 * time.Millisecond}); err != nil {
				t.Fatal(err)
			}
			if got := out.String(); got != tt.want {
				t.Errorf("wrote %q\nwant  %q: %s", got, tt.want, tt.reason)
			}
		})
	}
}

// TestPlainLinesAreRare: updates at any times give at most one plain line each second,
// and no line has the counts of the line before.
func TestPlainLinesAreRare(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var out bytes.Buffer
		line := New(&out).Line(at(0))
		now, last, shown := 0, 0, uint64(0)
		for _, step := range rapid.SliceOf(rapid.IntRange(0, 1500)).Draw(t, "steps") {
			now += step
			gone := rapid.Uint64Range(0, 2).Draw(t, "gone")
			line.Update(at(now), Progress{Gone: gone, Elapsed: at(now).Sub(at(0))})
			if out.Len() == 0 {
				continue
			}
			if now-last < 1000 || gone == shown || strings.Count(out.String(), "\n") != 1 || strings.Contains(out.String(), "\x1b") {
				t.Fatalf("wrote %q at %d ms with %d gone, after a line at %d ms with %d gone", &out, now, gone, last, shown)
			}
			last, shown = now, gone
			out.Reset()
		}
	})
}

// TestTextErasesLine: text between two updates has a row of its own, on a terminal and
// elsewhere.
func TestTextErasesLine(t *testing.T) {
	for _, live := range []bool{true, false} {
		var out bytes.Buffer
		o := &Output{out: &out, live: live}
		line := o.Line(at(0))
		line.Update(at(1000), Progress{Gone: 1})
		o.Print("a warning\n")
		line.Update(at(2000), Progress{Gone: 2})
		if err := line.End(Progress{Gone: 3}); err != nil {
			t.Fatal(err)
		}
		o.Print("the end\n")
		s := screen{columns: 80}
		s.write(out.String())
		const none = " gone; 0 reads, 0 writes, 0 fences, 0s\n"
		want := "a warning\n3" + none + "the end\n"
		if !live {
			want = "1" + none + "a warning\n2" + none + "3" + none + "the end\n"
		}
		if got := s.text(); got != want {
			t.Errorf("live %v: the screen has\n%swant\n%s", live, got, want)
		}
	}
}

// failing takes some writes, and then fails with a new error each time.
type failing struct{ takes, failed int }

func (w *failing) Write(p []byte) (int, error) {
	if w.takes--; w.takes >= 0 {
		return len(p), nil
	}
	w.failed++
	return 0, errors.New(strings.Repeat("again ", w.failed-1) + "closed")
}

func TestOutputKeepsFirstError(t *testing.T) {
	for _, live := range []bool{true, false} {
		for takes := range 5 {
			w := &failing{takes: takes}
			o := &Output{out: w, live: live}
			o.Print("a title\n")
			line := o.Line(at(0))
			line.Update(at(1000), Progress{Gone: 1})
			o.Print("a warning\n")
			err := line.End(Progress{Gone: 2})
			_, last := o.Write([]byte("the end\n"))
			for _, got := range []error{last, o.Err()} {
				if got == nil && w.failed > 0 || got != nil && got.Error() != "closed" || err != nil && err != got {
					t.Errorf("live %v, %d writes: error %v, End %v, want the first error, unchanged", live, takes, got, err)
				}
			}
			if w.failed > 1 {
				t.Errorf("live %v, %d writes: %d more writes after the first error", live, takes, w.failed-1)
			}
		}
	}
}
