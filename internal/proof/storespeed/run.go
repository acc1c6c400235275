package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime/pprof"

	"github.com/ownergraph/ownergraph/internal/proof/figures"
)

// measure runs the rounds of each row in one go, so that its sides are close in time. It
// returns the rows that ran. A row that fails is left out, and is in the error.
func (o options) measure(ctx context.Context, b *bed) (done []row, all map[string]results, err error) {
	all = map[string]results{}
	var failed []error
	for _, r := range b.rows() {
		if !o.only.MatchString(r.name) {
			continue
		}
		found, err := o.measureRow(ctx, r)
		if err != nil {
			failed = append(failed, fmt.Errorf("%s: %w", r.name, err))
			continue
		}
		done, all[r.name] = append(done, r), found
	}
	return done, all, errors.Join(failed...)
}

func (o options) measureRow(ctx context.Context, r row) (results, error) {
	found := results{}
	for round := range o.rounds {
		for i := range r.sides {
			s := r.sides[figures.Turn(i, round, len(r.sides))]
			got, err := o.profiled(ctx, r, s)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", s.name, err)
			}
			progress("%s: round %d: %s: %s s, %s/s", r.name, round+1, s.name, figures.Number(got.seconds), figures.Number(got.rate()))
			found[s.name] = append(found[s.name], got)
		}
	}
	return found, nil
}

var unfit = regexp.MustCompile(`[^a-z0-9]+`)

// profiled runs a side, and profiles the side "ours" if the flag asks for it.
func (o options) profiled(ctx context.Context, r row, s side) (sample, error) {
	if o.profile == "" || s.name != ours {
		return s.run(ctx)
	}
	name := unfit.ReplaceAllString(r.name, "-") + ".pprof"
	out, err := os.Create(filepath.Join(o.profile, name))
	if err != nil {
		return sample{}, err
	}
	if err := pprof.StartCPUProfile(out); err != nil {
		return sample{}, errors.Join(err, out.Close())
	}
	got, err := s.run(ctx)
	pprof.StopCPUProfile()
	return got, errors.Join(err, out.Close())
}
