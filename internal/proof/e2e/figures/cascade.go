package main

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/metadata"
)

// cascade is the outcome of one run of a scenario by a side.
type cascade struct {
	scenario, side string
	round          int
	objects        int
	counts         map[string]int
	took           time.Duration
	server, own    time.Duration // CPU
	end            string        // "same", or the difference
}

// runCascade lets a side do one cascade.
func (b *bench) runCascade(ctx context.Context, s scenario, role string, round int) (cascade, error) {
	ctx, cancel := context.WithTimeout(ctx, b.patience)
	defer cancel()
	out := cascade{scenario: s.name, side: role, round: round, objects: b.size, end: "failed"}
	ns, err := b.load.namespace(ctx)
	if err != nil {
		return out, err
	}
	levels := s.plan(b.size)
	if err := b.load.create(ctx, ns, s, levels); err != nil {
		return out, err
	}
	t := b.task(fmt.Sprintf("%s-%s-%d", s.name, role, round))
	at := s.resource()
	t.Group, t.Version, t.Resource, t.Namespace, t.Scenario = at.Group, at.Version, at.Resource, ns, s.name
	p, err := spawn(ctx, role, t)
	if err != nil {
		return out, err
	}
	err = b.watchCascade(ctx, s, p, b.load.metadata.Resource(at).Namespace(ns), levels, &out)
	if stopped := p.stop(); err == nil {
		err = stopped
	}
	if err != nil {
		return out, err
	}
	return out, b.load.clear(ctx, ns, s)
}

// watchCascade starts the cascade, and measures until it is over.
func (b *bench) watchCascade(ctx context.Context, s scenario, p *process, at metadata.ResourceInterface, levels [][]*planned, out *cascade) error {
	if _, err := p.answer(); err != nil {
		return err
	}
	for _, order := range []string{orderQuiet, orderReset} {
		if _, err := p.ask(order); err != nil {
			return err
		}
	}
	t, err := newTally(ctx, at)
	if err != nil {
		return err
	}
	defer t.watch.Stop()
	served, err := b.served(ctx)
	if err != nil {
		return err
	}
	before, err := b.readMeter(p)
	if err != nil {
		return err
	}
	if p.name == bare {
		err = p.tell(orderGo)
	} else {
		err = at.Delete(ctx, "owner", metav1.DeleteOptions{PropagationPolicy: &s.how})
	}
	if err != nil {
		return err
	}
	if err := t.wait(ctx, b.size, p.name != bare); err != nil {
		return err
	}
	after, err := b.readMeter(p)
	if err != nil {
		return err
	}
	out.took, out.server, out.own = after.at.Sub(before.at), after.server-before.server, after.own-before.own
	if p.name == bare {
		if _, err := p.answer(); err != nil {
			return err
		}
		if err := at.Delete(ctx, "owner", metav1.DeleteOptions{}); err != nil {
			return err
		}
	}
	return b.endCascade(ctx, s, p, at, levels, served, out)
}

// endCascade takes the counts after the last request. It compares them with the
// server's, and the end state with the required one.
func (b *bench) endCascade(ctx context.Context, s scenario, p *process, at metadata.ResourceInterface, levels [][]*planned, before map[string]int, out *cascade) error {
	if _, err := p.ask(orderQuiet); err != nil {
		return err
	}
	r, err := p.ask(orderCounts)
	if err != nil {
		return err
	}
	out.counts = r.Counts
	after, err := b.served(ctx)
	if err != nil {
		return err
	}
	if out.end, err = remains(ctx, at, s, levels); err != nil {
		return err
	}
	if out.end == "" {
		out.end = "same"
	}
	for _, verb := range []string{verbPatch, verbDelete} {
		sent := r.Counts[verb]
		if verb == verbDelete {
			sent++ // the owner's, which is ours
		}
		if got := after[verb] - before[verb]; got != sent {
			out.end += fmt.Sprintf(", but the server has counted %d %s, not %d", got, strings.ToLower(verb), sent)
		}
	}
	return nil
}

// task has the parameters of every side.
func (b *bench) task(name string) task {
	c := b.config
	t := task{Host: c.Host, Token: c.BearerToken, CAFile: c.CAFile, Insecure: c.Insecure, Workers: b.workers}
	if b.profile != "" {
		t.Profile = filepath.Join(b.profile, strings.NewReplacer(" ", "-", ",", "").Replace(name)+".pprof")
	}
	return t
}
