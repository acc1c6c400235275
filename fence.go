package ownergraph

import (
	"maps"
	"slices"
	"time"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/policy"
)

// fenceTimeout is how long a fence may take that no sick kind holds, before
// another one is begun: its reports may have been lost with a watch. It doubles
// with each one that is given up, at most seven times, lest a watch that lags
// never passes one.
const fenceTimeout = 30 * time.Second

// fences follows the one fence that is under way. It is shared by all marks
// that were observed before it began, and begun only when something waits.
type fences struct {
	wanted  policy.Stamp // a fence that begins after this is wanted; 0: none
	since   time.Time    // since when somebody waits for one, or a little longer
	id      uint64       // the one under way, 0 for none
	last    uint64       // the last id given
	began   policy.Stamp
	started time.Time
	lost    int           // how many should have passed and were given up, in a row
	late    []Kind        // the first kinds that had not passed the last of these, sorted
	yielded int           // how many were held and gave way to a newer one, in a row
	open    map[Kind]bool // kinds that have still to pass it; "" is the set of kinds
	well    int           // how many of these are not sick
	passed  policy.Stamp  // when the newest one that has passed began
	set     policy.Stamp  // when the newest one that the set of kinds has passed began
	freed   policy.Stamp  // marks up to here may end without one: it took too long
	retry   time.Time     // do not begin another before this
	waiting []graph.NodeID
}

// due returns when the fence under way gives way to another: one that should
// have passed is taken for lost then; one that is held makes room for those that
// want a newer one, if only to be held by the same kinds.
func (f *fences) due(held bool) time.Time {
	if held {
		return f.started.Add(time.Second << min(f.yielded, 5))
	}
	return f.started.Add(fenceTimeout << min(f.lost, 7))
}

// wantFence asks for a fence that begins after the stamp.
func (e *Engine) wantFence(after policy.Stamp) {
	f := &e.fence
	if f.passed > after || f.id != 0 && f.began > after {
		return
	}
	if f.wanted == 0 && f.id == 0 {
		f.since = e.now
	}
	f.wanted = max(f.wanted, after)
}

// awaitFence has a key looked at again when the fence that it needs has passed:
// the key itself if its own end waits, otherwise the owners that it waits for,
// and with them all of their dependents.
func (e *Engine) awaitFence(id graph.NodeID, in policy.Input, d policy.Decision) {
	if len(d.Owners) == 0 {
		e.wantFence(in.Mark)
		e.wakeAtFence(id)
		return
	}
	for _, i := range d.Owners {
		if in.Owners[i].Class == graph.Dangling {
			e.wantFence(in.Known)
			k := e.kinds[in.Object.Owners[i].Kind]
			if k.waiting == nil {
				k.waiting = map[graph.NodeID]struct{}{}
				e.setKind(in.Object.Owners[i].Kind, k)
			}
			k.waiting[id] = struct{}{}
			return
		}
		e.wantFence(max(in.Known, in.Owners[i].Mark))
		e.wakeAtFence(e.ownerID(id, i))
	}
}

func (e *Engine) wakeAtFence(id graph.NodeID) {
	if m := e.edit(id); !m.AwaitsFence {
		m.AwaitsFence = true
		e.fence.waiting = append(e.fence.waiting, id)
	}
}

// wakeFence has everything looked at that waits for a fence. Ids of nodes that
// are gone may name others by now, which do not.
func (e *Engine) wakeFence() {
	e.stirGhosts()
	for _, id := range e.fence.waiting {
		if e.state(id).AwaitsFence {
			e.edit(id).AwaitsFence = false
			e.wakes = append(e.wakes, id)
		}
	}
	e.fence.waiting = nil
}

// released returns the moment up to which marks may end without a fence that
// has passed, as best effort.
func (e *Engine) released() policy.Stamp {
	if e.level >= Level2 {
		return e.fence.freed
	}
	if e.unseenKind() || e.loss.open { // what was seen may be of a history that is no more (R5)
		return 0
	}
	return e.seq.Last() + 1
}

// unseenKind reports whether there is a kind that takes part and that is not
// listed, or is sick, or whether no kind is known at all, or not all may be.
func (e *Engine) unseenKind() bool {
	return e.kindsLost || e.counted.unseen > 0 || e.counted.part == 0
}

// sickKind reports whether a kind that takes part cannot be watched, or may be unknown.
func (e *Engine) sickKind() bool {
	return e.kindsLost || e.counted.sick > 0
}

// fenceHeld reports whether only sick kinds have still to pass the fence, or,
// without fences, whether one keeps the deletion from being seen to its end.
func (e *Engine) fenceHeld() bool {
	if e.level < Level2 {
		return e.sickKind()
	}
	f := &e.fence
	return f.id != 0 && len(f.open) > 0 && f.well == 0
}

// nextFence makes c the call that begins a fence, if one is due. One that is
// under way serves only what was known before it began; one that is held gives
// way to a newer one.
func (e *Engine) nextFence(c *Call) bool {
	f := &e.fence
	if e.level < Level2 || e.now.Before(f.retry) {
		return false
	}
	if f.id != 0 {
		held := e.fenceHeld()
		if e.now.Before(f.due(held)) || held && f.wanted <= f.began {
			return false
		}
		if held {
			f.yielded++
		} else {
			e.loseFence()
		}
		e.voidFence()
	}
	if f.wanted == 0 || f.passed > f.wanted {
		return false
	}
	f.last++
	f.id, f.started = f.last, e.now
	f.open = map[Kind]bool{"": true}
	for name, k := range e.allKinds() {
		if k.part {
			f.open[name] = true
		}
	}
	if f.well = e.counted.part - e.counted.sick; !e.kindsLost {
		f.well++
	}
	*c = Call{Type: CallFence, Fence: f.id, Timeout: e.cfg.CallTimeout}
	f.began = e.launch(c, flight{fence: f.id})
	if f.began > f.wanted {
		f.wanted = 0
	}
	return true
}

// fenceDone takes the result of asking for a fence. Its passing comes through
// the watch.
func (e *Engine) fenceDone(id uint64, err error) {
	if err == nil || id != e.fence.id {
		return
	}
	e.cfg.Logger.Warn("fence failed", "err", err)
	wait, _ := retryIn(err)
	e.fence.retry = e.now.Add(max(wait, time.Second))
	e.voidFence()
}

// voidFence gives up the fence under way: another one has to begin.
func (e *Engine) voidFence() {
	f := &e.fence
	if f.id == 0 {
		return
	}
	f.wanted = max(f.wanted, f.began)
	f.id, f.open = 0, nil
}

// passFence takes the report that a kind has passed a fence (R7). A kind whose
// sweep is under way has passed only when that is over.
func (e *Engine) passFence(name Kind, id uint64) {
	f := &e.fence
	if id == 0 || id != f.id || !f.open[name] || name == "" && e.kindsLost {
		return
	}
	if k, ok := e.kinds[name]; ok {
		if k.damaged {
			return
		}
		if k.sweeping {
			k.pending = id
			e.setKind(name, k)
			return
		}
		e.wakes = append(e.wakes, slices.Sorted(maps.Keys(k.waiting))...)
		k.passed, k.waiting = f.began, nil
		e.stirGhosts()
		e.setKind(name, k)
	}
	if name == "" {
		f.set = f.began
		e.loss.set = max(e.loss.set, f.began)
	}
	e.loss.answered(f.began)
	f.well -= well(e.kinds[name])
	delete(f.open, name)
	switch {
	case len(f.open) == 0:
		f.passed, f.id, f.open = f.began, 0, nil
		f.lost, f.yielded = 0, 0
		f.since = f.started // who waits now has not done so for longer
		if f.passed > f.wanted {
			f.wanted = 0
		}
		e.counts.Fences++
		e.confirm()
		e.wakeFence()
	case e.fenceHeld(): // whoever can do without it should
		e.wakeFence()
	}
}

// freeFence lets deletions end that have waited for a fence for too long, if a
// setting says so.
func (e *Engine) freeFence() {
	f := &e.fence
	if e.cfg.FenceWait == 0 || f.id == 0 || !e.fenceHeld() || e.now.Before(f.since.Add(e.cfg.FenceWait)) {
		return
	}
	if f.freed < f.began {
		f.freed = f.began
		e.cfg.Logger.Warn("fence released", "kinds", slices.Sorted(maps.Keys(f.open)))
		e.wakeFence()
	}
}
