package run

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ownergraph/ownergraph/graph"
)

// fillGrace gives the store the kinds of the engine.
//
//test:by TestGraceKinds
func (c *Config) fillGrace() error {
	if len(c.Store.GraceKinds) > 0 {
		return invalid("Store.GraceKinds", "set, and Engine.PropagateGrace (flag -propagate-grace) sets it")
	}
	c.Store.GraceKinds = slices.Clone(c.Engine.PropagateGrace)
	return nil
}

// logGrace logs the limit of grace periods beside another collector. The program cannot tell whether
// one runs.
//
//test:by TestGraceLogged
func (p *Program) logGrace() {
	if kinds := p.config.Engine.PropagateGrace; len(kinds) > 0 {
		p.log.Info("foreground deletions pass grace periods on; beside the collector of kube-controller-manager a period may be lost, because it deletes without one",
			"kinds", kindsText(kinds))
	}
}

// graceFlag adds kinds whose deletions pass grace periods on.
type graceFlag struct{ kinds *[]graph.Kind }

// String returns the kinds, or "" for none.
func (g graceFlag) String() string {
	if g.kinds == nil {
		return ""
	}
	return kindsText(*g.kinds)
}

// Set adds a list of kinds, separated by commas.
func (g graceFlag) Set(text string) error {
	all := slices.Clone(*g.kinds)
	for part := range strings.SplitSeq(text, ",") {
		if err := kindError(part); err != nil {
			return fmt.Errorf("%q: %w", part, err)
		}
		if k := graph.Kind(part); !slices.Contains(all, k) {
			all = append(all, k)
		}
	}
	*g.kinds = all
	return nil
}
