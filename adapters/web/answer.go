package web

import (
	"bytes"
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"strings"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
)

// page is an answer in two forms: a template with its data, and JSON.
type page struct {
	name string // of the template
	data any    // of the template
	json any
	code int // 200 if zero
}

func (p page) write(w http.ResponseWriter, r *http.Request, h *Handler) {
	var b bytes.Buffer
	var err error
	failed := http.StatusInternalServerError
	if wantsJSON(r.Header.Values("Accept")) {
		w.Header().Set("Content-Type", "application/json")
		e := json.NewEncoder(&b)
		e.SetIndent("", "  ")
		err, failed = e.Encode(p.json), http.StatusNotAcceptable // a plan may have text that is not UTF-8
	} else {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		err = h.pages[p.name].Execute(&b, p.data)
	}
	if err != nil {
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		w.WriteHeader(failed)
		_, _ = w.Write([]byte("write the answer: " + clean(err.Error()) + "\n"))
		return
	}
	if p.code != 0 {
		w.WriteHeader(p.code)
	}
	_, _ = w.Write(b.Bytes())
}

// picture is an answer that is an SVG.
type picture string

func (p picture) write(w http.ResponseWriter, _ *http.Request, _ *Handler) {
	w.Header().Set("Content-Type", "image/svg+xml")
	w.Header().Set("Content-Security-Policy", picturePolicy)
	_, _ = w.Write([]byte(p))
}

// statusError is an error with the status of its answer.
type statusError struct {
	code int
	text string
}

// Error returns the text for the user.
func (e *statusError) Error() string { return e.text }

// statusOf returns the status of an answer that fails with the error.
func statusOf(err error) int {
	var s *statusError
	switch {
	case errors.As(err, &s):
		return s.code
	case errors.Is(err, ownergraph.ErrNotFound):
		return http.StatusNotFound
	case errors.Is(err, ownergraph.ErrInvalid):
		return http.StatusBadRequest
	}
	return http.StatusServiceUnavailable // broken, closed, or too much work
}

// fail answers with an error.
func (h *Handler) fail(w http.ResponseWriter, r *http.Request, err error) {
	code := statusOf(err)
	if code == http.StatusServiceUnavailable {
		w.Header().Set("Retry-After", "5")
	}
	text := err.Error()
	if errors.Is(err, ownergraph.ErrNotFound) { // the object may exist unseen
		if why := unobserved(h.source.Kinds()); why != "" {
			text += ". " + why
		}
	}
	type failure struct {
		Error string `json:"error"`
	}
	title := strconv.Itoa(code) + " " + http.StatusText(code)
	page{"error", errorPage{head{Title: title}, text}, failure{clean(text)}, code}.write(w, r, h)
}

type errorPage struct {
	head
	Error string
}

// wantsJSON reports whether JSON is the form that a client prefers. The most exact range gives the
// weight of a form (RFC 9110, 12.5.1). HTML wins a draw.
//
//test:by TestWantsJSON
func wantsJSON(accept []string) bool {
	weights := map[string]float64{}
	for part := range strings.SplitSeq(strings.Join(accept, ","), ",") {
		media, more, _ := strings.Cut(part, ";")
		q := 1.0
		for p := range strings.SplitSeq(more, ";") {
			if v, ok := strings.CutPrefix(strings.ToLower(strings.TrimSpace(p)), "q="); ok {
				q, _ = strconv.ParseFloat(v, 64)
			}
		}
		media = strings.ToLower(strings.TrimSpace(media))
		weights[media] = max(weights[media], q)
	}
	weight := func(ranges ...string) float64 {
		for _, r := range ranges {
			if q, ok := weights[r]; ok {
				return q
			}
		}
		return 0
	}
	return weight("application/json", "application/*", "*/*") > weight("text/html", "text/*", "*/*")
}

// jsonKey is a key in an answer, with the link to its page. A text of the key that is longer than
// maxText loses its middle. Cut says so, and the link still leads to the object.
type jsonKey struct {
	Kind  graph.Kind `json:"kind"`
	Scope string     `json:"scope,omitempty"`
	Name  string     `json:"name"`
	UID   graph.UID  `json:"uid,omitempty"`
	Link  string     `json:"link,omitempty"`
	Cut   bool       `json:"cut,omitempty"`
}

// keyOf returns the form of a key in an answer.
//
//test:by TestHostileMany
func keyOf(k graph.Key) jsonKey {
	x := jsonKey{graph.Kind(shortened(string(k.Kind), maxText)), shortened(k.Scope, maxText), shortened(k.Name, maxText),
		graph.UID(shortened(string(k.UID), maxText)), objectLink(k), false}
	x.Cut = k != graph.Key{Kind: x.Kind, Scope: x.Scope, Name: x.Name, UID: x.UID}
	return x
}
