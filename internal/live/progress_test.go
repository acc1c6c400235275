package live

import (
	"bytes"
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ownergraph/ownergraph/engine"
	"github.com/ownergraph/ownergraph/internal/terminal"
)

func TestSince(t *testing.T) {
	stats := func(gone uint64, held int, reads, deletes, patches, fences uint64) (s engine.Stats) {
		s.Gone = gone
		s.ByStatus.Add(engine.StatusPending, held)
		for t, n := range map[engine.CallType]uint64{engine.CallRead: reads, engine.CallDelete: deletes, engine.CallPatch: patches, engine.CallFence: fences} {
			s.Calls.Add(t, int(n))
		}
		return s
	}
	base, now := stats(1, 1, 2, 3, 4, 5), stats(11, 3, 22, 33, 44, 55)
	if got, want := Since(base, now), (terminal.Progress{Gone: 10, Held: 3, Reads: 20, Writes: 70, Fences: 50}); got != want {
		t.Errorf("Since = %+v, want %+v", got, want)
	}
}

// TestWatch: Watch prints the progress while it waits. It ends the line
// at the end of the wait, also after an error. It counts held objects only after
// success. A writer that is no terminal gets a line each second.
func TestWatch(t *testing.T) {
	broken := errors.New("made by the test")
	for end, last := range map[error]string{nil: "x: 2500 of at most 9999 gone, 1 held; ", broken: "x: 2500 of at most 9999 gone; "} {
		synctest.Test(t, func(t *testing.T) {
			var out bytes.Buffer
			began := time.Now()
			wait := func(ctx context.Context) ([]engine.Held, error) {
				<-time.After(2500 * time.Millisecond)
				return []engine.Held{{}}, end
			}
			now := func() terminal.Progress {
				return terminal.Progress{Label: "x", Known: 9999, Total: terminal.AtMost, Gone: uint64(time.Since(began) / time.Millisecond), Held: 1}
			}
			held, err := Watch(t.Context(), terminal.New(&out), began, wait, now)
			if !errors.Is(err, end) || len(held) != 1 {
				t.Errorf("Watch = %v, %v, want the results of wait, and %v", held, err, end)
			}
			const none = "0 reads, 0 writes, 0 fences, "
			want := "x: 1000 of at most 9999 gone; " + none + "1s\nx: 2000 of at most 9999 gone; " + none + "2s\n" + last + none + "2.5s\n"
			if out.String() != want {
				t.Errorf("wrote %q\nwant  %q", &out, want)
			}
		})
	}
}

// brokenWriter fails with its text.
type brokenWriter string

func (w brokenWriter) Write([]byte) (int, error) { return 0, errors.New(string(w)) }

func TestWatchReportsWriteError(t *testing.T) {
	idle := func(context.Context) ([]engine.Held, error) { return nil, nil }
	now := func() terminal.Progress { return terminal.Progress{} }
	_, err := Watch(t.Context(), terminal.New(brokenWriter("pipe is closed")), time.Now(), idle, now)
	if err == nil || err.Error() != "pipe is closed" {
		t.Errorf("Watch = %v", err)
	}
}
