package main

import (
	"strings"
	"testing"
	"testing/synctest"
)

// TestRows: each row does a part of its setup's work, none of it and all of it. The row
// checks its end state.
func TestRows(t *testing.T) {
	for name := range rows() {
		for _, work := range []string{"0", "1", "2"} {
			synctest.Test(t, func(t *testing.T) {
				if err := run([]string{name, "2", work}); err != nil {
					t.Error(err)
				}
			})
		}
	}
}

func TestArguments(t *testing.T) {
	for _, c := range []struct {
		args   []string
		fails  string
		reason string
	}{
		{nil, "0 arguments", "it is for the benchmark itself"},
		{[]string{"queue", "1", "1"}, "the rows are collector background", "no such row"},
		{[]string{"plan", "x", "1"}, "row plan", "no size"},
		{[]string{"plan", "1", "x"}, "row plan", "no amount of work"},
		{[]string{"plan", "0", "1"}, "size 0", "no object"},
		{[]string{"plan", "1", "-1"}, "work -1", "less than no work"},
		{[]string{"engine cascade", "1", "2"}, "work 2", "more roots than there are"},
	} {
		if err := run(c.args); err == nil || !strings.Contains(err.Error(), c.fails) {
			t.Errorf("%s: error %v, want %q", c.reason, err, c.fails)
		}
	}
}
