package storetest

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/ownergraph/ownergraph"
)

// Outcome is the result of one law, in one word.
type Outcome uint8

const (
	// OutcomeUnset is no outcome. The caller left the law out, and the kit did not
	// try it.
	OutcomeUnset Outcome = iota
	// Kept means that the store kept the law, as far as the kit tried it.
	Kept
	// Broken means that the store broke the law.
	Broken
	// Unproven means that the store owes the law, and that the kit could not try
	// it. A hook or a kind is missing, the set-up failed, or the law rests on a
	// broken one. It is no success.
	Unproven
	// NotOwed means that the store does not promise the law. Its level is too low,
	// Config.Without names the promise, or the store lacks the optional power.
	NotOwed
)

var outcomeNames = [...]string{"not tried", "kept", "broken", "not proven", "not owed"}

// String returns the outcome in words: "kept", "broken", "not proven".
func (o Outcome) String() string {
	if int(o) < len(outcomeNames) {
		return outcomeNames[o]
	}
	return fmt.Sprintf("outcome(%d)", uint8(o))
}

// follows begins the detail of a law that rests on a broken one.
const follows = "they rest on "

// Result is the result of one law. It is a value and safe for concurrent use.
type Result struct {
	// Law is its name, such as "watch/listing-complete".
	Law     string
	Outcome Outcome
	// Detail has the expected and the seen state, or the reason why the kit did not
	// try the law. It is empty for a kept law.
	Detail string
	// Excuse is the promise that would excuse an unproven law in Config.Without, or
	// unset.
	Excuse Promise
	// Why says how an engine would fail without the law.
	Why string
}

// String returns the result in words, in several lines for a broken law. The last line
// explains the notation of objects, as far as the text uses it.
func (r Result) String() string {
	switch {
	case r.Outcome == Broken:
		return fmt.Sprintf("law %s is broken\n%s\nwhy it matters: %s%s", r.Law, r.Detail, r.Why, legend(r.Detail))
	case r.Detail == "":
		return fmt.Sprintf("law %s: %s", r.Law, r.Outcome)
	}
	return fmt.Sprintf("law %s: %s: %s", r.Law, r.Outcome, r.Detail)
}

// Report has the result of every law, in the order of the tries. The caller owns
// it. Nothing else changes it, so several goroutines may read it.
type Report struct {
	// Level is the level against which the kit checked the store.
	Level ownergraph.Level
	// Results has one entry for each law of the kit.
	Results []Result
}

// MarshalJSON returns the report for other programs: {"level": "2", "results":
// [...]}. All values are words.
func (r Report) MarshalJSON() ([]byte, error) {
	type result struct {
		Law     string `json:"law"`
		Outcome string `json:"outcome"`
		Detail  string `json:"detail,omitempty"`
		Excuse  string `json:"excuse,omitempty"`
		Why     string `json:"why"`
	}
	list := make([]result, len(r.Results))
	for i, x := range r.Results {
		list[i] = result{Law: x.Law, Outcome: x.Outcome.String(), Detail: x.Detail, Why: x.Why}
		if x.Excuse != PromiseUnset {
			list[i].Excuse = x.Excuse.String()
		}
	}
	return json.Marshal(struct {
		Level   string   `json:"level"`
		Results []result `json:"results"`
	}{r.Level.String(), list})
}

// Of returns the results with one outcome, in order. The caller owns them.
func (r Report) Of(o Outcome) []Result {
	var out []Result
	for _, x := range r.Results {
		if x.Outcome == o {
			out = append(out, x)
		}
	}
	return out
}

// red returns the results that are no success and do not follow from another one,
// in order. In go test each of them has a red line of its own.
func (r Report) red() []Result {
	return slices.DeleteFunc(slices.Concat(r.Results), func(x Result) bool {
		return x.Outcome != Broken && (x.Outcome != Unproven || strings.HasPrefix(x.Detail, follows))
	})
}

// String returns several lines: the counts, the text of each broken law, and each
// reason why laws are not proven or not owed. The last line has the promises that
// Config.Without would have to name.
func (r Report) String() string {
	b := &strings.Builder{}
	r.head(b)
	for _, x := range r.Of(Broken) {
		fmt.Fprintf(b, "\n%s", x)
	}
	for _, line := range byDetail(r.Of(Unproven)) {
		fmt.Fprintf(b, "\n%s: %s", Unproven, line)
	}
	r.end(b)
	return b.String()
}

// excuses returns the promises that Config.Without would have to name in addition.
func (r Report) excuses() []string {
	var list []string
	for _, x := range r.Results {
		name := "storetest." + x.Excuse.String()
		if x.Excuse != PromiseUnset && !slices.Contains(list, name) {
			list = append(list, name)
		}
	}
	return list
}

var (
	// ErrBroken means that a store broke a law.
	ErrBroken = errors.New("law broken")
	// ErrUnproven means that a store owes a law that could not be tried.
	ErrUnproven = errors.New("law not proven")
)

// Err returns nil if the store kept every law that it owes. Otherwise the error
// wraps ErrBroken if a law is broken, and ErrUnproven if one is not proven. Its
// text has the broken laws, and the reasons why others are not proven.
func (r Report) Err() error {
	if len(r.Of(Broken)) == 0 && len(r.Of(Unproven)) == 0 {
		return nil
	}
	return &failure{r}
}

// failure is the error of a report.
type failure struct{ report Report }

// Error returns the broken laws, each with the expected and the seen state. A line
// for each reason follows why other laws are not proven.
func (f *failure) Error() string {
	var parts []string
	for _, r := range f.report.Of(Broken) {
		parts = append(parts, r.String())
	}
	if list := f.report.Of(Unproven); len(list) > 0 {
		parts = append(parts, "not proven: "+strings.Join(byDetail(list), "\nnot proven: "))
	}
	return strings.Join(parts, "\n")
}

// Unwrap returns ErrBroken, ErrUnproven, or both.
func (f *failure) Unwrap() []error {
	var errs []error
	if len(f.report.Of(Broken)) > 0 {
		errs = append(errs, ErrBroken)
	}
	if len(f.report.Of(Unproven)) > 0 {
		errs = append(errs, ErrUnproven)
	}
	return errs
}
