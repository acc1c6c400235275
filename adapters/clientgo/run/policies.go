package run

import (
	"fmt"
	"slices"

	"github.com/ownergraph/ownergraph/graph"
)

// Policies says which policies of references act (graph.OnDelete). The program holds each object that
// has a reference with another policy. It is a value.
type Policies uint8

const (
	// PoliciesUnset: no policy acts.
	PoliciesUnset Policies = iota
	// PoliciesRelease: release acts.
	PoliciesRelease
	// PoliciesAll: cascade, release and restrict act.
	PoliciesAll
)

var policiesNames = [...]string{"unset", "release", "all"}

// String returns the name in lower case.
func (p Policies) String() string {
	if int(p) < len(policiesNames) {
		return policiesNames[p]
	}
	return fmt.Sprintf("policies(%d)", uint8(p))
}

// fillPolicies sets the settings of the store and of the engine.
//
//test:by TestPolicies
func (c *Config) fillPolicies() error {
	switch {
	case c.Engine.Policies:
		return invalid("Engine.Policies", "set, and Policies (flag -policies) sets it")
	case len(c.Store.HeldPolicies) > 0:
		return invalid("Store.HeldPolicies", "set, and Policies (flag -policies) sets it")
	case c.Policies > PoliciesAll:
		return invalid("Policies", c.Policies.String()+" is unknown")
	case c.Policies == PoliciesRelease:
		c.Store.HeldPolicies = []graph.OnDelete{graph.OnDeleteRestrict, graph.OnDeleteCascade}
	}
	c.Engine.Policies = c.Policies != PoliciesUnset
	return nil
}

// logPolicies logs the limit of policies beside another collector. The program cannot tell whether one
// runs.
//
//test:by TestPolicies
func (p *Program) logPolicies() {
	switch p.config.Policies {
	case PoliciesRelease:
		p.log.Info("release references act; beside the collector of kube-controller-manager they bind background deletions only", "policies", p.config.Policies.String())
	case PoliciesAll:
		p.log.Warn("policies of references act; beside the collector of kube-controller-manager they bind background deletions only: its orphan deletions free no cascade reference, and it deletes restricted objects",
			"policies", p.config.Policies.String())
	}
}

// policiesFlag reads "none", "release" or "all".
type policiesFlag struct{ *Policies }

// String returns the value, or "" without a config.
func (f policiesFlag) String() string {
	switch {
	case f.Policies == nil:
		return ""
	case *f.Policies == PoliciesUnset:
		return "none"
	}
	return f.Policies.String()
}

// Set sets the value.
func (f policiesFlag) Set(text string) error {
	i := slices.Index([]string{"none", PoliciesRelease.String(), PoliciesAll.String()}, text)
	if i < 0 {
		return fmt.Errorf("%q is no set of policies: write none, release or all", text)
	}
	*f.Policies = Policies(i)
	return nil
}
