package policy_test

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/policy"
)

var update = flag.Bool("update", false, "rewrite REASONS.md")

// TestCodes: each reason has a code of its own and reads it back. No other text is one.
func TestCodes(t *testing.T) {
	seen := map[string]bool{}
	for r := policy.ReasonUnset; r <= policy.GraceNeedsForeground; r++ {
		text, err := json.Marshal(r)
		if err != nil || string(text) != `"`+r.Code()+`"` || seen[r.Code()] || r.Code() == "" {
			t.Errorf("reason %v: code %q, JSON %s, error %v", r, r.Code(), text, err)
		}
		seen[r.Code()] = true
		var back policy.Reason
		if err := json.Unmarshal(text, &back); err != nil || back != r {
			t.Errorf("%s reads as %v, error %v", text, back, err)
		}
	}
	last := policy.GraceNeedsForeground + 1
	if got := last.Code(); got != fmt.Sprintf("Reason(%d)", last) {
		t.Errorf("a reason without a code prints %q", got)
	}
	if _, err := last.MarshalText(); !errors.Is(err, graph.ErrInvalid) {
		t.Errorf("a reason without a code: error %v", err)
	}
	for _, c := range []struct{ text, reason string }{
		{"", "no text"},
		{"ownerunknown", "the code has another case"},
		{"unknown", "the words are no code"},
		{last.Code(), "the text of a value without a code"},
	} {
		back := policy.NeedFence
		if err := back.UnmarshalText([]byte(c.text)); !errors.Is(err, graph.ErrInvalid) || back != policy.NeedFence {
			t.Errorf("%q reads as %v, error %v: %s", c.text, back, err, c.reason)
		}
	}
}

// TestActionText: each action reads its word back. No other text is one.
func TestActionText(t *testing.T) {
	for a := policy.ActionUnset; a <= policy.Attach; a++ {
		text, err := json.Marshal(a)
		var back policy.Action
		if err != nil || json.Unmarshal(text, &back) != nil || back != a {
			t.Errorf("%s: JSON %s, error %v, reads as %s", a, text, err, back)
		}
	}
	if _, err := (policy.Attach + 1).MarshalText(); !errors.Is(err, graph.ErrInvalid) {
		t.Errorf("an action without a word: error %v", err)
	}
	back := policy.Trim
	if err := back.UnmarshalText([]byte("Delete")); !errors.Is(err, graph.ErrInvalid) || back != policy.Trim {
		t.Errorf("a word in other letters reads as %s, error %v", back, err)
	}
}

// TestArticles: each reason and each doubt has an article of whole sentences.
func TestArticles(t *testing.T) {
	whole := func(name string, a policy.Article) {
		for _, text := range []string{a.Meaning, a.Cause, a.Remedy} {
			if !strings.HasSuffix(text, ".") || strings.ToUpper(text[:1]) != text[:1] {
				t.Errorf("%s: %q is no sentence", name, text)
			}
		}
	}
	for r := policy.NoOwners; r <= policy.GraceNeedsForeground; r++ {
		whole(r.Code(), policy.About(r))
		if policy.About(r).Remedy == "None is needed." && r.Held() {
			t.Errorf("%s holds objects, and names no action", r.Code())
		}
	}
	for d := graph.Unobserved; d <= graph.Renamed; d++ {
		whole(d.Code(), policy.AboutDoubt(d))
	}
	var none policy.Article
	if policy.About(policy.ReasonUnset) != none || policy.About(255) != none || policy.AboutDoubt(0) != none || policy.AboutDoubt(255) != none {
		t.Error("a value without meaning has an article")
	}
}

// TestPage: REASONS.md is the page of this code.
func TestPage(t *testing.T) {
	const name = "../REASONS.md"
	if *update {
		if err := os.WriteFile(name, []byte(policy.Page()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile(name)
	if err != nil || string(text) != policy.Page() {
		t.Errorf("REASONS.md is not the page of this code (error %v); run: go test ./policy -run TestPage -update", err)
	}
}

// A program explains a reason that it found in a log.
func ExampleAbout() {
	why, err := policy.ParseReason("NeedFinalizers")
	if err != nil {
		panic(err)
	}
	a := policy.About(why)
	fmt.Println(why)
	fmt.Println(a.Meaning)
	fmt.Println(a.Remedy)
	// Output:
	// finalizers hold it
	// The object is being deleted, and finalizers hold it. This engine does not handle them.
	// Look at the controller of the finalizer. If that is gone for good, take the finalizer off.
}
