package live

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/plan"
)

const (
	// maxUnmet bounds the printed differences of a plan and its outcome.
	maxUnmet = 10
	// maxPreview bounds the lines in the preview of a plan.
	maxPreview = 40
)

// forecast returns the collector's plan of a deletion. An object that does not exist has
// none, and its deletion then returns the error.
func (s *Session) forecast(ctx context.Context, d Deletion) (*plan.Plan, error) {
	p, err := s.Collector.Plan(ctx, plan.Request{
		Delete: []plan.Target{{Key: d.Key, Propagation: d.Propagation}},
	})
	if errors.Is(err, ownergraph.ErrNotFound) {
		return nil, nil
	}
	return &p, err
}

// preview prints a plan before its deletion, or its sum alone.
func (s *Session) preview(p *plan.Plan, whole bool) {
	text := p.Sum() + "\n"
	if whole {
		if text = p.Text(); strings.Count(text, "\n") > maxPreview {
			text = p.TextOf(maxPreview)
		}
	}
	s.Out.Print("the plan\n" + indent(text))
}

// compared says whether a deletion went as planned, and lists the differences.
func compared(p *plan.Plan, left []graph.Object) string {
	unmet := p.Unmet(left)
	if len(unmet) == 0 {
		return "as planned\n"
	}
	var out strings.Builder
	fmt.Fprintf(&out, "not as planned: %d\n", len(unmet))
	for _, d := range unmet[:min(len(unmet), maxUnmet)] {
		fmt.Fprintf(&out, "  %s\n", d)
	}
	return out.String()
}
