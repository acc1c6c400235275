package ownergraph

import (
	"bytes"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"
	"unsafe"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/policy"
)

// TestUndoneCostsNothing: that a write may be undone makes neither what a key awaits
// nor a call in flight larger.
func TestUndoneCostsNothing(t *testing.T) {
	if n := unsafe.Sizeof(await{}); n > 64 {
		t.Errorf("an await takes %d bytes, want 64 at most", n)
	}
	if n := unsafe.Sizeof(flight{}); n > 128 {
		t.Errorf("a flight takes %d bytes, want 128 at most: a map holds no more in itself", n)
	}
}

// TestUndoneLogIsBounded: a minute has so many lines, and the next line says how many
// are missing.
func TestUndoneLogIsBounded(t *testing.T) {
	var log bytes.Buffer
	e, err := NewEngine(Level2, Config{Logger: slog.New(slog.NewTextHandler(&log, nil))})
	if err != nil {
		t.Fatal(err)
	}
	e.now = time.Unix(1000, 0)
	for i := range 100 {
		e.logUndone(Key{Kind: "a", Name: fmt.Sprint(i)}, &policy.Decision{Action: policy.Trim})
	}
	if n := strings.Count(log.String(), "write undone"); n != mostUndoneLines {
		t.Errorf("%d lines in a minute, want %d", n, mostUndoneLines)
	}
	e.now = e.now.Add(time.Minute)
	e.logUndone(Key{Kind: "a"}, &policy.Decision{Action: policy.Trim})
	if want := fmt.Sprintf("others=%d", 100-mostUndoneLines); !strings.Contains(log.String(), want) {
		t.Errorf("no line says %s:\n%s", want, log.String())
	}
}

// TestDigestOf: what makes two writes the same.
func TestDigestOf(t *testing.T) {
	owner := func(name string, block bool) Owner {
		return Owner{Key: Key{Kind: "a", Name: name, UID: UID(name)}, Block: block}
	}
	x := &Object{Owners: []Owner{owner("x", false), owner("y", false)}}
	turned := &Object{Owners: []Owner{owner("y", true), owner("x", true)}}
	trim := policy.Decision{Action: policy.Trim, Owners: []int{0, 1}}
	for _, c := range []struct {
		reason string
		a, b   *Object
		p, q   policy.Decision
		same   bool
	}{
		{"references in another order, and with other flags", x, turned, trim, trim, true},
		{"a trim and an orphaning drop alike", x, x, trim, policy.Decision{Action: policy.Orphan, Owners: []int{0, 1}}, true},
		{"another set of references", x, x, trim, policy.Decision{Action: policy.Trim, Owners: []int{0}}, false},
		{"to unblock is not to drop", x, x, trim, policy.Decision{Action: policy.Unblock, Owners: []int{0, 1}}, false},
		{"a deletion is one whatever its propagation", x, x, policy.Decision{Action: policy.Delete, Propagation: graph.Foreground},
			policy.Decision{Action: policy.Delete, Propagation: graph.Background}, true},
		{"another finalizer", x, x, policy.Decision{Action: policy.Release, Finalizer: "f"}, policy.Decision{Action: policy.Release, Finalizer: "g"}, false},
		{"to add one is not to drop it", x, x, policy.Decision{Action: policy.Release, Finalizer: "f"}, policy.Decision{Action: policy.Attach, Finalizer: "f"}, false},
	} {
		a, b := digestOf(c.a, &c.p), digestOf(c.b, &c.q)
		if (a == b) != c.same || a == 0 || b == 0 {
			t.Errorf("digests %x and %x, want the same: %v: %s", a, b, c.same, c.reason)
		}
	}
}
