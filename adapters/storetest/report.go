package storetest

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/ownergraph/ownergraph"
)

// Outcome says what came of a law.
type Outcome uint8

const (
	// OutcomeUnset is no outcome: the law was not tried, since the caller left
	// it out.
	OutcomeUnset Outcome = iota
	// Kept says that the store kept the law as far as it was tried.
	Kept
	// Broken says that the store broke the law.
	Broken
	// Unproven says that the store owes the law and that it could not be tried:
	// a hook or a kind is missing, the set-up failed, or the law rests on
	// another one that is broken. It is no success.
	Unproven
	// NotOwed says that the store does not promise it: by its level, by
	// Config.Without, or since it has not the optional power.
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

// MarshalText returns String.
func (o Outcome) MarshalText() ([]byte, error) { return []byte(o.String()), nil }

// follows begins the detail of a law that rests on a broken one.
const follows = "they rest on "

// Result is what came of one law. It is a value and safe for concurrent use.
type Result struct {
	// Law is its name, such as "watch/listing-complete".
	Law     string  `json:"law"`
	Outcome Outcome `json:"outcome"`
	// Detail says what was expected and seen, or why it was not tried. It is
	// empty for a law that was kept.
	Detail string `json:"detail,omitempty"`
	// Excuse is the promise by which Config.Without would excuse a law that is
	// unproven, unset if none does.
	Excuse Promise `json:"excuse,omitempty"`
	// Why says what the engine would destroy or miss without the law.
	Why string `json:"why"`
}

// String returns the result in words, in several lines for a broken law.
func (r Result) String() string {
	switch {
	case r.Outcome == Broken:
		return fmt.Sprintf("law %s is broken\n%s\nwhy it matters: %s", r.Law, r.Detail, r.Why)
	case r.Detail == "":
		return fmt.Sprintf("law %s: %s", r.Law, r.Outcome)
	}
	return fmt.Sprintf("law %s: %s: %s", r.Law, r.Outcome, r.Detail)
}

// Report is what came of every law, in the order in which they are tried. The
// receiver owns it; nobody changes it behind its back, so it may be read from
// several goroutines.
type Report struct {
	// Level is the level that the store was held to.
	Level ownergraph.Level
	// Results has one entry for each law of the kit.
	Results []Result
}

// MarshalJSON returns the report for other programs to read: {"level": "2",
// "results": [...]}, everything in words.
func (r Report) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Level   string   `json:"level"`
		Results []Result `json:"results"`
	}{r.Level.String(), r.Results})
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

// red returns the results that are no success and do not follow from another
// one, in order. In go test each of them has a red line of its own.
func (r Report) red() []Result {
	return slices.DeleteFunc(slices.Concat(r.Results), func(x Result) bool {
		return x.Outcome != Broken && (x.Outcome != Unproven || strings.HasPrefix(x.Detail, follows))
	})
}

// String returns the counts in a line, then what is said of each broken law,
// then a line for each reason why laws are not proven, or not owed, and last
// what Config.Without would have to name for what could not be tried.
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

// summary is String for a reader who has seen what every red law has said: the
// counts, and how many laws rest on a broken one. Held by TestRed.
func (r Report) summary() string {
	b := &strings.Builder{}
	r.head(b)
	var resting []string
	count := map[string]int{}
	for _, x := range r.Of(Unproven) {
		if root, rests := strings.CutPrefix(x.Detail, follows); rests {
			if count[root] == 0 {
				resting = append(resting, root)
			}
			count[root]++
		}
	}
	for _, root := range resting {
		fmt.Fprintf(b, "\nnot tried: %d that rest on %s: mend that first", count[root], root)
	}
	r.end(b)
	return b.String()
}

func (r Report) head(b *strings.Builder) {
	fmt.Fprintf(b, "level %s, %d laws", r.Level, len(r.Results))
	for o := Kept; o <= NotOwed; o++ {
		fmt.Fprintf(b, ", %d %s", len(r.Of(o)), o)
	}
}

// end says what is not owed, and what would excuse what could not be tried.
func (r Report) end(b *strings.Builder) {
	for _, line := range byDetail(r.Of(NotOwed)) {
		fmt.Fprintf(b, "\n%s: %s", NotOwed, line)
	}
	if list := r.excuses(); len(list) > 0 {
		fmt.Fprintf(b, "\na store that cannot show these says: Without: []storetest.Promise{%s}", strings.Join(list, ", "))
	}
}

// excuses returns what Config.Without would have to name beside what it does.
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

// byDetail returns a line for each reason, in order, with the laws that it is
// given for.
func byDetail(list []Result) []string {
	var lines []string
	at := map[string]int{}
	for _, x := range list {
		i, known := at[x.Detail]
		if !known {
			at[x.Detail] = len(lines)
			lines = append(lines, x.Detail+": "+x.Law)
			continue
		}
		lines[i] += ", " + x.Law
	}
	return lines
}

var (
	// ErrBroken says that a store broke a law.
	ErrBroken = errors.New("law broken")
	// ErrUnproven says that a store owes a law that could not be tried.
	ErrUnproven = errors.New("law not proven")
)

// Err returns nil if the store kept every law that it owes, and a *Failure
// otherwise.
func (r Report) Err() error {
	if len(r.Of(Broken)) == 0 && len(r.Of(Unproven)) == 0 {
		return nil
	}
	return &Failure{r}
}

// Failure is the error of a store that has not kept, or not proven, what it
// promises. It wraps ErrBroken if a law is broken, and ErrUnproven if one is
// not proven. It may be read from several goroutines.
type Failure struct {
	Report Report
}

// Error lists the broken laws with what was expected and seen, and then, in
// sentences of their own, why others are not proven.
func (f *Failure) Error() string {
	var parts []string
	for _, r := range f.Report.Of(Broken) {
		parts = append(parts, r.String())
	}
	if list := f.Report.Of(Unproven); len(list) > 0 {
		parts = append(parts, "not proven: "+strings.Join(byDetail(list), "\nnot proven: "))
	}
	return strings.Join(parts, "\n")
}

// Unwrap returns ErrBroken, ErrUnproven, or both.
func (f *Failure) Unwrap() []error {
	var errs []error
	if len(f.Report.Of(Broken)) > 0 {
		errs = append(errs, ErrBroken)
	}
	if len(f.Report.Of(Unproven)) > 0 {
		errs = append(errs, ErrUnproven)
	}
	return errs
}
