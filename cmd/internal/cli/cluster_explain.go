package cli

import (
	"context"
	"fmt"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/util/duration"

	"github.com/ownergraph/ownergraph/dump"
	"github.com/ownergraph/ownergraph/explain"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/namespace"
	"github.com/ownergraph/ownergraph/internal/offline"
	"github.com/ownergraph/ownergraph/internal/printing"
	"github.com/ownergraph/ownergraph/lint"
	"github.com/ownergraph/ownergraph/view"
)

// explainAnswer is the form kubectl-ownergraph.explain/v1.
type explainAnswer struct {
	Schema      string              `json:"schema"`
	Explanation explain.Explanation `json:"explanation"`
	MarkedAt    *time.Time          `json:"markedAt,omitempty"`
	Finalizers  []string            `json:"finalizers"`
	Dependents  dependents          `json:"dependents"`
	Namespace   *namespace.Answer   `json:"namespace,omitempty"`
	// Ending is the namespace of the object, if it is marked.
	Ending *namespace.Ending `json:"ending,omitempty"`
	// Writers has the last writers of the finalizers of a marked object, as far as they are known.
	Writers       []dump.Writer `json:"writers,omitempty"`
	WritersUnread string        `json:"writersUnread,omitempty"`
	Removals      *removals     `json:"removals,omitempty"`
	Unknown       unknown       `json:"unknown"`
}

// dependents counts the objects that name an object as owner, and all objects below it.
type dependents struct {
	Direct   int `json:"direct"`
	Blocking int `json:"blocking"`
	Below    int `json:"below"`
}

func (a *app) explain(ctx context.Context, r *reading, key graph.Key, try bool) error {
	keys := []graph.Key{key}
	open := r.joinNamespace(ctx, r.object(key))
	var ns *namespace.Answer
	if o := r.object(key); o.Kind == namespaceKind && o.Deleting {
		ns = newNamespaceAnswer(ctx, r, o.Name)
		keys = append(keys, ns.Chosen()...)
	}
	part, err := r.proven(ctx, func() offline.Content { return r.index().Behind(keys...) })
	if err != nil {
		return err
	}
	list, err := part.Explain(ctx, keys...)
	if err != nil {
		return err
	}
	o := r.object(key)
	out := explainAnswer{
		Schema: "kubectl-ownergraph.explain/v1", Explanation: list[0], Finalizers: append([]string{}, o.Finalizers...),
		Dependents: countDependents(r.index(), key), Namespace: ns, Unknown: unknowns(r.in, part, key.Scope),
	}
	if open != "" {
		out.Unknown.Facts = append(out.Unknown.Facts, open)
	}
	out.around(ctx, r, o, try)
	if ns != nil {
		ns.Explained(list[1:])
		ns.Conclude(o, len(out.Unknown.Kinds) > 0)
	}
	return a.writeExplanation(&out)
}

// around adds what the listing does not have: the namespace that ends, the writers of the
// finalizers, and the dry runs.
func (x *explainAnswer) around(ctx context.Context, r *reading, o *lint.Object, try bool) {
	if !o.MarkedAt.IsZero() {
		at := o.MarkedAt.UTC()
		x.MarkedAt = &at
	}
	x.Ending = ending(ctx, r, o.Scope)
	x.Writers, x.WritersUnread = r.writers(ctx, o)
	if try {
		x.Removals = r.tryRemovals(ctx, o, x.Ending != nil)
	}
}

// object returns a listed object.
func (r *reading) object(key graph.Key) *lint.Object {
	for i := range r.in.Objects {
		if r.in.Objects[i].Key == key {
			return &r.in.Objects[i]
		}
	}
	return &lint.Object{}
}

func countDependents(x *offline.Index, key graph.Key) (n dependents) {
	for _, o := range x.Below(key) {
		n.Below++
		for _, owner := range o.Owners {
			if owner.UID == key.UID && o.UID != key.UID {
				n.Direct++
				if owner.Block {
					n.Blocking++
				}
				break
			}
		}
	}
	n.Below-- // the object itself
	return n
}

func (a *app) writeExplanation(x *explainAnswer) (err error) {
	out := a.printer()
	done, err := out.Picture(func() view.Picture { return view.Explanation(x.Explanation, out.Limit(0)) })
	switch {
	case done:
		a.note(x.Unknown)
	case a.format == printing.JSON:
		err = out.JSON(x)
	default:
		err = out.Text(a.textOf(x))
	}
	pace, _ := x.Explanation.Pace()
	if err == nil && (pace > explain.Moving || x.Namespace != nil) {
		return printing.ErrFound
	}
	return err
}

// textOf returns an answer as text. The facts of a namespace that does not terminate come first.
func (a *app) textOf(x *explainAnswer) string {
	var out strings.Builder
	ago := func(at time.Time) string { return age(a.now(), at) + " ago" }
	if x.Namespace != nil {
		var at time.Time
		if x.MarkedAt != nil {
			at = *x.MarkedAt
		}
		out.WriteString(x.Namespace.Text(x.Explanation.Key.Name, at, ago) + endingCommands(x.Namespace, a.clusterFlags()))
	}
	out.WriteString(a.explained(&x.Explanation))
	mark := "no deletion mark"
	if x.Explanation.Deleting {
		mark = "marked for deletion"
		if x.MarkedAt != nil {
			mark += " " + ago(*x.MarkedAt)
		}
	}
	fmt.Fprintf(&out, "%s; finalizers: %s\n", mark, namespace.Finalizers(x.Finalizers))
	fmt.Fprintf(&out, "dependents: %d (those that block its foreground deletion: %d); objects below it: %d\n", x.Dependents.Direct, x.Dependents.Blocking, x.Dependents.Below)
	out.WriteString(namespace.Writers(x.Writers, ago))
	if x.WritersUnread != "" {
		fmt.Fprintf(&out, "last writers of the finalizers: not known: %s\n", namespace.Clip(x.WritersUnread))
	}
	if x.Removals != nil {
		out.WriteString(x.Removals.text())
	}
	if x.Ending != nil {
		out.WriteString(x.Ending.Text(ago))
	}
	out.WriteString(x.Unknown.text())
	return out.String()
}

func age(now, at time.Time) string { return duration.HumanDuration(now.Sub(at)) }
