package draft

import (
	"maps"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/plan"
)

// MaxNested bounds the plans of guarded roots in one judgement. Each of them is as large as the
// judgement itself, and n marked roots over the same objects need n judgements.
const MaxNested = 64

// Nested has the verdicts of one judgement, or of one plan, and of all guarded roots below. Each
// root is planned once. Make one with NewNested. It is not safe for concurrent use.
type Nested struct {
	// Begun: a verdict was asked for. Cut: a root was not planned, because there are too many.
	// Unlabelled: a plan below lacks labels that may protect.
	Begun, Cut, Unlabelled bool
	// Labels has the kinds of which a plan below lacks members of sweeps.
	Labels map[string]int

	verdicts map[graph.Key]plan.Verdict
	judging  map[graph.Key]bool
	open     map[graph.Key]bool
	plans    int // made so far
}

// NewNested returns the judgements around those of the targets.
func NewNested(targets ...plan.Target) *Nested {
	n := &Nested{verdicts: map[graph.Key]plan.Verdict{}, judging: map[graph.Key]bool{}, open: map[graph.Key]bool{}, Labels: map[string]int{}}
	for _, t := range targets {
		n.judging[t.Key] = true
	}
	return n
}

// Begin returns the verdict about a root if it needs no plan: there is one, the root is below
// itself, or there are too many roots. Otherwise End follows.
func (n *Nested) Begin(root graph.Key) (v plan.Verdict, ended bool) {
	if v, ok := n.verdicts[root]; ok {
		return v, true
	}
	n.Cut = n.Cut || !n.judging[root] && n.plans == MaxNested
	if n.Cut || n.judging[root] {
		n.note(root, n.Cut)
		return plan.Verdict{Root: root, Unknown: true}, true
	}
	n.plans++
	n.judging[root] = true
	return v, false
}

// End takes the verdict of the plan of a root, if there is one. Missing says that the plan lacks
// labels. Without both the next judgement of the root plans it again.
func (n *Nested) End(root graph.Key, v plan.Verdict, missing, ok bool) plan.Verdict {
	delete(n.judging, root)
	if missing {
		v = plan.Verdict{Root: root, Unknown: true}
	}
	if missing || ok {
		n.verdicts[root] = v
		n.note(root, missing || n.Cut)
	}
	return v
}

func (n *Nested) note(root graph.Key, open bool) {
	if open {
		n.open[root] = true
	}
}

// AddOpen adds the roots whose verdicts a plan cannot tell: labels are unknown, or there are too
// many roots. A forecast takes such a root as refused, and the engine may pass it. Roots that are
// open for another reason stay so.
//
//test:by TestAddOpen
func (n *Nested) AddOpen(to map[graph.Key]bool) { maps.Copy(to, n.open) }
