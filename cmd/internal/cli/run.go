package cli

import (
	"context"
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/engine"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/live"
	"github.com/ownergraph/ownergraph/internal/offline"
	"github.com/ownergraph/ownergraph/internal/printing"
	"github.com/ownergraph/ownergraph/internal/terminal"
	"github.com/ownergraph/ownergraph/policy"
)

func (a *app) runCommand() *cobra.Command {
	var p planFlags
	cmd := &cobra.Command{
		Use:   "run [OBJECT...]",
		Short: "Carry deletions out on a copy in memory",
		Long: `Carry the deletions of objects of a dump or a store out on a copy in memory, one after another. It
shows the deleted objects, the remaining objects and the reasons, and compares them with the plans.
The dump or the store stays as it is.

Exit code 3: an object that the deletions are about is held at the end. These are the objects
themselves, and those below them. Without an object, each held object counts.`,
		Example: a.examples("run -f all.json deploy/shop/cart statefulset/data/kafka", "run -f all.json job/batch/reindex --cascade foreground",
			"", "run -f all.json deploy/shop/cart"),
		RunE: func(cmd *cobra.Command, args []string) error {
			began := time.Now()
			switch from, err := a.origin(); {
			case err != nil:
				return err
			case from == ofCluster:
				return printing.UsageError("want a dump with -f, or a store with --store: a cluster is not copied")
			}
			c, err := a.load(cmd.Context())
			if err != nil {
				return err
			}
			objects, err := c.find(args, a.scope())
			if err != nil {
				return err
			}
			ctx, stop := live.Interruptible(cmd.Context())
			defer stop()
			return a.carryOut(ctx, &c, p.deletions(objects), began)
		},
	}
	a.addSource(cmd)
	a.addFormat(cmd, printing.Plain())
	p.add(cmd)
	return cmd
}

func (p *planFlags) deletions(objects []graph.Object) (list []live.Deletion) {
	for _, o := range objects {
		list = append(list, live.Deletion{Key: o.Key, Propagation: p.of(o)})
	}
	return list
}

// carryOut carries the deletions out on a copy.
func (a *app) carryOut(ctx context.Context, c *content, todo []live.Deletion, began time.Time) error {
	copied, err := c.offline().Copy()
	if err != nil {
		return err
	}
	out := a.stdout
	if a.format == printing.JSON {
		out = io.Discard
	}
	why := &live.Reasons{}
	cfg := ownergraph.Config{OnDecision: why.Note, Level: c.level, Policies: c.policies}
	return offline.Collect(ctx, copied, cfg, func(ctx context.Context, of *ownergraph.Collector) error {
		s := &live.Session{Store: copied, Collector: of, Reasons: why, Out: terminal.New(out), Began: began}
		if err := s.Play(ctx, c.Content, todo); err != nil {
			return err
		}
		if a.format == printing.JSON {
			if err := a.printer().JSON(newJSONRun(s, c.Objects, todo)); err != nil {
				return err
			}
		}
		if len(s.HeldOf(c.Objects, todo)) > 0 {
			return printing.ErrFound
		}
		return nil
	})
}

// jsonRun is the form run/v1. The lists are by key.
type jsonRun struct {
	Schema    string         `json:"schema"`
	Deletions []jsonDeletion `json:"deletions"`
	Before    int            `json:"before"` // the number of objects
	Gone      []jsonEnd      `json:"gone"`
	Remaining []graph.Object `json:"remaining"`
	Held      []jsonHeld     `json:"held"`
}

// jsonHeld is a held or blocked object with its reason. The deletions are about an asked one.
type jsonHeld struct {
	jsonEnd
	Blocked bool `json:"blocked,omitempty"`
	Asked   bool `json:"asked"`
}

type jsonDeletion struct {
	Key         jsonKey `json:"key"`
	Propagation string  `json:"propagation"`
}

// jsonEnd is an object with a reason, as a code and as text. The user's deletion has none, and the work
// of another actor has no code.
type jsonEnd struct {
	Key    jsonKey `json:"key"`
	Code   string  `json:"code,omitempty"`
	Reason string  `json:"reason,omitempty"`
}

func codeOf(r policy.Reason) string {
	if r == policy.ReasonUnset {
		return ""
	}
	return r.Code()
}

type jsonKey struct {
	Kind  graph.Kind `json:"kind"`
	Scope string     `json:"scope,omitempty"`
	Name  string     `json:"name"`
	UID   graph.UID  `json:"uid"`
}

func newJSONRun(s *live.Session, before []graph.Object, todo []live.Deletion) jsonRun {
	r := jsonRun{Schema: "run/v1", Deletions: []jsonDeletion{}, Before: len(before), Gone: []jsonEnd{}, Remaining: s.Store.Objects(), Held: []jsonHeld{}}
	for _, d := range todo {
		r.Deletions = append(r.Deletions, jsonDeletion{jsonKey(d.Key), d.Propagation.String()})
	}
	stays := make(map[graph.Key]bool, len(r.Remaining))
	for i := range r.Remaining {
		stays[r.Remaining[i].Key] = true
		r.Remaining[i].Version = "" // that of the copy means nothing outside
	}
	for _, o := range before {
		if !stays[o.Key] {
			r.Gone = append(r.Gone, jsonEnd{jsonKey(o.Key), codeOf(s.Reasons.Code(o.Key)), s.Reasons.Of(o.Key)})
		}
	}
	asked := map[graph.Key]bool{}
	for _, h := range s.HeldOf(before, todo) {
		asked[h.Key] = true
	}
	for _, h := range s.Held() {
		r.Held = append(r.Held, jsonHeld{jsonEnd{jsonKey(h.Key), codeOf(h.Reason), live.Explain(h)}, h.Status == engine.StatusBlocked, asked[h.Key]})
	}
	return r
}
