package run_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/ownergraph/ownergraph/internal/run"
)

func lost(n int) string { return fmt.Sprintf("%d lost", n) }

// TestOutboxDoesNotWait: while one goroutine writes, another one adds a line and goes on.
// The first one writes that line, too, in the order of Add.
func TestOutboxDoesNotWait(t *testing.T) {
	o := run.NewOutbox(10, lost)
	var wrote []string
	begun, end, done := make(chan struct{}), make(chan struct{}), make(chan struct{})
	o.Add([]string{"a", "b"})
	go func() {
		defer close(done)
		o.Flush(func(l string) {
			if l == "a" {
				close(begun)
				<-end
			}
			wrote = append(wrote, l)
		})
	}()
	<-begun
	if !o.Writing() {
		t.Error("a goroutine writes, and Writing says no")
	}
	o.Add([]string{"c"})
	o.Flush(func(l string) { t.Errorf("a second goroutine writes %q", l) })
	close(end)
	<-done
	if want := []string{"a", "b", "c"}; !slices.Equal(wrote, want) {
		t.Errorf("wrote %q, want %q", wrote, want)
	}
	if o.Writing() {
		t.Error("all lines are written, and Writing says that they are not")
	}
}

// TestOutboxIsBounded: the outbox drops the lines that do not fit, and one line has their
// number.
func TestOutboxIsBounded(t *testing.T) {
	for _, c := range []struct {
		add    []string
		want   []string
		reason string
	}{
		{nil, nil, "there is nothing to write"},
		{[]string{"a", "b"}, []string{"a", "b"}, "as many as fit"},
		{[]string{"a", "b", "c", "d"}, []string{"a", "b", "2 lost"}, "two do not fit"},
	} {
		t.Run(c.reason, func(t *testing.T) {
			o := run.NewOutbox(2, lost)
			o.Add(c.add)
			for range 2 { // the second time there is nothing left
				var wrote []string
				o.Flush(func(l string) { wrote = append(wrote, l) })
				if !slices.Equal(wrote, c.want) {
					t.Errorf("wrote %q, want %q", wrote, c.want)
				}
				c.want = nil
			}
		})
	}
}

// TestOutboxAfterPanic: a writer that panics ends its own Flush, and a later one writes.
func TestOutboxAfterPanic(t *testing.T) {
	o := run.NewOutbox(10, lost)
	o.Add([]string{"a"})
	func() {
		defer func() { _ = recover() }()
		o.Flush(func(string) { panic("made by the test") })
	}()
	o.Add([]string{"b"})
	var wrote []string
	if o.Flush(func(l string) { wrote = append(wrote, l) }); !slices.Equal(wrote, []string{"b"}) {
		t.Errorf("wrote %q, want b", wrote)
	}
}
