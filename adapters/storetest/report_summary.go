package storetest

import (
	"fmt"
	"slices"
	"strings"
)

// maxText bounds a line of the summary, in bytes. The red line has the whole text.
const maxText = 240

// summary is String for a reader who has seen the red lines, and looks at the last screen. It
// has the laws without a result, then the counts, and at its end the law to mend first.
//
//test:by TestRed TestLastScreen
func (r Report) summary() string {
	b := &strings.Builder{}
	r.end(b)
	broken := r.Of(Broken)
	if len(broken) > 0 {
		fmt.Fprintf(b, "\nmodel and engine: not run, since %s is broken", broken[0].Law)
	}
	r.resting(b)
	b.WriteByte('\n')
	r.head(b)
	if len(broken) > 1 {
		fmt.Fprintf(b, "\nalso broken: %s", lawsOf(broken[1:]))
	}
	if len(broken) > 0 {
		first := broken[0]
		fmt.Fprintf(b, "\nmend first: %s", first.Law)
		for _, line := range strings.Split(first.Detail, "\n") {
			fmt.Fprintf(b, "\n  %s", shortened(line))
		}
		fmt.Fprintf(b, "\n  because:  %s%s", shortened(first.Why), strings.ReplaceAll(legend(first.Detail), "\n", "\n  "))
	}
	return strings.TrimPrefix(b.String(), "\n")
}

// shortened returns a text that is not too long, cut in its middle.
func shortened(s string) string {
	if len(s) <= maxText {
		return s
	}
	half := maxText / 2
	return strings.ToValidUTF8(s[:half], "") + " ... " + strings.ToValidUTF8(s[len(s)-half:], "")
}

// resting writes the number of laws that rest on each broken one.
func (r Report) resting(b *strings.Builder) {
	var roots []string
	count := map[string]int{}
	for _, x := range r.Of(Unproven) {
		if root, rests := strings.CutPrefix(x.Detail, follows); rests {
			if count[root] == 0 {
				roots = append(roots, root)
			}
			count[root]++
		}
	}
	for _, root := range roots {
		fmt.Fprintf(b, "\nnot tried: %d that rest on %s: mend that first", count[root], root)
	}
}

func (r Report) head(b *strings.Builder) {
	fmt.Fprintf(b, "level %s, %d laws", r.Level, len(r.Results))
	for o := Kept; o <= NotOwed; o++ {
		fmt.Fprintf(b, ", %d %s", len(r.Of(o)), o)
	}
}

// end writes the laws that are not owed, in one line, and the excuses of the unproven laws.
func (r Report) end(b *strings.Builder) {
	if list := r.Of(NotOwed); len(list) > 0 {
		powers, list := powersJoined(excusesJoined(list))
		fmt.Fprintf(b, "\n%s: %s", NotOwed, strings.Join(append(byDetail(list), powers...), "; "))
	}
	if list := r.excuses(); len(list) > 0 {
		fmt.Fprintf(b, "\na store that cannot show these says: Without: []storetest.Promise{%s}", strings.Join(list, ", "))
	}
}

const excused = "Config.Without names "

// excusesJoined gives all laws that Config.Without excuses one detail, with the promises.
func excusesJoined(list []Result) []Result {
	var names []string
	for _, x := range list {
		if name, ok := strings.CutPrefix(x.Detail, excused); ok && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	list = slices.Clone(list)
	for i := range list {
		if strings.HasPrefix(list[i].Detail, excused) {
			list[i].Detail = excused + strings.Join(names, ", ")
		}
	}
	return list
}

// powersJoined returns one line for all powers that the store lacks, with the number of the laws of each. It returns the other
// laws, too.
func powersJoined(list []Result) (line []string, others []Result) {
	var names []string
	count := map[string]int{}
	for _, x := range list {
		name, ok := strings.CutPrefix(x.Detail, lacks)
		if !ok {
			others = append(others, x)
			continue
		}
		if count[name]++; count[name] == 1 {
			names = append(names, name)
		}
	}
	for i, name := range names {
		names[i] = fmt.Sprintf("%s (%d)", name, count[name])
	}
	if len(names) > 0 {
		line = []string{lacks + strings.Join(names, ", ")}
	}
	return line, others
}

// byDetail returns a line for each reason, in order, with its laws.
func byDetail(list []Result) []string {
	var reasons []string
	with := map[string][]Result{}
	for _, x := range list {
		if with[x.Detail] == nil {
			reasons = append(reasons, x.Detail)
		}
		with[x.Detail] = append(with[x.Detail], x)
	}
	lines := make([]string, len(reasons))
	for i, reason := range reasons {
		lines[i] = reason + ": " + lawsOf(with[reason])
	}
	return lines
}

// maxNames and maxSubjects are the numbers of laws, and of subjects, that a line names.
const (
	maxNames    = 3
	maxSubjects = 2
)

// lawsOf names the laws. It counts those of each subject if there are many, and all of them if
// there are many subjects.
func lawsOf(list []Result) string {
	var names, subjects []string
	count := map[string]int{}
	for _, x := range list {
		subject, _, _ := strings.Cut(x.Law, "/")
		if count[subject]++; count[subject] == 1 {
			subjects = append(subjects, subject)
		}
		names = append(names, x.Law)
	}
	switch {
	case len(names) <= maxNames:
		return strings.Join(names, ", ")
	case len(subjects) > maxSubjects:
		return fmt.Sprintf("%d laws", len(names))
	}
	for i, subject := range subjects {
		subjects[i] = fmt.Sprintf("%s/* (%d)", subject, count[subject])
	}
	return strings.Join(subjects, ", ")
}
