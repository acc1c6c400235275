package upstream

import (
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/ginkgo/v2/types"
)

// Upstream's specs of the garbage collector, v1.36.3.
const (
	allSpecs         = 11
	conformanceSpecs = 7
	container        = "Garbage collector" // upstream's name for them
)

// patience bounds the run of one spec. Upstream bounds its own waits by less.
const patience = 8 * time.Minute

// specs returns upstream's specs of the garbage collector, by their full text. Ginkgo builds them
// anew for each call, so the calls come one after another.
func specs(t *testing.T) []types.SpecReport {
	t.Helper()
	suite, reporter := focused(container)
	var out []types.SpecReport
	conformance := 0
	for _, r := range ginkgo.PreviewSpecs("Kubernetes e2e suite", suite, reporter).SpecReports {
		if !slices.Contains(r.ContainerHierarchyTexts, "[sig-api-machinery] "+container) {
			continue
		}
		out = append(out, r)
		if slices.Contains(r.Labels(), "Conformance") {
			conformance++
		}
	}
	if len(out) != allSpecs || conformance != conformanceSpecs {
		t.Fatalf("upstream has %d specs, %d for conformance, want %d and %d", len(out), conformance, allSpecs, conformanceSpecs)
	}
	slices.SortFunc(out, func(a, b types.SpecReport) int { return strings.Compare(a.FullText(), b.FullText()) })
	return out
}

// TestSpecs: each of upstream's specs passes with our collector.
func TestSpecs(t *testing.T) {
	all := specs(t)
	t.Parallel()
	c := start(t)
	c.collect(t)
	var together sync.WaitGroup
	for _, s := range all {
		if slices.Contains(s.Labels(), "Serial") {
			t.Run(s.LeafNodeText, func(t *testing.T) { c.passes(t, s) })
		}
	}
	for _, s := range all {
		if !slices.Contains(s.Labels(), "Serial") {
			together.Go(func() { t.Run(s.LeafNodeText, func(t *testing.T) { c.passes(t, s) }) })
		}
	}
	together.Wait()
}

func (c *cluster) passes(t *testing.T, s types.SpecReport) {
	t.Helper()
	got, output := c.outcome(t, s.FullText())
	if got.State != types.SpecStatePassed {
		t.Errorf("%s: %s: %s\n%s\n%s", s.FullText(), got.State, got.FailureMessage(), output, c.server.Logs())
	}
	t.Logf("%s after %.1f s: %s", got.State, got.RunTime.Seconds(), s.FullText())
}

// TestWithoutCollector: a spec fails on the same cluster without a collector.
func TestWithoutCollector(t *testing.T) {
	const name, failure = "should delete RS created by deployment when not orphaning", "Failed to wait for all rs to be garbage collected"
	all := specs(t)
	t.Parallel()
	i := slices.IndexFunc(all, func(s types.SpecReport) bool { return strings.HasPrefix(s.LeafNodeText, name) })
	if i < 0 {
		t.Fatalf("upstream has no spec %q", name)
	}
	got, output := start(t).outcome(t, all[i].FullText())
	if got.State != types.SpecStateFailed || !strings.Contains(got.FailureMessage(), failure) {
		t.Errorf("%s: %s: %s, want failed: %s\n%s", name, got.State, got.FailureMessage(), failure, output)
	}
}
