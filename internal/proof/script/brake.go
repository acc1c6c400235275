package script

import (
	"strconv"
	"strings"
	"time"

	"github.com/ownergraph/ownergraph/engine"
	"github.com/ownergraph/ownergraph/graph"
)

// maxBraked bounds the printed cascades.
const maxBraked = 64

// braked prints the cascades that the brake holds.
func (r *runner) braked(string) error {
	for _, b := range r.w.Sides[r.side].Engine.Braked(maxBraked) {
		r.printf("braked %s", b)
	}
	return nil
}

// approve approves deletes of a cascade, for a time.
func (r *runner) approve(arg string) error {
	words := strings.Fields(arg)
	if len(words) != 3 {
		return errUsage
	}
	key, err := graph.ParseKey(words[0])
	if err != nil {
		return err
	}
	n, err := strconv.Atoi(words[1])
	if err != nil {
		return err
	}
	d, err := time.ParseDuration(words[2])
	if err != nil {
		return err
	}
	a := engine.BrakeApproval{Until: r.w.Now.Add(d), AtMost: n}
	if err := r.w.Sides[r.side].Engine.ApproveCascade(r.w.Now, key, a); err != nil {
		r.printf("%v", err)
	}
	return nil
}

// refuse refuses a cascade.
func (r *runner) refuse(arg string) error {
	name, text, _ := strings.Cut(arg, " ")
	answer, ok := map[string]engine.Refusal{"keep": engine.KeepHeld, "orphan": engine.OrphanHeld}[text]
	if !ok {
		return errUsage
	}
	key, err := graph.ParseKey(name)
	if err != nil {
		return err
	}
	if err := r.w.Sides[r.side].Engine.RefuseCascade(r.w.Now, key, answer); err != nil {
		r.printf("%v", err)
	}
	return nil
}
