package cli

import (
	"context"
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/ownergraph/ownergraph/engine"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/live"
	"github.com/ownergraph/ownergraph/internal/printing"
	"github.com/ownergraph/ownergraph/internal/terminal"
	"github.com/ownergraph/ownergraph/policy"
)

func (a *app) followCommand() *cobra.Command {
	var w waitFlags
	cmd := &cobra.Command{
		Use:   "follow OBJECT",
		Short: "Watch a deletion while it goes on",
		Long: `Watch the deletion of an object in a live store or a cluster, until the object and everything
below it are gone. The command only observes: the collector of the store does the work. An object
that has no deletion mark yet is waited for, as long as --patience allows.

-o json prints a line for each change, and "end" in the last one.

Exit code 3: objects are held, or nothing has changed for the time of --patience.`,
		Example: a.examples("follow --store sqlite:app.db tenant/blue", "follow --store etcd://127.0.0.1:2379 --global-kind team --kind project team/red --patience 5m",
			"", "follow deploy/cart -n shop --patience 5m"),
		Args: a.wantsObject,
		RunE: func(cmd *cobra.Command, args []string) error {
			ctx, stop := live.Interruptible(cmd.Context())
			defer stop()
			return a.onStore(ctx, args, nil, func(ctx context.Context, s *site) error {
				return s.follow(ctx, s.objects[0].Key, w.patience)
			})
		},
	}
	a.addLive(cmd)
	a.addFormat(cmd, printing.Plain())
	w.add(cmd)
	return cmd
}

// follow shows the progress of a deletion until its end, or until nothing has changed for
// some time. Then it lists the held objects, and returns printing.ErrFound.
//
//test:by TestFollow TestFollowHeld
func (s *site) follow(ctx context.Context, key graph.Key, patience time.Duration) error {
	f := s.app.follower(s)
	f.Patience = patience
	if s.acting != nil {
		f.Made = 1 // the deletion of the object itself
	}
	return followed(f.Follow(ctx, key))
}

// followed returns printing.ErrFound for a deletion that has not ended.
func followed(done bool, err error) error {
	if err == nil && !done {
		return printing.ErrFound
	}
	return err
}

// follower shows a deletion as text, or as lines of JSON.
func (a *app) follower(s *site) *live.Follower {
	f := &live.Follower{Collector: s.Collector, Out: terminal.New(a.stdout), Notes: a.stderr, Acting: s.acting}
	if a.format == printing.JSON {
		f.Out, f.Notes = terminal.New(io.Discard), io.Discard
		f.Lines = func(p engine.Progress, end live.End) error {
			return a.printer().JSONLine(newJSONProgress(p, end, a.now()))
		}
	}
	return f
}

// jsonProgress is one line of the form follow/v1.
type jsonProgress struct {
	Schema  string    `json:"schema"`
	At      time.Time `json:"at"`
	Root    jsonKey   `json:"root"`
	Begun   bool      `json:"begun"`
	Known   int       `json:"known"`
	Gone    int       `json:"gone"`
	Left    int       `json:"left"`
	Held    int       `json:"held"`
	Blocked int       `json:"blocked"`
	// References counts the references that an orphan deletion drops, and Dropped those that have gone.
	References int        `json:"references,omitempty"`
	Dropped    int        `json:"dropped,omitempty"`
	Growing    bool       `json:"growing,omitempty"`
	By         []jsonWait `json:"by,omitempty"` // some of the held and blocked objects
	// End is that of the last line: "done", "quiet" or "deadline".
	End string `json:"end,omitempty"`
}

// jsonWait is a held object with the code of its reason.
type jsonWait struct {
	Key    jsonKey       `json:"key"`
	Reason policy.Reason `json:"reason"`
	Causes []string      `json:"causes,omitempty"`
	Error  string        `json:"error,omitempty"`
}

func newJSONProgress(p engine.Progress, end live.End, now time.Time) jsonProgress {
	out := jsonProgress{Schema: "follow/v1", At: now.UTC(), Root: jsonKey(p.Root), Begun: p.Begun, Known: p.Known, Gone: p.Gone, Left: p.Left, Held: p.Held, Blocked: p.Blocked, References: p.References, Dropped: p.Dropped,
		Growing: p.Growing, End: end.String()}
	for _, h := range p.By {
		out.By = append(out.By, jsonWait{jsonKey(h.Key), h.Reason, h.Detail, h.LastError})
	}
	return out
}
