package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
)

// wire sees every request of a collector. Each write has to carry a UID and a version
// (S5), with any result.
type wire struct {
	meet   func(*http.Request) error
	late   func(*http.Request) <-chan struct{}
	answer func(*http.Request) *http.Response

	mu       sync.Mutex
	writes   int
	unproven []string
}

// through returns a transport that sends requests by next and sees them.
func (w *wire) through(next http.RoundTripper) http.RoundTripper { return seen{w, next} }

type seen struct {
	*wire
	next http.RoundTripper
}

// RoundTrip sends a request on, unless the test refuses it.
func (s seen) RoundTrip(r *http.Request) (*http.Response, error) {
	if s.meet != nil {
		if err := s.meet(r); err != nil {
			return nil, err
		}
	}
	if r.Method != http.MethodGet {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return nil, err
		}
		r = r.Clone(r.Context())
		r.Body = io.NopCloser(bytes.NewReader(body))
		s.look(r, body)
	}
	if s.answer != nil {
		if response := s.answer(r); response != nil {
			return response, nil
		}
	}
	response, err := s.next.RoundTrip(r)
	if err == nil && s.late != nil {
		response.Body = lateBody{response.Body, r, s.late}
	}
	return response, err
}

// lateBody is an answer that arrives late.
type lateBody struct {
	io.ReadCloser
	request *http.Request
	late    func(*http.Request) <-chan struct{}
}

// Read waits until the arrived part may be seen.
func (b lateBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if until := b.late(b.request); until != nil {
		select {
		case <-until:
		case <-b.request.Context().Done():
		}
	}
	return n, err
}

func (w *wire) look(r *http.Request, body []byte) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.writes++
	if !bound(r.Method, body) && !boundRecord(r, body) {
		w.unproven = append(w.unproven, fmt.Sprintf("%s %s: no UID or no version in %s", r.Method, r.URL.Path, body))
	}
}

// boundRecord reports whether a write is one of a record: a create under its name, or a patch under
// its version. A record has no UID that matters, because its versions never repeat on a server.
func boundRecord(r *http.Request, body []byte) bool {
	const records = "/api/v1/namespaces/kube-system/configmaps"
	var patch struct {
		Metadata struct{ Name, ResourceVersion string }
	}
	if !strings.HasPrefix(r.URL.Path, records) || json.Unmarshal(body, &patch) != nil {
		return false
	}
	if r.Method == http.MethodPost {
		return patch.Metadata.Name != ""
	}
	return r.Method == http.MethodPatch && patch.Metadata.ResourceVersion != ""
}

func (w *wire) faults() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.unproven)
}

// bound reports whether a write is conditioned on a UID and a version.
func bound(method string, body []byte) bool {
	switch method {
	case http.MethodDelete:
		var opts struct {
			Preconditions struct{ UID, ResourceVersion string }
		}
		err := json.Unmarshal(body, &opts)
		return err == nil && opts.Preconditions.UID != "" && opts.Preconditions.ResourceVersion != ""
	case http.MethodPatch:
		var ops []struct {
			Op, Path string
			Value    any
		}
		found := map[string]bool{}
		err := json.Unmarshal(body, &ops)
		for _, o := range ops {
			text, _ := o.Value.(string)
			found[o.Path] = found[o.Path] || o.Op == "replace" && text != ""
		}
		return err == nil && found["/metadata/uid"] && found["/metadata/resourceVersion"]
	case http.MethodPut: // of a namespace, to its finalize endpoint
		var whole struct {
			Metadata struct{ UID, ResourceVersion string }
		}
		err := json.Unmarshal(body, &whole)
		return err == nil && whole.Metadata.UID != "" && whole.Metadata.ResourceVersion != ""
	}
	return false // the engine sends no other writes
}
