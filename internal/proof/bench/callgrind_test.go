package main

import (
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestTotal: a whole callgrind.out has one number of instructions.
func TestTotal(t *testing.T) {
	const head = "# callgrind format\nversion: 1\ncreator: callgrind-3.19.0\npid: 5\ncmd: ./x\npart: 1\n\npositions: line\nevents: Ir\n"
	for _, c := range []struct {
		text   string
		want   uint64
		fails  string
		reason string
	}{
		{head + "summary: 175461758\n\nfn=(1) main\n3 12\n\ntotals: 175461758\n", 175461758, "", "both lines"},
		{head + "fn=(1) main\n3 12\n\ntotals: 12\n", 12, "", "valgrind 3.20 and later have the totals alone"},
		{head + "summary: 12\n", 12, "", "the summary alone"},
		{head + "fn=(1) main\n3 12\n", 0, "cut short", "valgrind was ended"},
		{"", 0, "events", "an empty file"},
		{strings.Replace(head, "events: Ir", "events: Ir Dr", 1) + "summary: 12 13\n", 0, "events", "a setting of the user adds events"},
		{head + "summary: 12\nsummary: 13\n", 0, "one number", "two parts"},
		{head + "summary: 12\ntotals: 13\n", 0, "but totals", "the lines differ"},
		{head + "totals: many\n", 0, "total:", "no number"},
	} {
		got, err := total(c.text)
		if got != c.want || (err != nil) != (c.fails != "") || err != nil && !strings.Contains(err.Error(), c.fails) {
			t.Errorf("%s: %d, error %v, want %d, error %q", c.reason, got, err, c.want, c.fails)
		}
	}
}

// TestSum: the runtime's monitor is left out, and a process without a count is an error.
func TestSum(t *testing.T) {
	file := filepath.Join(t.TempDir(), "callgrind.out")
	if _, err := sum(file); err == nil || !strings.Contains(err.Error(), "no file of a thread") {
		t.Errorf("without a file: error %v", err)
	}
	for thread, n := range map[string]int{"01": 1000, "02": 200, "03": 30} {
		write(t, file+"-"+thread, fmt.Sprintf("events: Ir\ntotals: %d\n", n))
	}
	if n, err := sum(file); n != 1030 || err != nil {
		t.Errorf("%d, error %v, want 1030", n, err)
	}
	write(t, file+"-04", "events: Ir\n")
	if _, err := sum(file); err == nil || !strings.Contains(err.Error(), "cut short") {
		t.Errorf("with half of a file: error %v", err)
	}
}

// TestNoValgrind: the error names the package to install.
func TestNoValgrind(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	_, err := newCallgrind(t.TempDir())
	if !errors.Is(err, exec.ErrNotFound) || !strings.Contains(err.Error(), "Debian's package valgrind") {
		t.Errorf("error %v", err)
	}
}
