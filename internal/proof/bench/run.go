package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"os/exec"

	"github.com/ownergraph/ownergraph/internal/proof/bench/measure"
	"github.com/ownergraph/ownergraph/internal/proof/figures"
)

// The sides of a row. Alone is our graph without the engine. Bare is a loop that only
// sends the requests. Both run in our program. Plain is theirs with another REST mapper.
const (
	ours   = "ours"
	theirs = "theirs"
	plain  = "theirs, plain mapper"
	alone  = "alone"
	bare   = "bare"
)

// product is the program of theirs with the metrics of kube-controller-manager.
const product = "product"

// plainMapper is the name of that mapper in package theirs, which only the program of
// theirs links.
const plainMapper = "plain"

// row is a set of runs that are measured together, each run and round in its own
// process.
type row struct {
	name          string
	size, workers int
	rounds        int
	runs          []one
	figures       []figure
}

// one is one side of a row.
type one struct {
	side    string
	params  measure.Params
	program string // the side's own, if empty
	rounds  int    // fewer than the row's, if not 0
}

// programs names the program of each side.
type programs map[string][]string

// measure runs one round of the row. The sides take turns, and each round begins with
// another one.
func (p programs) measure(ctx context.Context, w row, round int, into results) error {
	for i := range w.runs {
		run := w.runs[figures.Turn(i, round, len(w.runs))]
		if run.rounds > 0 && round >= run.rounds {
			continue
		}
		m, err := p.start(ctx, run)
		if err != nil {
			return fmt.Errorf("%s: %s: %w", w.name, run.side, err)
		}
		at := source{w.name, run.side}
		into[at] = append(into[at], m)
	}
	return nil
}

// start measures one run in a process of its own.
func (p programs) start(ctx context.Context, run one) (measure.Metrics, error) {
	params, err := json.Marshal(run.params)
	if err != nil {
		return nil, err
	}
	command := append(append([]string(nil), p[cmp.Or(run.program, run.side)]...), string(params))
	cmd := exec.CommandContext(ctx, command[0], command[1:]...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("%w: %s", err, bytes.TrimSpace(stderr.Bytes()))
	}
	return parse(out)
}

// parse reads the first value of a process's output. A bubble of time prints more after
// it.
func parse(out []byte) (m measure.Metrics, err error) {
	if err := json.NewDecoder(bytes.NewReader(out)).Decode(&m); err != nil {
		return nil, fmt.Errorf("answer %q: %w", out[:min(len(out), 200)], err)
	}
	return m, nil
}
