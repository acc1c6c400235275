package main

import (
	"bufio"
	"context"
	"encoding/json"
	"net/http"
	"strings"
)

// progressEvent is one event of a stream. Failed is the text of an error.
type progressEvent struct {
	Gone, Left, Held int
	Done             bool
	Failed           string `json:"error"`
}

// follow calls each for every event of a stream until it returns false, or the stream ends. It
// returns the status of the answer.
func (p *program) follow(path string, each func(progressEvent) bool) int {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.t.Context(), patience)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, "GET", p.url+path+"/progress", nil)
	if err != nil {
		p.t.Fatal(err)
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		p.t.Logf("follow %s: %v", path, err) // the program may be killed meanwhile
		return 0
	}
	defer answer.Body.Close()
	for lines := bufio.NewScanner(answer.Body); lines.Scan(); {
		text, ok := strings.CutPrefix(lines.Text(), "data: ")
		if !ok {
			continue
		}
		var e progressEvent
		if err := json.Unmarshal([]byte(text), &e); err != nil {
			p.t.Errorf("event %q: %v", text, err)
		}
		if !each(e) {
			break
		}
	}
	if ctx.Err() != nil {
		p.t.Errorf("follow %s: the stream goes on\n%s", path, p.log.String())
	}
	return answer.StatusCode
}

// waitGone waits until the deletion of an object is done, as far as the program knows it. A
// program that began after the end of the object may not.
func (p *program) waitGone(path string) {
	p.t.Helper()
	var last progressEvent
	status := p.follow(path, func(e progressEvent) bool { last = e; return true })
	if status == http.StatusNotFound || strings.Contains(last.Failed, "not found") {
		return
	}
	if status != http.StatusOK || !last.Done {
		p.t.Fatalf("progress of %s: status %d, last event %+v, want done\n%s", path, status, last, p.log.String())
	}
}
