package run

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"time"
)

// Handler returns the handler of /healthz, /readyz and /metrics.
//
//test:by TestHealth TestMetrics
func (p *Program) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /healthz", p.healthz)
	mux.HandleFunc("GET /readyz", p.readyz)
	mux.Handle("GET /metrics", p.metrics)
	return mux
}

// healthz answers if the engine's lock is free from time to time.
func (p *Program) healthz(w http.ResponseWriter, _ *http.Request) {
	p.collector.Stats()
	answer(w, http.StatusOK, "ok\n")
}

// readyz reports whether every kind is listed, and names the others. A member of a group shows the
// group.
func (p *Program) readyz(w http.ResponseWriter, _ *http.Request) {
	if !p.collects.Load() {
		if p.lock != nil {
			answer(w, http.StatusOK, "ok: waiting for the Lease "+p.config.Lease.String()+"\n")
			return
		}
		answer(w, http.StatusServiceUnavailable, "not collecting\n")
		return
	}
	kinds := p.collector.Kinds()
	var faults strings.Builder
	for _, k := range kinds {
		switch {
		case k.Sick != "":
			fmt.Fprintf(&faults, "%s: %s\n", k.Kind, oneLine(k.Sick))
		case !k.Listed:
			fmt.Fprintf(&faults, "%s: not listed yet\n", k.Kind)
		}
	}
	ready, members := p.describeShare()
	switch {
	case len(kinds) == 0:
		answer(w, http.StatusServiceUnavailable, "no kind is discovered yet\n")
	case faults.Len() > 0 || !ready:
		answer(w, http.StatusServiceUnavailable, faults.String()+members)
	default:
		answer(w, http.StatusOK, fmt.Sprintf("ok: %d kinds are listed\n%s", len(kinds), members))
	}
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

func answer(w http.ResponseWriter, code int, text string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(code)
	_, _ = w.Write([]byte(text))
}

// service is a handler with its address and the setting of that.
type service struct {
	setting, address, text string
	handler                http.Handler
}

// onThisMachine returns the address with the loopback address in the place of no host.
func onThisMachine(address string) string {
	if strings.HasPrefix(address, ":") {
		return "127.0.0.1" + address
	}
	return address
}

// serve serves a handler until the context ends. Then it waits a moment for running
// requests. Streams end with the context.
func (p *Program) serve(ctx context.Context, l net.Listener, h http.Handler) error {
	s := &http.Server{
		Handler:           h,
		BaseContext:       func(net.Listener) context.Context { return ctx },
		ReadHeaderTimeout: 5 * time.Second, ReadTimeout: 10 * time.Second,
		WriteTimeout: 30 * time.Second, IdleTimeout: time.Minute,
		ErrorLog: slog.NewLogLogger(p.log.Handler(), slog.LevelWarn),
	}
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(l) }()
	select {
	case err := <-ended:
		return fmt.Errorf("run: serve %s: %w", l.Addr(), err)
	case <-ctx.Done():
	}
	grace, cancel := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
	defer cancel()
	if err := s.Shutdown(grace); errors.Is(err, context.DeadlineExceeded) {
		_ = s.Close()
	}
	<-ended
	return nil
}
