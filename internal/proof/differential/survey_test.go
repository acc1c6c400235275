package main

import (
	"strings"
	"testing"
)

// TestSurvey runs histories as the command does.
func TestSurvey(t *testing.T) {
	const n = 1000
	s := take(t, 1, n)
	t.Log(s)
	if s.failed() {
		t.Errorf("differences that nothing explains:\n%s", s)
	}
	if s.histories != n || s.equal+s.explained != n || s.equal < n*9/10 {
		t.Errorf("%d histories, %d equal, %d explained, want most of %d equal", s.histories, s.equal, s.explained, n)
	}
}

// TestSurveyReports: an unexplained difference fails the command, and is shown.
func TestSurveyReports(t *testing.T) {
	h, err := parseHistory("pod/s/a | bg pod/s/a")
	if err != nil {
		t.Fatal(err)
	}
	fine := result{ours: overlap{history: h, permitted: true}, theirs: overlap{history: h, permitted: true}}
	bad := fine
	bad.bad = &witness{h, outcome{}, "a difference of no class"}
	late := fine
	late.ours.permitted = false
	for _, tc := range []struct {
		results []result
		want    string
		reason  string
	}{
		{[]result{fine, bad}, "a difference of no class", "a difference"},
		{[]result{late, fine}, "all at once: not permitted", "an end that is not permitted"},
	} {
		s := &survey{classes: map[string]int{}}
		for _, r := range tc.results {
			s.add(r)
		}
		if !s.failed() || !strings.Contains(s.String(), tc.want) || !strings.Contains(s.String(), h.String()) {
			t.Errorf("failed %t: %s: %s", s.failed(), s, tc.reason)
		}
	}
	s := &survey{classes: map[string]int{}}
	if s.add(fine); s.failed() {
		t.Errorf("one that is fine: %s", s)
	}
}
