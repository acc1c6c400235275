package sqlstore

import (
	"context"
	"fmt"
	"slices"

	"github.com/ownergraph/ownergraph/graph"
)

// PolicyUse is the use of one policy in a store. It is plain data.
type PolicyUse struct {
	// Policy is none but OnDeleteUnset.
	Policy graph.OnDelete
	// References counts the references with the policy.
	References int
	// Examples are at most eight of the dependents with such a reference, those made first, sorted.
	Examples []graph.Key
}

// maxExamples bounds the examples of a PolicyUse.
const maxExamples = 8

// Policies counts the references with a policy, by policy. Before the step of Config.Policies these are
// the references that begin to act with it. Sorted by policy, without those that no reference has.
//
// It reads every object once, also of kinds that are not served, in pages of 4,096. It holds no lock, and
// counts a write beside it or not.
//
//test:by TestPoliciesStep TestPoliciesExamples
func (s *Store) Policies(ctx context.Context) ([]PolicyUse, error) {
	var counts policyCounts
	err := s.retry(ctx, func() error {
		ses, err := s.reading(ctx)
		if err != nil {
			return err
		}
		kinds, err := s.readKinds(ctx, &ses.c)
		counts = policyCounts{}
		for after := int64(0); err == nil; {
			var rows []*row
			if rows, err = s.readPage(ctx, kinds.start, 0, after, nil); len(rows) == 0 {
				break
			}
			for _, r := range rows {
				r.object.Kind = kinds.byID[r.kind].info.Kind
				counts.add(&r.object)
			}
			after = rows[len(rows)-1].id
		}
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("count policies: %w", err)
	}
	return counts.list(), nil
}

// policyCounts are indexed by the policy.
type policyCounts [graph.OnDeleteCascade + 1]PolicyUse

func (p *policyCounts) add(o *graph.Object) {
	for _, r := range o.Owners {
		use := &p[r.OnDelete]
		use.References++
		if n := len(use.Examples); n < maxExamples && (n == 0 || use.Examples[n-1] != o.Key) {
			use.Examples = append(use.Examples, o.Key)
		}
	}
}

func (p *policyCounts) list() (list []PolicyUse) {
	for policy, use := range p {
		if policy != int(graph.OnDeleteUnset) && use.References > 0 {
			use.Policy = graph.OnDelete(policy)
			slices.SortFunc(use.Examples, graph.Key.Compare)
			list = append(list, use)
		}
	}
	return list
}
