package sim

import (
	"hash/fnv"
	"io"
	"time"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/engine"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/proof/world"
)

// recorder hashes the observable behaviour of the engines of one history, line by line.
// A line has numbers and the texts of the store. It has no name of the engine, and
// no text of a reason or an error. It replaces each CallID and token by an order
// number. So the inner structure of an engine does not change its lines.
type recorder struct {
	hash  uint64
	out   io.Writer // gets the lines too; may be nil
	lines line
	over  bool // what follows is not recorded

	calls   map[call]int // the decision that the call carries out
	decided int          // decisions so far
	fences  map[fence]int
	begun   int // the number of the last fence
	world   *world.World
}

// call and fence name one call and one fence of one engine.
type (
	call struct {
		side int
		id   engine.CallID
	}
	fence struct {
		side  int
		token uint64
	}
)

func newRecorder(out io.Writer) *recorder {
	return &recorder{hash: fnv.New64a().Sum64(), out: out, calls: map[call]int{}, fences: map[fence]int{}}
}

// end hashes the line and begins the next one.
func (r *recorder) end() {
	if r.over {
		r.lines = r.lines[:0]
		return
	}
	r.lines = append(r.lines, '\n')
	h := r.hash
	for _, b := range r.lines {
		h = (h ^ uint64(b)) * 1099511628211 // FNV-1a
	}
	r.hash = h
	if r.out != nil {
		_, _ = r.out.Write(r.lines)
	}
	r.lines = r.lines[:0]
}

// configure records the decisions of each engine of the settings.
func (r *recorder) configure(cfgs []ownergraph.Config) {
	for side := range cfgs {
		inner := cfgs[side].OnDecision
		cfgs[side].OnDecision = func(d engine.DecisionEvent) {
			r.decision(side, d)
			if inner != nil {
				inner(d)
			}
		}
	}
}

// watch records the events, calls, results and wake times of a world.
func (r *recorder) watch(w *world.World) {
	r.world = w
	event, handed, answer := w.OnEvent, w.OnCall, w.OnAnswer
	w.OnEvent = func(side int, ev graph.Event) {
		r.event(side, ev)
		event(side, ev)
	}
	w.OnCall = func(side int, c engine.Call) {
		r.call(side, c)
		handed(side, c)
	}
	w.OnAnswer = func(side int, c engine.Call, res engine.Result) {
		r.result(side, c, res)
		answer(side, c, res)
	}
	w.OnWake = func(side int, lane engine.Lane, at time.Time) {
		r.wake(side, lane, at)
	}
}

// fence returns the order number of a fence among those that its engine began.
func (r *recorder) fence(side int, token uint64) int { return r.fences[fence{side, token}] }

func (r *recorder) step(s *sim, st step) {
	l := r.lines.word("step").num(s.at).num(int(st.op)).num(int(st.side)).num(int(st.kind)).num(int(st.number))
	l = l.num(int(st.fault)).num(int(st.lane)).num(int(st.pass)).text(string(st.labels)).time(s.w.Now)
	if st.action != nil {
		l = l.num(int(st.action.Verb)).object(st.action.Object)
	}
	if st.op == opBrake {
		l = l.num(int(st.answer))
	}
	if st.share != nil {
		l = l.text(st.share.set.String()).num(st.share.set.Len()).num(int(st.share.lasts))
	}
	if st.op == opBatch {
		l = l.num(int(st.end)).num(int(st.item))
	}
	r.lines = l
	r.end()
}

func (r *recorder) event(side int, ev graph.Event) {
	l := r.lines.word("event").num(side).num(int(ev.Type)).text(string(ev.Kind)).text(string(ev.Version))
	switch ev.Type {
	case graph.Put:
		l = l.object(ev.Object)
	case graph.Gone:
		l = l.key(ev.Key)
	case graph.FencePassed:
		l = l.num(r.fence(side, ev.Fence))
	case graph.KindsKnown:
		for _, k := range ev.Kinds {
			l = l.text(string(k.Kind)).flags(k.Scoped, k.NoOwner, k.Unwatched)
		}
	case graph.Rewound:
		l = l.text(ev.Epoch)
	}
	r.lines = l
	r.end()
}

func (r *recorder) call(side int, c engine.Call) {
	id := call{side, c.ID}
	if c.Type == engine.CallFence {
		r.begun = len(r.fences) + 1
		r.fences[fence{side, r.world.Sides[side].Token}] = r.begun
	}
	l := r.lines.word("call").num(side).num(int(c.Type)).num(r.calls[id]).key(c.Key).num(int(c.Timeout))
	delete(r.calls, id)
	switch c.Type {
	case engine.CallPatch:
		l = l.precondition(c.Precondition).change(c.Change)
	case engine.CallDelete:
		l = l.precondition(c.Options.Precondition).num(int(c.Options.Propagation)).seconds(c.Options.GraceSeconds)
	case engine.CallFence:
		l = l.num(r.begun)
	case engine.CallList:
		l = l.text(string(c.Kind))
	case engine.CallHandle:
		l = l.text(c.Finalizer).object(c.Object)
	case engine.CallSelect:
		q := c.Select
		l = l.text(string(q.Kind)).text(q.Selector).text(q.Label).num(q.Limit).text(q.After)
	}
	r.lines = l
	r.end()
}

func (r *recorder) result(side int, c engine.Call, res engine.Result) {
	l := r.lines.word("result").num(side).num(int(c.Type)).key(c.Key).failure(res.Err).object(res.Object)
	for _, o := range res.Selected.Objects {
		l = l.key(o.Key).text(string(o.Version)).text(o.Value)
	}
	r.lines = l.text(res.Selected.More)
	r.end()
}

func (r *recorder) wake(side int, lane engine.Lane, at time.Time) {
	r.lines = r.lines.word("wake").num(side).num(int(lane)).time(at)
	r.end()
}

func (r *recorder) decision(side int, d engine.DecisionEvent) {
	r.decided++
	if d.Call != 0 {
		r.calls[call{side, d.Call}] = r.decided
	}
	l := r.lines.word("decision").num(side).num(r.decided).flags(d.Call != 0, d.BestEffort).key(d.Key).text(string(d.Version))
	l = l.num(int(d.Action)).num(int(d.Reason)).num(int(d.Doubt)).num(int(d.Barred))
	l = l.num(int(d.Propagation)).seconds(d.GraceSeconds).text(d.Finalizer).key(d.Holder).owners(d.Owners)
	for _, i := range d.Decision.Owners {
		l = l.num(i)
	}
	if d.Sweep != nil {
		l = l.sweep(*d.Sweep)
	}
	r.lines = l
	r.end()
}

// rest records the store, and the reports of each engine.
func (r *recorder) rest(s *sim) {
	objects, labels := s.w.Store.Objects(), s.w.Store.Labels()
	for _, o := range objects {
		l := r.lines.word("object").object(o)
		for _, name := range []string{tenantLabel, keepLabel} {
			value, ok := labels[o.Key][name]
			l = l.flags(ok).text(value)
		}
		r.lines = l
		r.end()
	}
	for i, side := range s.w.Sides {
		for _, h := range side.Engine.Held(len(objects)) {
			l := r.lines.word("held").num(i).key(h.Key).num(int(h.Status)).num(int(h.Reason)).num(int(h.Doubt))
			r.lines = l.num(len(h.Detail)).time(h.Since)
			r.end()
		}
		for _, x := range side.Engine.Sweeps(len(objects) + 8) {
			r.lines = r.lines.word("sweep").num(i).sweep(x)
			r.end()
		}
	}
	r.lines = r.lines.word("rest").time(s.w.Now).num(s.costs())
	r.end()
}

// sum returns the digest of a history that ended with an error, or with none.
func (r *recorder) sum(broken error) uint64 {
	if broken != nil {
		r.lines = r.lines.word("broken").text(rule(broken))
		r.end()
	}
	return r.hash
}
