package sqlstore

import (
	"context"
	"fmt"
	"log/slog"

	"github.com/ownergraph/ownergraph/graph"
)

// maxReported bounds the lines of one Migrate.
const maxReported = 20

// reportConstraints writes a line for each foreign key that refuses removals, takes rows along, or
// has no index. A failure is a line, too, because the store works without them.
//
//test:by TestMigrateReports
func (s *Store) reportConstraints(ctx context.Context) {
	if s.conf.Logger == nil {
		return
	}
	list, err := s.Constraints(ctx)
	if err != nil {
		s.warn("the foreign keys of the tables are not known", "err", err)
		return
	}
	n := 0
	for _, c := range list {
		for _, text := range faultsOf(c) {
			if n++; n <= maxReported {
				s.warn(text, "key", c.String(), "owners", c.Owners)
			}
		}
	}
	if n > maxReported {
		s.warn("further foreign keys have findings: see Store.Constraints", "findings", n-maxReported)
	}
}

func (s *Store) warn(text string, args ...any) {
	s.log.Line(slog.LevelWarn, text, fmt.Sprint(args...), args...)
}

// faultsOf returns the findings of package lint about a constraint.
func faultsOf(c graph.Constraint) (list []string) {
	switch {
	case c.Effect == graph.EffectRefuses && !c.OfObjects:
		list = append(list, "a foreign key refuses the removal of objects to which a row without an object refers")
	case c.Effect == graph.EffectRefuses:
		list = append(list, "a foreign key refuses background and orphan deletions of owners, because it keeps them behind their dependents")
	case c.Effect == graph.EffectRemoves:
		list = append(list, "a foreign key takes the rows of dependents along with their owner")
	}
	if c.Unindexed {
		list = append(list, "a foreign key has no index, so each removal of an object reads the whole table")
	}
	return list
}
