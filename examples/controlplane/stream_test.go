package main

import (
	"context"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/ownergraph/ownergraph/graph"
)

// TestStreams has several clients on one deletion. One of them goes, and the others get
// every event to the end.
func TestStreams(t *testing.T) {
	onEach(t, func(t *testing.T, at place) {
		p := start(t, at)
		blue := p.createTeam("blue", 2, 5)
		held := holdOne(t, random(t), at, blue)
		p.want(http.StatusAccepted, "DELETE", "/teams/blue?propagation=foreground", "")
		var clients, first sync.WaitGroup
		for range 5 {
			first.Add(1)
			clients.Go(func() {
				begun := false
				last := progressEvent{}
				p.follow("/teams/blue", func(e progressEvent) bool {
					if !begun {
						first.Done()
					}
					begun, last = true, e
					return true
				})
				if !last.Done || last.Left > 0 {
					t.Errorf("the last event of a client is %+v, want done", last)
				}
			})
		}
		p.follow("/teams/blue", func(progressEvent) bool { return false }) // this client goes
		first.Wait()
		held.patch(t, graph.Change{DropFinalizer: holding})
		clients.Wait()
		p.mustBeGone(at, blue)
	})
}

// TestStopEndsStreams checks that SIGTERM ends the program in order while a client follows a
// deletion that cannot end. The client gets an error event.
func TestStopEndsStreams(t *testing.T) {
	at := onSQLite(t)
	p := start(t, at)
	blue := p.createTeam("blue", 1, 1)
	holdOne(t, random(t), at, blue)
	p.want(http.StatusAccepted, "DELETE", "/teams/blue?propagation=foreground", "")
	var last progressEvent
	stopped := false
	p.follow("/teams/blue", func(e progressEvent) bool {
		if !stopped {
			stopped = true
			p.terminate()
		}
		last = e
		return true
	})
	if last.Failed == "" || last.Done {
		t.Errorf("the last event is %+v, want an error", last)
	}
	p.mustEnd()
}

// TestStreamsAreBounded opens more streams than the collector allows.
func TestStreamsAreBounded(t *testing.T) {
	at := onSQLite(t)
	p := start(t, at)
	p.create("/teams", "blue")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	const tries = 1100
	full := false
	for range tries {
		r, err := http.NewRequestWithContext(ctx, "GET", p.url+"/teams/blue/progress", nil)
		if err != nil {
			t.Fatal(err)
		}
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer answer.Body.Close()
		begin := make([]byte, len("event: progress"))
		if _, err := answer.Body.Read(begin); err != nil {
			t.Fatal(err)
		}
		if full = strings.HasPrefix(string(begin), "event: error"); full {
			break
		}
	}
	if !full {
		t.Errorf("%d streams at once, and none is refused", tries)
	}
	p.want(http.StatusOK, "GET", "/teams/blue", "") // other requests go on
}
