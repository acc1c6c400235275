package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"k8s.io/client-go/rest"

	"github.com/ownergraph/ownergraph/internal/proof/e2e/server"
	"github.com/ownergraph/ownergraph/internal/proof/figures"
)

// bench runs the sides on one server.
type bench struct {
	options
	config *rest.Config
	load   *loader
	failed int // runs
}

// measure runs all rows and prints the tables. It reports a failed run, and goes on
// with the others.
func measure(ctx context.Context, o options) error {
	b := &bench{options: o}
	stop, err := b.reach(ctx)
	if err != nil {
		return err
	}
	defer stop()
	b.config.QPS = -1
	if o.profile != "" {
		if err := os.MkdirAll(o.profile, 0o755); err != nil {
			return err
		}
	}
	if b.load, err = newLoader(b.config); err != nil {
		return err
	}
	if err := b.load.define(ctx); err != nil {
		return err
	}
	cascades := b.runCascades(ctx)
	var starts []startup
	if strings.Contains("start", o.only) && ctx.Err() == nil {
		starts = b.runStarts(ctx)
	}
	show := printTables
	if o.tsv {
		show = printRuns
	}
	err = show(os.Stdout, cascades, starts)
	if b.failed > 0 {
		err = errors.Join(err, fmt.Errorf("figures: %d runs have failed", b.failed))
	}
	return err
}

// fail reports a run that failed.
func (b *bench) fail(what string, err error) {
	b.failed++
	b.say("%s: %v", what, err)
}

// reach starts a server, or takes the server of the flags.
func (b *bench) reach(ctx context.Context) (stop func(), err error) {
	if b.url != "" {
		b.config = &rest.Config{Host: b.url, BearerToken: b.token, TLSClientConfig: rest.TLSClientConfig{Insecure: true}}
		return func() {}, nil
	}
	s, err := server.Start(ctx, server.Config{
		Lifetime: time.Hour, Output: os.Stderr, Flags: []string{"--delete-collection-workers=20"},
	})
	if err != nil {
		return nil, err
	}
	b.config = s.Admin()
	_, b.pid = s.PIDs()
	return func() {
		if err := s.Stop(); err != nil {
			b.say("%v", err)
		}
	}, nil
}

// runCascades runs each scenario by each side. The sides take turns.
func (b *bench) runCascades(ctx context.Context) []cascade {
	var out []cascade
	sides := []string{ours, upstream, bare}
	for _, s := range scenarios() {
		if !strings.Contains(s.name, b.only) {
			continue
		}
		for i := range b.rounds * len(sides) {
			round := i / len(sides)
			side := sides[figures.Turn(i%len(sides), round, len(sides))]
			b.say("%s: %s", s.name, side)
			c, err := b.runCascade(ctx, s, side, round)
			if err != nil {
				b.fail(s.name, err)
			}
			if out = append(out, c); ctx.Err() != nil {
				return out
			}
		}
	}
	return out
}

func (b *bench) say(format string, args ...any) { fmt.Fprintf(os.Stderr, format+"\n", args...) }
