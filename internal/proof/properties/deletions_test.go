package properties

import (
	"fmt"
	"slices"

	"github.com/ownergraph/ownergraph/engine"
	"github.com/ownergraph/ownergraph/explain"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/proof/world"
)

// deleted is a delete that succeeded for an engine.
type deleted struct {
	engine *engine.Engine
	call   engine.Call
	began  bool // the delete began the deletion of its object
}

// followDeletes keeps the deletes of the engines, and the commit at which the deletion of
// each object began.
func (h *history) followDeletes() {
	h.w.OnCommit = func(ev graph.Event) {
		h.commits++
		k := ev.Key
		if ev.Type == graph.Put {
			k = ev.Object.Key
		}
		if _, known := h.ending[k]; !known && (ev.Type == graph.Gone || ev.Object.Deleting) {
			h.ending[k] = h.commits
		}
	}
	for _, o := range h.start {
		if o.Deleting {
			h.ending[o.Key] = 0
		}
	}
	h.w.OnAnswer = func(side int, c engine.Call, r engine.Result) {
		if c.Type == engine.CallDelete && r.Err == nil {
			h.deletes = append(h.deletes, deleted{h.w.Sides[side].Engine, c, h.ending[c.Key] == h.commits})
		}
	}
}

// proven checks X4 and "Root" at rest: the explanation of each object that an engine deleted
// has the version of a call, and owners that were all absent or waiting. The deletion of
// each known root began before. An object that the delete has marked or removed is no root of
// its own. A restore makes a history that no order of commits describes.
func (h *history) proven() error {
	if h.restored {
		return nil
	}
	for _, d := range h.deletes {
		left := slices.ContainsFunc(h.w.Store.Objects(), func(o graph.Object) bool { return o.Key == d.call.Key })
		current := slices.ContainsFunc(h.w.Sides, func(s *world.Side) bool { return s.Engine == d.engine })
		if left || !current {
			continue
		}
		if err := h.provenOne(d); err != nil {
			return fmt.Errorf("X4: %s: %w", d.call.Key, err)
		}
	}
	return nil
}

func (h *history) provenOne(d deleted) error {
	x, err := d.engine.Explain(d.call.Key)
	switch {
	case err != nil:
		return err
	case x.State != explain.Gone || x.Deletion == nil || x.Deletion.Proof == nil:
		return fmt.Errorf("the engine has deleted it, and explains it as %+v", x)
	}
	p, root := x.Deletion.Proof, x.Deletion.Root
	if !slices.ContainsFunc(h.deletes, func(e deleted) bool {
		return e.engine == d.engine && e.call.Key == d.call.Key && e.call.Options.Precondition.Version == p.Version
	}) {
		return fmt.Errorf("the proof is about version %s, which no call carried", p.Version)
	}
	for _, o := range p.Owners {
		if !o.Self && (o.Class != explain.Dangling && o.Class != explain.Waiting || o.Evidence == explain.EvidenceUnset) {
			return fmt.Errorf("its owner %s is %s by %q", o.Owner.Key, o.Class, o.Evidence)
		}
	}
	if len(root.Keys) == 0 && !root.Nearest {
		return fmt.Errorf("it has no root: %+v", root)
	}
	for _, k := range root.Keys {
		if began, ok := h.ending[k]; !root.Nearest && (!ok || began > h.ending[d.call.Key] || d.began && k == d.call.Key) {
			return fmt.Errorf("its root %s was deleted at commit %d (%t), and it at %d", k, began, ok, h.ending[d.call.Key])
		}
	}
	return nil
}
