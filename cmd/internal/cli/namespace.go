package cli

import (
	"context"
	"time"

	"github.com/ownergraph/ownergraph/explain"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/namespace"
	"github.com/ownergraph/ownergraph/internal/printing"
	"github.com/ownergraph/ownergraph/lint"
)

const namespaceKind graph.Kind = "Namespace"

// isTerminating reports whether an object of a dump is a namespace that does not terminate.
func (c *content) isTerminating(o graph.Object) bool {
	return !c.live && o.Kind == namespaceKind && o.Deleting
}

// jsonNamespace is the form ownergraph.explain-namespace/v1.
type jsonNamespace struct {
	Schema      string              `json:"schema"`
	Explanation explain.Explanation `json:"explanation"`
	Namespace   *namespace.Answer   `json:"namespace"`
}

// explainNamespace explains a namespace of a dump, as the plugin of kubectl does.
//
//test:by TestTerminatingNamespace
func (a *app) explainNamespace(ctx context.Context, c *content, o graph.Object) error {
	n := namespace.New(c.lint.Objects, o.Name, c.Conditions[o.Key])
	list, err := c.offline().Explain(ctx, append([]graph.Key{o.Key}, n.Chosen()...)...)
	if err != nil {
		return err
	}
	n.Explained(list[1:])
	n.Conclude(&lint.Object{Object: o}, true) // a dump has the kinds that were asked for
	if a.format == printing.JSON {
		err = a.printer().JSON(jsonNamespace{"ownergraph.explain-namespace/v1", list[0], n})
	} else {
		err = a.printer().Text(n.Text(o.Name, c.markedAt(o.Key), atInstant) + endingCommands(n, nil) + a.explained(&list[0]) + namespace.Writers(c.Writers[o.Key], atInstant))
	}
	if err != nil {
		return err
	}
	return printing.ErrFound
}

// markedAt returns the instant of the deletion mark of an object, or the zero time.
func (c *content) markedAt(key graph.Key) time.Time {
	for i := range c.lint.Objects {
		if c.lint.Objects[i].Key == key {
			return c.lint.Objects[i].MarkedAt
		}
	}
	return time.Time{}
}

func atInstant(at time.Time) string { return "at " + at.UTC().Format(time.RFC3339) }

// around returns the lines about an object of a dump that its explanation does not have: the last
// writers of its finalizers, and its namespace if that is marked.
//
//test:by TestEndingNamespace TestWritersOfFinalizers
func (c *content) around(o graph.Object) string {
	if c.live {
		return ""
	}
	text := namespace.Writers(c.Writers[o.Key], atInstant)
	if e := namespace.EndingOf(c.lint.Objects, o.Scope); e != nil {
		for key, list := range c.Conditions {
			if key.Kind == namespaceKind && key.Name == o.Scope {
				e.Conditions = append(e.Conditions, list...)
			}
		}
		text += e.Text(atInstant)
	}
	return text
}
