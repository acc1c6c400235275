package policy

import (
	"fmt"
	"strings"

	"github.com/ownergraph/ownergraph/graph"
)

// Page returns the page of all reasons and doubts as Markdown: REASONS.md of the module.
// Each code is a heading, so links may name "REASONS.md#ownerunknown".
//
//test:by TestPage
func Page() string {
	var b strings.Builder
	b.WriteString(pageHead)
	for _, part := range [...]struct {
		title, text string
		held        bool
	}{
		{"Reasons that hold an object", "An object with such a reason stays, although its owners or its deletion mark ask for something else.", true},
		{"Other reasons", "These reasons go with the engine's common decisions, and with short waits.", false},
	} {
		fmt.Fprintf(&b, "\n## %s\n\n%s\n", part.title, part.text)
		for r := ReasonUnset + 1; int(r) < len(articles); r++ {
			if r.Held() == part.held {
				About(r).write(&b, r.Code(), r.String())
			}
		}
	}
	b.WriteString("\n## Doubts\n\nA doubt says why an owner is unknown. It goes with the reason OwnerUnknown.\n")
	for d := graph.DoubtUnset + 1; int(d) < len(doubtArticles); d++ {
		AboutDoubt(d).write(&b, d.Code(), d.String())
	}
	return b.String()
}

const pageHead = `# Reasons

The engine gives a reason for each decision. Explanations, reports of held objects and logs use the same words.

Package ` + "`policy`" + ` has the texts of this page. Change them there, and run:

    go test ./policy -run TestPage -update
`

// write writes the section of one word.
func (a Article) write(b *strings.Builder, code, words string) {
	fmt.Fprintf(b, "\n### %s\n\nIn words: \"%s\".\n\n- Meaning: %s\n- Cause: %s\n- Remedy: %s\n", code, words, a.Meaning, a.Cause, a.Remedy)
}
