package lint_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/lint"
)

// sample returns a report with every form of finding.
func sample(t testing.TB) lint.Report {
	t.Helper()
	ignore, err := lint.ParseIgnore("* pod/s/z\n")
	if err != nil {
		t.Fatal(err)
	}
	r, err := lint.Check(input(t, `pod/s/a~[f] -> pod/s/b!; pod/s/b~[foreground]; node/n -> node/n; pod/s/"<é>"[orphan,foreground]; pod/s/z -> pod/s/y`), lint.Config{Ignore: ignore})
	if err != nil || len(r.Findings) != 5 {
		t.Fatalf("error %v, report:\n%s", err, r)
	}
	return r
}

func TestReportString(t *testing.T) {
	want := `OG012 error node/n: owners[0].uid: The object names itself as its owner. Fate: kept for ever.
OG023 error pod/s/<é>: finalizers: The object has the finalizers of both propagations, which contradict each other.
OG020 warning pod/s/a: owners[0].block: The dependent is being deleted and keeps the finalizer "f". Fate: blocks the deletion of pod/s/b.
OG021 note pod/s/a: deleting: The age of the deletion mark is not known. It keeps the finalizer "f". Fate: is being deleted.
OG021 note pod/s/b: deleting: The age of the deletion mark is not known. It waits for the blocking references of its dependents (1): pod/s/a. Fate: is being deleted.
OG001: 1 found, 1 ignored, 0 left out
`
	if diff := cmp.Diff(want, sample(t).String()); diff != "" {
		t.Errorf("text (-want +got):\n%s", diff)
	}
	if got := (lint.Report{}).String(); got != "" {
		t.Errorf("an empty report has the text %q", got)
	}
}

func TestReportJSON(t *testing.T) {
	for _, want := range []lint.Report{{}, sample(t)} {
		text, err := json.Marshal(want)
		if err != nil {
			t.Fatal(err)
		}
		var got lint.Report
		if err := json.Unmarshal(text, &got); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("read back (-want +got):\n%s", diff)
		}
		// Another program may spell the text in another way.
		blank, err := json.MarshalIndent(want, " ", "\t")
		if err != nil {
			t.Fatal(err)
		}
		for _, other := range []string{string(blank), strings.NewReplacer(`\u003c`, "<", "é", `\u00e9`).Replace(string(text))} {
			if err := json.Unmarshal([]byte(other), &got); err != nil || got.String() != want.String() {
				t.Errorf("%s: error %v", other, err)
			}
		}
	}
	broken := lint.Report{Findings: []lint.Finding{{Object: graph.Key{Kind: "k", Name: "a\xff"}}}}
	if _, err := json.Marshal(broken); !errors.Is(err, graph.ErrInvalid) || !strings.Contains(err.Error(), "write report: findings[0]: not UTF-8") {
		t.Errorf("a name that is no text: error %v", err)
	}
}

func TestReportJSONErrors(t *testing.T) {
	const finding = `{"code":"OG001","severity":"error","object":{"kind":"k","name":"n","uid":"u"},"field":"f","message":"m"}`
	const count = `{"code":"OG001","found":1,"ignored":0,"leftOut":0}`
	report := func(findings, counts string) string {
		return `{"schema":"lint/v1","findings":[` + findings + `],"counts":[` + counts + `]}`
	}
	sound := report(finding, count)
	for _, c := range []struct {
		text, want, reason string
	}{
		{sound, "", "the form"},
		{strings.Replace(sound, "v1", "v2", 1), `schema: "lint/v2", want "lint/v1"`, "another version"},
		{`{}`, `schema: "", want "lint/v1"`, "no schema"},
		{`null`, `schema: "", want "lint/v1"`, "no report"},
		{`[]`, "text: json: cannot unmarshal array", "no object"},
		{"\"\xff\"", "text: not UTF-8", "no text"},
		{`{"schema":"lint/v1"}`, "another form than lint/v1", "missing lists"},
		{strings.Replace(sound, `"field"`, `"Field"`, 1), "another form than lint/v1", "a field in other letters"},
		{strings.Replace(sound, `"name":"n"`, `"name":"n","name":"n"`, 1), `"name" is there twice`, "a field that is there twice"},
		{strings.Replace(sound, `"name":"n"`, `"name":"\udead"`, 1), "half of a surrogate pair", "two names would become one"},
		{strings.Replace(sound, `"name":"n"`, `"name":"n","more":1`, 1), "another form than lint/v1", "an unknown field"},
		{strings.Replace(sound, `"name":"n",`, ``, 1), "another form than lint/v1", "a missing field"},
		{strings.Replace(sound, `"found":1`, `"found":"1"`, 1), "text: json: cannot unmarshal string", "a number as text"},
		{strings.Replace(sound, "OG001", "OG099", 1), `findings[0].code: "OG099" is no code`, "an unknown code"},
		{strings.Replace(sound, `"error"`, `"bad"`, 1), `findings[0].severity: "bad", want note, warning or error`, "an unknown severity"},
		{strings.Replace(sound, `"message":"m"`, `"message":"m","fate":"x"`, 1), `findings[0].fate: "x" is no fate`, "an unknown fate"},
		{report(strings.Replace(finding, `"n"`, `"o"`, 1)+","+finding, strings.Replace(count, "1,", "2,", 1)), "findings: not in order", "another order"},
		{report(finding, ""), "counts: OG001 is missing", "no count"},
		{report(finding, strings.Replace(count, `"found":1`, `"found":2`, 1)), "counts[0].found: 1 findings of OG001 are there", "a wrong count"},
		{report(finding, count+","+count), "counts[1].code: not in order", "a count twice"},
		{report("", strings.Replace(count, "OG001", "unset", 1)), `counts[0].code: "unset" is no code`, "a count of no code"},
	} {
		r := sample(t)
		before := r.String()
		err := r.UnmarshalJSON([]byte(c.text))
		switch {
		case c.want == "" && err != nil:
			t.Errorf("%s: %v: %s", c.text, err, c.reason)
		case c.want != "" && (!errors.Is(err, graph.ErrInvalid) || !strings.HasPrefix(err.Error(), "read report: ") || !strings.Contains(err.Error(), c.want)):
			t.Errorf("%s: error %v, want %q: %s", c.text, err, c.want, c.reason)
		case c.want != "" && r.String() != before:
			t.Errorf("%s changed the report: %s", c.text, c.reason)
		}
	}
}

// FuzzReportJSON: each text that is read is the form of its report.
func FuzzReportJSON(f *testing.F) {
	text, err := json.Marshal(sample(f))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(text)
	f.Add([]byte(`{"schema":"lint/v1","findings":[],"counts":[]}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		var r, again lint.Report
		if json.Unmarshal(text, &r) != nil {
			return
		}
		out, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(out, &again); err != nil || again.String() != r.String() {
			t.Errorf("%s becomes %s, error %v", text, out, err)
		}
	})
}

func TestParseIgnore(t *testing.T) {
	for _, c := range []struct {
		text, want, reason string
	}{
		{"", "", "nothing"},
		{"# all\n\n  OG001  # of all\nOG001 pod/s/a\n* pod/s/a\r\nOG002 pod/s/\"a # b\"\n", "", "every form"},
		{"OG001\nOG1", `line 2: parse code "OG1": want OG001 to OG039`, "no code"},
		{"*", `line 1: "*" without an object ignores every finding`, "everything"},
		{"\n\n* pod", `line 3: parse place: byte 4: place: want "/" and the name`, "no place"},
		{"* pod/s/a@u", "line 1: parse place:", "a UID"},
		{"OG001 pod/s/a pod/s/b", "line 1: parse place:", "two places"},
		{"OG001\nOG001 # again", "line 2: the same entry is there before", "an entry twice"},
		{strings.Repeat("#", 1<<20+1), "1048577 bytes, more than 1048576", "too long"},
	} {
		_, err := lint.ParseIgnore(c.text)
		if c.want == "" && err != nil || c.want != "" && (!errors.Is(err, graph.ErrInvalid) || !strings.HasPrefix(err.Error(), "parse ignore list: "+c.want)) {
			t.Errorf("%.40q: error %v, want %q: %s", c.text, err, c.want, c.reason)
		}
	}
}

func TestIgnore(t *testing.T) {
	in := input(t, `pod/s/a -> pod/s/x; pod/s/"b # c" -> pod/s/x; pod/s/b -> pod/s/b`)
	for _, c := range []struct {
		list, want, reason string
	}{
		{"", "OG001 OG012 OG001", "no list"},
		{"OG001", "OG012", "a code for all objects"},
		{"OG001 pod/s/a", "OG012 OG001", "a code for one object"},
		{"* pod/s/b", "OG001 OG001", "an object"},
		{`* pod/s/"b # c" # a comment`, "OG001 OG012", "a name like a comment"},
		{"OG002\n* pod/t/a", "OG001 OG012 OG001", "entries of other findings"},
	} {
		list, err := lint.ParseIgnore(c.list)
		if err != nil {
			t.Fatal(err)
		}
		r, err := lint.Check(in, lint.Config{Ignore: list})
		if err != nil {
			t.Fatal(err)
		}
		var codes []string
		for _, f := range r.Findings {
			codes = append(codes, f.Code.String())
		}
		if got := strings.Join(codes, " "); got != c.want {
			t.Errorf("%q: %s, want %s: %s", c.list, got, c.want, c.reason)
		}
	}
}
