package lint

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"unicode/utf8"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/jsonread"
)

// schema names the JSON form of a report.
const schema = "lint/v1"

type jsonReport struct {
	Schema   string        `json:"schema"`
	Findings []jsonFinding `json:"findings"`
	Counts   []jsonCount   `json:"counts"`
}

type jsonFinding struct {
	Code     string   `json:"code"`
	Severity string   `json:"severity"`
	Object   jsonKey  `json:"object"`
	Field    string   `json:"field"`
	Message  string   `json:"message"`
	Fate     string   `json:"fate,omitempty"`
	Of       *jsonKey `json:"of,omitempty"`
	Engine   string   `json:"engineFate,omitempty"`
}

type jsonKey struct {
	Kind  graph.Kind `json:"kind"`
	Scope string     `json:"scope,omitempty"`
	Name  string     `json:"name"`
	UID   graph.UID  `json:"uid"`
}

type jsonCount struct {
	Code    string `json:"code"`
	Found   int    `json:"found"`
	Ignored int    `json:"ignored"`
	LeftOut int    `json:"leftOut"`
}

// MarshalJSON returns the report in the form lint/v1. The names and their order are
// stable, and the lists have the order of the report.
//
//	{
//	  "schema": "lint/v1",
//	  "findings": [{
//	    "code": "OG001",
//	    "severity": "error",             error, warning or note
//	    "object": {
//	      "kind": "apps/ReplicaSet",
//	      "scope": "shop",               left out for a global object
//	      "name": "web-1",
//	      "uid": "8d12"
//	    },
//	    "field": "owners[0].uid",
//	    "message": "...",                a sentence
//	    "fate": "blocks the deletion of", left out without a fate
//	    "of": {...}                      an object, left out without another one
//	    "engineFate": "kept for ever"    of the engine, left out where it is no other one
//	  }],
//	  "counts": [{"code": "OG001", "found": 3, "ignored": 1, "leftOut": 0}]
//	}
//
// JSON has no form for text that is not UTF-8. For such text the error wraps
// graph.ErrInvalid and names the finding.
//
//test:by TestReportJSON
func (r Report) MarshalJSON() ([]byte, error) {
	out := jsonReport{Schema: schema, Findings: []jsonFinding{}, Counts: []jsonCount{}}
	for i, f := range r.Findings {
		for _, text := range []string{f.Object.Scope, f.Object.Name, string(f.Object.Kind), string(f.Object.UID), f.Of.Scope, f.Of.Name, string(f.Of.Kind), string(f.Of.UID), f.Field, f.Message} {
			if !utf8.ValidString(text) {
				return nil, fmt.Errorf("write report: findings[%d]: not UTF-8: %w", i, graph.ErrInvalid)
			}
		}
		to := jsonFinding{f.Code.String(), f.Severity.String(), jsonKey(f.Object), f.Field, f.Message, set(f.Fate), nil, set(f.Engine)}
		if of := jsonKey(f.Of); f.Of != (graph.Key{}) {
			to.Of = &of
		}
		out.Findings = append(out.Findings, to)
	}
	for _, c := range r.Counts {
		out.Counts = append(out.Counts, jsonCount{c.Code.String(), c.Found, c.Ignored, c.LeftOut})
	}
	return json.Marshal(out)
}

// set returns the words of a fate, or "".
func set(f Fate) string {
	if f == FateUnset {
		return ""
	}
	return f.String()
}

// UnmarshalJSON reads exactly the form that MarshalJSON writes, with any blanks. It refuses
// another schema, an unknown, missing or repeated field, another order of the fields or
// findings, half of a surrogate pair, and a word that no report has. After an error the
// report is unchanged. The error wraps graph.ErrInvalid. The work is in proportion to the
// text, which the caller bounds.
//
//test:by TestReportJSON TestReportJSONErrors
func (r *Report) UnmarshalJSON(text []byte) error {
	read, err := readReport(text)
	if err != nil {
		return fmt.Errorf("read report: %w: %w", err, graph.ErrInvalid)
	}
	*r = read
	return nil
}

func readReport(text []byte) (Report, error) {
	if err := jsonread.Sound(text); err != nil {
		return Report{}, err
	}
	var in jsonReport
	if err := json.Unmarshal(text, &in); err != nil {
		return Report{}, fmt.Errorf("text: %w", err)
	}
	if in.Schema != schema {
		return Report{}, fmt.Errorf("schema: %q, want %q", short(in.Schema), schema)
	}
	var r Report
	for i, f := range in.Findings {
		to, err := f.finding()
		if err != nil {
			return Report{}, fmt.Errorf("findings[%d].%w", i, err)
		}
		r.Findings = append(r.Findings, to)
	}
	for i, c := range in.Counts {
		code, err := ParseCode(c.Code)
		if err != nil {
			return Report{}, fmt.Errorf("counts[%d].code: %q is no code", i, short(c.Code))
		}
		r.Counts = append(r.Counts, Count{code, c.Found, c.Ignored, c.LeftOut})
	}
	if err := r.consistent(); err != nil {
		return Report{}, err
	}
	again, err := json.Marshal(r)
	if err != nil {
		return Report{}, err
	}
	return r, sameTokens(text, again)
}

func (f jsonFinding) finding() (to Finding, err error) {
	if to.Code, err = ParseCode(f.Code); err != nil {
		return to, fmt.Errorf("code: %q is no code", short(f.Code))
	}
	severity := slices.Index(severityNames[1:], f.Severity)
	if severity < 0 {
		return to, fmt.Errorf("severity: %q, want note, warning or error", short(f.Severity))
	}
	if to.Fate, err = parseFate("fate", f.Fate); err != nil {
		return to, err
	}
	if to.Engine, err = parseFate("engineFate", f.Engine); err != nil {
		return to, err
	}
	to.Severity = Severity(severity + 1)
	to.Object, to.Field, to.Message = graph.Key(f.Object), f.Field, f.Message
	if f.Of != nil {
		to.Of = graph.Key(*f.Of)
	}
	return to, nil
}

// parseFate reads the words of a fate. The empty text is no fate.
func parseFate(field, text string) (Fate, error) {
	fate := slices.Index(fateNames[1:], text)
	if fate < 0 && text != "" {
		return FateUnset, fmt.Errorf("%s: %q is no fate", field, short(text))
	}
	return Fate(fate + 1), nil
}

// consistent checks the orders, and the counts against the findings.
func (r Report) consistent() error {
	if !slices.IsSortedFunc(r.Findings, Finding.compare) {
		return errors.New("findings: not in order")
	}
	var have [maxCode + 1]int
	for _, f := range r.Findings {
		have[f.Code]++
	}
	last := CodeUnset
	for i, c := range r.Counts {
		switch {
		case c.Code <= last:
			return fmt.Errorf("counts[%d].code: not in order", i)
		case c.Ignored < 0 || c.LeftOut < 0 || c.Found-c.Ignored-c.LeftOut != have[c.Code]:
			return fmt.Errorf("counts[%d].found: %d findings of %s are there", i, have[c.Code], c.Code)
		}
		have[c.Code], last = 0, c.Code
	}
	for code, n := range have {
		if n > 0 {
			return fmt.Errorf("counts: %s is missing", Code(code))
		}
	}
	return nil
}

// sameTokens returns the first place at which a text differs from the form of its content.
func sameTokens(text, want []byte) error {
	a, b := json.NewDecoder(bytes.NewReader(text)), json.NewDecoder(bytes.NewReader(want))
	for {
		at := a.InputOffset()
		x, errX := a.Token()
		y, errY := b.Token()
		switch {
		case x != y || (errX == nil) != (errY == nil):
			return fmt.Errorf("byte %d: another form than %s", at+1, schema)
		case errX == io.EOF:
			return nil
		case errX != nil:
			return fmt.Errorf("byte %d: %w", at+1, errX)
		}
	}
}
