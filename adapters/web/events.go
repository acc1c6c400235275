package web

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/ownergraph/ownergraph/engine"
	"github.com/ownergraph/ownergraph/graph"
)

const (
	beat       = 15 * time.Second // between two signs of life
	look       = time.Second      // between two looks for changes
	rest       = 10 * time.Second // between two events without a change, since pages have ages
	writeLimit = 10 * time.Second // for one write to a slow client
	longest    = 30 * time.Minute // of one stream: the browser then opens another one
)

// events streams server-sent events. With a key they are the progress of one deletion: "progress" with the
// JSON of its page, and at the end "done" or "failed". Without a key they say that a page may have other
// content: "changed", at most once in a second, and at rest once in ten seconds.
//
//test:by TestEvents TestEventsFail TestEventsNoFlush TestEventsAreBounded TestEventsEnd
//test:by TestEventsBeat TestEventsChanged
func (h *Handler) events(w http.ResponseWriter, r *http.Request) {
	select {
	case h.streams <- struct{}{}:
		defer func() { <-h.streams }()
	default:
		h.fail(w, r, &statusError{http.StatusServiceUnavailable,
			fmt.Sprintf("%d event streams are open, which is the limit (Config.MaxStreams)", h.config.MaxStreams)})
		return
	}
	ctx, cancel := context.WithTimeout(r.Context(), longest)
	defer cancel()
	q := r.URL.Query()
	any := !q.Has("key") && !q.Has("uid")
	var key graph.Key
	if !any {
		var err error
		if key, err = h.rootOf(ctx, r); err != nil {
			h.fail(w, r, err)
			return
		}
	}
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("X-Accel-Buffering", "no") // a proxy would delay the events
	if r.Method == http.MethodHead {
		return
	}
	s := stream{w: w, to: http.NewResponseController(w)}
	if err := s.to.Flush(); errors.Is(err, http.ErrNotSupported) { // the browser would try again forever
		h.fail(w, r, &statusError{http.StatusNotImplemented, "the host program's handler around this one lets no stream through: its ResponseWriter has no Flush"})
		return
	}
	_ = s.to.SetReadDeadline(time.Time{}) // the limits of the server are for short answers
	if any {
		s.runChanges(ctx, h.source)
		return
	}
	s.run(ctx, h.source, key)
}

// runChanges writes an event whenever the figures of the collector have changed, until the context ends.
func (s *stream) runChanges(ctx context.Context, source Source) {
	tick := time.NewTicker(look)
	defer tick.Stop()
	last, written := source.Stats(), time.Time{}
	for {
		now := source.Stats()
		if written.IsZero() || now != last || time.Since(written) >= rest {
			last, written = now, time.Now()
			if s.event("changed", map[string]time.Time{"at": written.UTC()}) != nil {
				return
			}
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}

// stream writes server-sent events.
type stream struct {
	w     http.ResponseWriter
	to    *http.ResponseController
	going bool // a report was written
}

type report struct {
	p   engine.Progress
	err error
}

// run writes the reports of Follow until the deletion or the context ends.
func (s *stream) run(ctx context.Context, source Source, key graph.Key) {
	ctx, cancel := context.WithCancel(ctx)
	reports := make(chan report)
	defer func() { // the goroutine ends before the handler does
		cancel()
		for range reports {
		}
	}()
	go func() {
		defer close(reports)
		for p, err := range source.Follow(ctx, key) {
			select {
			case reports <- report{p, err}:
			case <-ctx.Done():
				return
			}
		}
	}()
	tick := time.NewTicker(beat)
	defer tick.Stop()
	if s.write(": ownergraph\n\n") != nil {
		return
	}
	for {
		select {
		case x, ok := <-reports:
			if !ok || s.report(ctx, x) != nil {
				return
			}
		case <-tick.C:
			if s.write(": \n\n") != nil {
				return
			}
		}
	}
}

// report writes one report. A report after the end of the context has no reader.
func (s *stream) report(ctx context.Context, x report) error {
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case x.err != nil:
		return s.event("failed", map[string]string{"error": clean(x.err.Error())})
	case x.p.Done:
		return s.event("done", progressOf(x.p, !s.going))
	}
	s.going = true
	return s.event("progress", progressOf(x.p, false))
}

func (s *stream) event(name string, data any) error {
	text, err := json.Marshal(data)
	if err != nil {
		return err
	}
	return s.write(fmt.Sprintf("event: %s\ndata: %s\n\n", name, text))
}

func (s *stream) write(text string) error {
	_ = s.to.SetWriteDeadline(time.Now().Add(writeLimit))
	if _, err := s.w.Write([]byte(text)); err != nil {
		return err
	}
	return s.to.Flush()
}
