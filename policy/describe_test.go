package policy_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/policy"
)

// TestDescribe: each reason and each doubt has a text, also in lower case.
func TestDescribe(t *testing.T) {
	check := func(code, words, remedy string) {
		for _, typed := range []string{code, strings.ToLower(code)} {
			text, err := policy.Describe(typed)
			if err != nil || !strings.HasPrefix(text, code+": "+words+"\nMeaning: ") || !strings.HasSuffix(text, "\nRemedy: "+remedy+"\n") {
				t.Errorf("describe %s: %q, error %v", typed, text, err)
			}
		}
	}
	for r := policy.NoOwners; r <= policy.GraceNeedsForeground; r++ {
		check(r.Code(), r.String(), policy.About(r).Remedy)
	}
	for d := graph.Unobserved; d <= graph.Renamed; d++ {
		check(d.Code(), d.String(), policy.AboutDoubt(d).Remedy)
	}
}

// TestDescribeErrors: the error for another code names similar codes.
func TestDescribeErrors(t *testing.T) {
	for _, c := range []struct{ typed, want, reason string }{
		{"NeedFinalizer", `describe reason "NeedFinalizer": no such code, similar: NeedFinalizers, `, "a letter is missing"},
		{"NedOwner", `describe reason "NedOwner": no such code, similar: BannedOwner, NeedOwner, `, "a typing mistake"},
		{"brake", `describe reason "brake": no such code, similar: BrakeListing, BrakeWindow, Braked: `, "a part of several codes"},
		{"misplace", `describe reason "misplace": no such code, similar: Misplaced, `, "a doubt"},
		{"Unset", `describe reason "Unset": no such code, similar: `, "the zero value has no article"},
		{"", `describe reason "": no such code, similar: `, "nothing"},
		{"\x1b[2J" + strings.Repeat("x", 200), `describe reason "\x1b[2Jxxx`, "a long text that would control a terminal"},
	} {
		text, err := policy.Describe(c.typed)
		if text != "" || !errors.Is(err, graph.ErrInvalid) || !strings.HasPrefix(err.Error(), c.want) || len(err.Error()) > 300 {
			t.Errorf("describe %q: %q, error %v, want %s: %s", c.typed, text, err, c.want, c.reason)
		}
	}
}

// A person asks for the meaning of a code.
func ExampleDescribe() {
	text, _ := policy.Describe("NeedFinalizers")
	fmt.Print(text)
	_, err := policy.Describe("NeedFinalizer")
	fmt.Println(err)
	// Output:
	// NeedFinalizers: finalizers hold it
	// Meaning: The object is being deleted, and finalizers hold it. This engine does not handle them.
	// Cause: The controller of each finalizer has not finished its work, or does not run.
	// Remedy: Look at the controller of the finalizer. If that is gone for good, take the finalizer off.
	// describe reason "NeedFinalizer": no such code, similar: NeedFinalizers, NeedAnswer, NeedFence: invalid
}
