package cli

import (
	"github.com/ownergraph/ownergraph/internal/droppatch"
	"github.com/ownergraph/ownergraph/internal/printing"
	"github.com/ownergraph/ownergraph/lint"
)

// jsonPatches is the form ownergraph.lint-patches/v1.
type jsonPatches struct {
	Schema string      `json:"schema"`
	Report lint.Report `json:"report"`
	droppatch.Answer
}

// lintPatches writes the findings of a dump, and the patches that drop the wrong references.
//
//test:by TestLintPatch
func (a *app) lintPatches(c *content, cfg lint.Config) error {
	report, drops, err := lint.CheckDrops(c.lint, cfg)
	if err != nil {
		return err
	}
	answer, err := droppatch.New(drops, nil)
	if err != nil {
		return err
	}
	if a.format == printing.JSON {
		err = a.printer().JSON(jsonPatches{"ownergraph.lint-patches/v1", report, answer})
	} else {
		err = a.printer().Text(a.reportText(&report, len(c.lint.Objects), "") + answer.Text())
	}
	if err == nil && len(report.Findings) > 0 {
		return printing.ErrFound
	}
	return err
}
