package sim

import (
	"fmt"
	"strings"

	planning "github.com/ownergraph/ownergraph/plan"
)

// Plans counts plans and the objects in them. It is a value.
type Plans struct {
	Plans int    // compared with their ends
	Costs int    // of these, compared with their costs
	Ends  [6]int // definite objects, by planning.Outcome
	// Possible counts the possible objects, and Other those of them that end otherwise
	// than the plan says.
	Possible, Other int
	Outside         int // objects that the plan does not have, and that a sweep changes
	Unreported      int // unmarked objects that stay, held in the plan or at the end only
	Judged          int // ends that the oracle permits, compared with a plan
	// Gaps counts the plans that are not compared, by gap. Differ counts those of them
	// that differ from their end.
	Gaps, Differ [numGaps]int
}

// add adds the counts of other plans.
func (p *Plans) add(q Plans) {
	p.Plans += q.Plans
	p.Costs += q.Costs
	p.Possible += q.Possible
	p.Other += q.Other
	p.Outside += q.Outside
	p.Unreported += q.Unreported
	p.Judged += q.Judged
	for i, n := range q.Ends {
		p.Ends[i] += n
	}
	for i := range q.Gaps {
		p.Gaps[i] += q.Gaps[i]
		p.Differ[i] += q.Differ[i]
	}
}

// String returns the counts in one line.
func (p Plans) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d plans came true, %d with their cost:", p.Plans, p.Costs)
	for o := planning.Removed; o <= planning.Held; o++ {
		fmt.Fprintf(&b, " %d %s,", p.Ends[o], o)
	}
	fmt.Fprintf(&b, " %d outside, %d unreported, %d possible (%d otherwise); %d ends of the oracle; not compared (differing):", p.Outside, p.Unreported, p.Possible, p.Other, p.Judged)
	for g := noGap + 1; g < numGaps; g++ {
		fmt.Fprintf(&b, " %s %d (%d)", gapNames[g], p.Gaps[g], p.Differ[g])
	}
	return b.String()
}
