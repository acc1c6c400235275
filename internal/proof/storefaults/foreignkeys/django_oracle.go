package main

import (
	"bytes"
	"context"
	_ "embed" // the program for Django
	"encoding/json"
	"fmt"
	"os/exec"
	"slices"
	"strings"
)

// program reads worlds, and writes Django's ends.
//
//go:embed oracle.py
var program string

// djangoAnswer is Django's end of a world.
type djangoAnswer struct {
	// Refused is the name of the exception, or "".
	Refused string       `json:"refused"`
	Left    []djangoLeft `json:"left"`
}

// djangoLeft is a row that is left, with its references. A reference may dangle.
type djangoLeft struct {
	Row  row   `json:"row"`
	Refs []row `json:"refs"`
}

// MarshalJSON writes ["b", 1].
func (r row) MarshalJSON() ([]byte, error) { return json.Marshal([]any{r.model, r.number}) }

// UnmarshalJSON reads the form of MarshalJSON.
func (r *row) UnmarshalJSON(text []byte) error {
	return json.Unmarshal(text, &[]any{&r.model, &r.number})
}

// askDjango deletes the root of each world in Django. Versions names the program.
func askDjango(ctx context.Context, python string, worlds []world) (answers []djangoAnswer, versions string, err error) {
	type request struct {
		Keys map[string]map[string]string `json:"keys"`
		Rows []row                        `json:"rows"`
		Refs [][2]row                     `json:"refs"`
	}
	requests := make([]request, len(worlds))
	for i := range worlds {
		w := &worlds[i]
		requests[i].Rows, requests[i].Refs = w.rows, [][2]row{}
		if requests[i].Keys, err = w.models(); err != nil {
			return nil, "", err
		}
		for from := range w.rows {
			for to, d := range w.refs[from][:len(w.rows)] {
				if d != onDeleteUnset {
					requests[i].Refs = append(requests[i].Refs, [2]row{w.rows[from], w.rows[to]})
				}
			}
		}
	}
	in, err := json.Marshal(requests)
	if err != nil {
		return nil, "", err
	}
	var out struct {
		Versions string         `json:"versions"`
		Ends     []djangoAnswer `json:"ends"`
	}
	var stderr bytes.Buffer
	cmd := exec.CommandContext(ctx, python, "-c", program)
	cmd.Stdin, cmd.Stderr = bytes.NewReader(in), &stderr
	text, err := cmd.Output()
	if err == nil {
		err = json.Unmarshal(text, &out)
	}
	if err == nil && len(out.Ends) != len(worlds) {
		err = fmt.Errorf("%d ends for %d worlds", len(out.Ends), len(worlds))
	}
	if err != nil {
		return nil, "", fmt.Errorf("ask Django (apt-get install -y python3-django): %w: %s", err, stderr.String())
	}
	return out.Ends, out.Versions, nil
}

// String writes "left: b1 -> a1; c1", or "refused: ProtectedError".
func (a *djangoAnswer) String() string {
	if a.Refused != "" {
		return "refused: " + a.Refused
	}
	var list []string
	for _, l := range a.Left {
		text := l.Row.String()
		for i, r := range l.Refs {
			text += []string{" -> ", ", "}[min(i, 1)] + r.String()
		}
		list = append(list, text)
	}
	return strings.TrimSpace("left: " + strings.Join(list, "; "))
}

// endOfAnswer has the end by the index of the row. It leaves out the references that our stores do not have.
func (w *world) endOfAnswer(a *djangoAnswer) (e end, err error) {
	e.refused = a.Refused != ""
	for _, l := range a.Left {
		from := slices.Index(w.rows, l.Row)
		if from < 0 {
			return e, fmt.Errorf("read the end of %q: row %s: unknown", w, l.Row)
		}
		e.left[from] = true
		for _, r := range l.Refs {
			to := slices.Index(w.rows, r)
			if to < 0 || w.refs[from][to] == onDeleteUnset {
				return e, fmt.Errorf("read the end of %q: row %s: reference %s: unknown", w, l.Row, r)
			}
			e.refs[from][to] = w.refs[from][to] != djangoUnchecked
		}
	}
	if s := w.schema(); e.refused && len(a.Left) > 0 && e != s.whole() {
		err = fmt.Errorf("read the end of %q: refused, and the world has changed: %s", w, e)
	} else if e.refused {
		e = s.whole()
	}
	return e, err
}

// parseAnswer reads the form of String.
func parseAnswer(text string) (a djangoAnswer, err error) {
	if name, is := strings.CutPrefix(text, "refused: "); is && name != "" {
		return djangoAnswer{Refused: name}, nil
	}
	list, is := strings.CutPrefix(text, "left:")
	if !is {
		return a, fmt.Errorf("read end %q: want the word refused or left", text)
	}
	for part := range strings.SplitSeq(list, ";") {
		if strings.TrimSpace(list) == "" {
			break
		}
		name, refs, has := strings.Cut(strings.TrimSpace(part), " -> ")
		l := djangoLeft{}
		if l.Row, err = parseRow(name); err != nil {
			return a, fmt.Errorf("read end %q: %w", text, err)
		}
		for ref := range strings.SplitSeq(refs, ", ") {
			if !has {
				break
			}
			r, err := parseRow(ref)
			if err != nil {
				return a, fmt.Errorf("read end %q: %w", text, err)
			}
			l.Refs = append(l.Refs, r)
		}
		a.Left = append(a.Left, l)
	}
	return a, nil
}
