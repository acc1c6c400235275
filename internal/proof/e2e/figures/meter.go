package main

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// meter is a reading at one time.
type meter struct {
	at          time.Time
	server, own time.Duration // CPU
}

func (b *bench) readMeter(p *process) (meter, error) {
	m := meter{at: time.Now()}
	var err error
	if m.server, err = cpuOf(b.pid); err != nil {
		return m, err
	}
	if m.own, err = cpuOf(p.pid); err != nil {
		return m, err
	}
	return m, nil
}

// served returns the number of requests that the server has answered by its own count.
func (b *bench) served(ctx context.Context) (map[string]int, error) {
	text, err := b.load.typed.RESTClient().Get().AbsPath("/metrics").Do(ctx).Raw()
	if err != nil {
		return nil, fmt.Errorf("read the server's metrics: %w", err)
	}
	out := map[string]int{}
	for line := range strings.Lines(string(text)) {
		if !strings.HasPrefix(line, "apiserver_request_total{") {
			continue
		}
		_, rest, _ := strings.Cut(line, `verb="`)
		verb, rest, _ := strings.Cut(rest, `"`)
		_, value, _ := strings.Cut(rest, "} ")
		n, err := strconv.ParseFloat(strings.TrimSpace(value), 64)
		if err != nil {
			return nil, fmt.Errorf("read the server's metrics: %q: %w", line, err)
		}
		out[verb] += int(n)
	}
	return out, nil
}
