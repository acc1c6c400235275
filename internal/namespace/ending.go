package namespace

import (
	"fmt"
	"strings"
	"time"

	"github.com/ownergraph/ownergraph/dump"
	"github.com/ownergraph/ownergraph/internal/spell"
	"github.com/ownergraph/ownergraph/lint"
)

// Ending is the namespace of an object, and is marked for deletion. Its controller deletes the
// object too, and reports in the conditions why it cannot.
type Ending struct {
	Name       string     `json:"name"`
	MarkedAt   *time.Time `json:"markedAt,omitempty"`
	Finalizers []string   `json:"finalizers"`
	// Conditions has those that are true, sorted by type.
	Conditions []dump.Condition `json:"conditions"`
	// Unread is the reason for which the conditions are not known.
	Unread   string   `json:"unread,omitempty"`
	Services Services `json:"services,omitzero"`
}

// EndingOf returns the namespace of a scope among objects, or nil if it has no mark.
func EndingOf(objects []lint.Object, scope string) *Ending {
	if scope == "" {
		return nil
	}
	for i := range objects {
		o := &objects[i]
		if o.Kind != "Namespace" || o.Scope != "" || o.Name != scope || !o.Deleting {
			continue
		}
		e := &Ending{Name: scope, Finalizers: append([]string{}, o.Finalizers...), Conditions: []dump.Condition{}}
		if !o.MarkedAt.IsZero() {
			at := o.MarkedAt.UTC()
			e.MarkedAt = &at
		}
		return e
	}
	return nil
}

// Text returns the lines for a person. The function ago describes the instant of a mark.
//
//test:by cmd/internal/cli.TestPluginEndingNamespace
//test:by internal/proof/e2e.TestPluginExplainsRefusedContent
func (e *Ending) Text(ago func(time.Time) string) string {
	var out strings.Builder
	fmt.Fprintf(&out, "its namespace %s: %s; finalizers: %s\n", spell.Line(e.Name), markedText(e.MarkedAt, ago), Finalizers(e.Finalizers))
	conditions(&out, e.Conditions, e.Unread)
	e.Services.text(&out)
	return out.String()
}

func markedText(at *time.Time, ago func(time.Time) string) string {
	if at == nil {
		return "marked for deletion"
	}
	return "marked for deletion " + ago(*at)
}

// Writers returns the lines about the last writers of an object's finalizers. The function ago
// describes the instant of a write.
//
//test:by cmd/internal/cli.TestPluginWritersOfFinalizers
func Writers(list []dump.Writer, ago func(time.Time) string) string {
	var out strings.Builder
	for _, w := range list[:min(len(list), maxNamed)] {
		fmt.Fprintf(&out, "last writer of the finalizer %s: %s", Clip(w.Finalizer), Clip(w.Manager))
		how := w.Operation
		if w.Subresource != "" {
			how += " of " + w.Subresource
		}
		if how != "" {
			fmt.Fprintf(&out, " (%s)", Clip(how))
		}
		if !w.At.IsZero() {
			out.WriteString(", " + ago(w.At))
		}
		out.WriteByte('\n')
	}
	if more := len(list) - maxNamed; more > 0 {
		fmt.Fprintf(&out, "... and the writers of %s\n", spell.Count(uint64(more), "more finalizer"))
	}
	return out.String()
}
