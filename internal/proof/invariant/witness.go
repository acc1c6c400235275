package invariant

import (
	"errors"
	"slices"
	"time"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/engine"
	"github.com/ownergraph/ownergraph/graph"
)

// Witness knows the events and results of one engine. It judges the requests of the
// engine by this knowledge alone, so a lucky guess is a breach. The caller gives it
// every event and every result before the engine, and every call as the engine
// hands it out. A Witness is not safe for concurrent use.
//
//test:by TestWitness
type Witness struct {
	level  ownergraph.Level
	absent bool // owners in another scope count as absent
	// Compares says that versions compare. A read may then confirm the events before a
	// loss. The witness does not follow that.
	Compares bool
	// Policies says that the policies of references act for the engine.
	Policies bool
	// Ignores is a kind that takes no part, or "". Its events are no evidence.
	Ignores graph.Kind

	now     uint64   // counts events, calls and results
	rewound uint64   // the last rewind
	learnt  bool     // an event has shown content of the store
	epochs  []string // the epochs of rewinds
	lost    uint64   // the last write without an answer, or broken watch
	replied uint64   // the begin of the newest call or listing with an answer
	set     uint64   // the last report of the set of kinds
	facts   map[graph.Key]fact
	shares  map[graph.UID]claim // by observed objects
	binds   map[graph.Key]bind  // by observed objects that restrict others
	kinds   map[graph.Kind]kind
	fences  []fence                 // the newest ones
	early   map[uint64][]graph.Kind // the kinds that have passed a token, before a call returned it
	begun   map[engine.CallID]uint64
	decided map[engine.CallID]uint64
	handled map[handling]uint64
	sum     uint64

	claims                                 // see Follow
	selects     selects                    // the knowledge of labels
	objects     map[graph.Key]graph.Object // the living objects, at their last event
	answers     map[graph.Key]answer       // the last read of each object (R1)
	goneHolders map[graph.Key]goneHolder
	sweepCalls  map[engine.CallID]bool // deletions for a holder
	// disputed has the last report of another holder's claim on an object.
	disputed map[dispute]uint64
}

// fact is the knowledge of one object. Each number is the time of the last report,
// or 0 for none.
type fact struct {
	here     bool // the last event was a put
	put      uint64
	came     uint64 // the begin of here
	dying    uint64 // the begin of its deletion
	gone     uint64 // by the watch
	missed   uint64 // by a read or a write
	asked    uint64 // the begin of the call of missed
	version  graph.Version
	known    uint64        // the begin of this version
	read     graph.Version // by the last read
	readAt   uint64
	waited   uint64
	orphaned uint64
	marked   uint64 // the begin of the present mark
	mark     graph.Propagation
	own      graph.Propagation // mark, as if nothing restricted the object
	owners   int
	sum      uint64
}

// claim is the number of observed objects with a UID. Since is the begin of two.
type claim struct {
	count int
	since uint64
}

type kind struct {
	served, listing       bool
	joined, begun, listed uint64 // listed: the begin of the last complete listing
	fenced                uint64 // the begin of the latest fence that the kind has passed
}

type fence struct {
	call   engine.CallID
	token  uint64 // 0 before the call has returned
	began  uint64
	passed []graph.Kind
}

type handling struct {
	key  graph.Key
	name string
}

const maxFences = 8

// NewWitness returns the witness of a new engine. If absent is true, owners in
// another scope count as absent by the engine's setting.
func NewWitness(level ownergraph.Level, absent bool) *Witness {
	w := &Witness{level: level, absent: absent}
	w.Reset()
	return w
}

// Reset makes it the witness of a new engine with the same settings.
func (w *Witness) Reset() {
	w.now, w.rewound, w.sum, w.fences = 0, 0, 0, w.fences[:0]
	w.learnt, w.epochs, w.lost, w.replied, w.set = false, nil, 0, 0, 0
	if w.facts == nil {
		w.facts, w.shares, w.kinds = map[graph.Key]fact{}, map[graph.UID]claim{}, map[graph.Kind]kind{}
		w.binds = map[graph.Key]bind{}
		w.begun, w.decided = map[engine.CallID]uint64{}, map[engine.CallID]uint64{}
		w.handled, w.early = map[handling]uint64{}, map[uint64][]graph.Kind{}
		return
	}
	clear(w.facts)
	clear(w.early)
	clear(w.shares)
	clear(w.binds)
	clear(w.kinds)
	clear(w.begun)
	clear(w.decided)
	clear(w.handled)
	clear(w.objects)
	clear(w.answers)
	clear(w.goneHolders)
	clear(w.sweepCalls)
	clear(w.disputed)
	w.selects.reset()
}

// Sum is a checksum of the objects in the engine's events, without their versions.
func (w *Witness) Sum() uint64 { return w.sum }

// Observed takes an event before the engine observes it.
func (w *Witness) Observed(e graph.Event) {
	if of := e.Of(); of != "" && of == w.Ignores {
		return
	}
	w.now++
	w.disputes()
	if !w.learnt {
		w.learnt = shows(e.Type)
	}
	switch e.Type {
	case graph.Put:
		if e.Object.Version != "" { // else the engine refuses it
			w.put(&e.Object)
		}
	case graph.Gone:
		if e.Key.UID != "" {
			w.gone(e.Key, false)
		}
	case graph.KindsKnown:
		w.served(e.Kinds)
		if w.level < ownergraph.Level2 {
			w.set = w.now
		}
	case graph.ListBegun:
		k := w.kinds[e.Kind]
		k.listing, k.begun = true, w.now
		w.kinds[e.Kind] = k
	case graph.ListEnded:
		w.listed(e.Kind)
	case graph.KindVanished:
		k := w.kinds[e.Kind]
		k.served, k.listing = false, false
		w.kinds[e.Kind] = k
		w.unbindKind(e.Kind)
	case graph.FencePassed:
		w.passed(e.Kind, e.Fence)
	case graph.Rewound:
		if !w.restored(e.Epoch) {
			return
		}
		w.rewound = w.now
		w.selects.reset()
		clear(w.answers)
	}
}

// shows reports whether an event shows content of the store.
func shows(t graph.EventType) bool {
	return t == graph.Put || t == graph.Gone || t == graph.ListBegun || t == graph.ListEnded || t == graph.Progress || t == graph.FencePassed
}

// restored reports whether a rewind drops evidence. Each epoch does so once. A rewind
// before the first content of the store drops none (R5).
func (w *Witness) restored(epoch string) bool {
	again := epoch != "" && slices.Contains(w.epochs, epoch)
	w.epochs = append(w.epochs, epoch)
	return w.learnt && !again
}

// Broke records that the watch broke. The earlier events may be of a history that a
// restore has undone (R5).
func (w *Witness) Broke() {
	w.now++
	w.lost = w.now
}

// passed takes the report that a kind has passed a fence. A token that no call has
// returned yet waits for its call.
func (w *Witness) passed(name graph.Kind, token uint64) {
	waits := false
	for i := range w.fences {
		f := &w.fences[i]
		waits = waits || f.token == 0
		if token != 0 && f.token == token {
			f.passed = append(f.passed, name)
			w.fenced(name, f.began)
			if name == "" {
				w.set = max(w.set, f.began)
			}
			w.replied = max(w.replied, f.began)
			return
		}
	}
	if waits {
		w.early[token] = append(w.early[token], name)
	}
}

// named takes the result of the call for a fence.
func (w *Witness) named(id engine.CallID, r engine.Result) {
	i := slices.IndexFunc(w.fences, func(f fence) bool { return f.call == id })
	switch {
	case i < 0:
	case r.Err != nil:
		w.fences = slices.Delete(w.fences, i, i+1)
	default:
		w.fences[i].token = r.Fence
		early := w.early[r.Fence]
		delete(w.early, r.Fence)
		for _, name := range early {
			w.passed(name, r.Fence)
		}
	}
	if !slices.ContainsFunc(w.fences, func(f fence) bool { return f.token == 0 }) {
		clear(w.early)
	}
}

// fenced records that a kind has passed a fence.
func (w *Witness) fenced(name graph.Kind, began uint64) {
	if k := w.kinds[name]; name != "" && began > k.fenced {
		k.fenced = began
		w.kinds[name] = k
	}
}

// Refused takes an event that the engine refused, as the rules demand. The listing
// under way proves no absence then.
func (w *Witness) Refused(e graph.Event) {
	k := w.kinds[e.Of()]
	k.listing = false
	w.kinds[e.Of()] = k
}

func (w *Witness) put(o *graph.Object) {
	f := w.facts[o.Key]
	if !f.here {
		w.claim(o.UID, 1)
	}
	w.sum ^= f.sum
	f.sum = Sum(o)
	w.sum ^= f.sum
	f.own = graph.Unset
	if o.Deleting && !o.MarkWithheld() {
		f.own = o.Propagation()
	}
	mark := f.own
	if mark != graph.Unset && w.restricted(o.Key, w.now) {
		mark = graph.Unset
	}
	if f.mark != mark || !f.here || f.put <= w.rewound {
		f.marked, f.mark = w.now, mark
	}
	if !f.here {
		f.came = w.now
	}
	if !f.here || f.put <= w.rewound {
		f.dying = 0
	}
	if o.Deleting && f.dying == 0 {
		f.dying = w.now
	}
	if !f.here || f.version != o.Version || f.put <= w.rewound {
		first := w.now
		if f.here && f.read == o.Version && f.readAt > w.rewound { // the read after a conflict was faster (R1)
			first = f.readAt
		}
		f.version, f.known = o.Version, first
	}
	f.here, f.put, f.owners = true, w.now, len(o.Owners)
	f.missed = 0 // the absence of a read is void (R2)
	w.role(&f, mark)
	w.note(o)
	w.facts[o.Key] = f
	w.bind(o)
}

func (w *Witness) role(f *fact, mark graph.Propagation) {
	switch mark {
	case graph.Foreground:
		f.waited = w.now
	case graph.Orphan:
		f.orphaned = w.now
	}
}

func (w *Witness) gone(k graph.Key, listing bool) {
	f := w.facts[k]
	if f.here {
		w.claim(k.UID, -1)
		w.sum ^= f.sum
	}
	f.here, f.gone, f.sum, f.owners = false, w.now, 0, 0
	w.facts[k] = f
	w.unbind(k)
	w.holderGone(k, listing)
}

func (w *Witness) claim(u graph.UID, n int) {
	c := w.shares[u]
	if c.count += n; c.count == 2 && n > 0 {
		c.since = w.now
	}
	if c.count == 0 {
		delete(w.shares, u)
		return
	}
	w.shares[u] = c
}

func (w *Witness) served(infos []graph.KindInfo) {
	for name, k := range w.kinds {
		if !slices.ContainsFunc(infos, func(i graph.KindInfo) bool { return i.Kind == name }) {
			k.served, k.listing = false, false
			w.kinds[name] = k
		}
	}
	for _, i := range infos {
		if k := w.kinds[i.Kind]; !k.served {
			k.served, k.joined = true, w.now
			w.kinds[i.Kind] = k
		}
	}
}

// listed ends a listing. Earlier objects that it did not bring are gone.
func (w *Witness) listed(name graph.Kind) {
	k := w.kinds[name]
	if !k.listing {
		return
	}
	k.listing, k.listed = false, k.begun
	w.replied = max(w.replied, k.begun)
	w.kinds[name] = k
	for key, f := range w.facts {
		if key.Kind == name && f.put != 0 && f.put < k.begun {
			w.gone(key, true)
		}
	}
}

// Decided records the time of the decision that a call carries out.
func (w *Witness) Decided(id engine.CallID) { w.decided[id] = w.now }

// Answered takes a result before the engine takes it.
func (w *Witness) Answered(c engine.Call, r engine.Result) {
	w.now++
	began := w.begun[c.ID]
	delete(w.begun, c.ID)
	delete(w.decided, c.ID)
	if c.Type == engine.CallFence {
		w.named(c.ID, r)
		return
	}
	if errors.Is(r.Err, ownergraph.ErrNotBegun) {
		return
	}
	switch c.Type {
	case engine.CallHandle:
		if r.Err == nil {
			w.handled[handling{c.Key, c.Finalizer}] = began
		}
		return
	case engine.CallSelect:
		w.disputes()
		if began > w.rewound {
			w.selected(c.Select, r, began)
		}
		return
	case engine.CallRead, engine.CallPatch, engine.CallDelete:
	default:
		return
	}
	if began <= w.rewound {
		return
	}
	if unknown := c.Type != engine.CallRead && unknownOutcome(r.Err); unknown {
		w.lost = w.now
	}
	if c.Type == engine.CallRead && (r.Err == nil || errors.Is(r.Err, graph.ErrNotFound)) {
		w.replied = max(w.replied, began)
	}
	if c.Type == engine.CallRead && r.Err == nil && w.answers != nil {
		w.answers[c.Key] = answer{r.Object, w.now}
	}
	f := w.facts[c.Key]
	switch {
	case errors.Is(r.Err, graph.ErrNotFound), c.Type == engine.CallRead && r.Err == nil && r.Object.UID != c.Key.UID:
		if f.put <= began { // else the watch has shown the object meanwhile
			f.missed, f.asked = w.now, began
		}
	case c.Type == engine.CallRead && r.Err == nil:
		f.read, f.readAt = r.Object.Version, w.now
		if r.Object.Deleting && !r.Object.MarkWithheld() && !w.restricted(c.Key, w.now) {
			w.role(&f, r.Object.Propagation())
		}
	default:
		return
	}
	w.facts[c.Key] = f
}

// unknownOutcome reports whether the store may have committed a write with this answer.
func unknownOutcome(err error) bool {
	for _, known := range [...]error{nil, graph.ErrNotFound, graph.ErrConflict, graph.ErrRefused, graph.ErrKindUnknown} {
		if errors.Is(err, known) {
			return false
		}
	}
	var later interface{ RetryAfter() time.Duration }
	return !errors.As(err, &later)
}

// Phantoms takes the numbers of nodes and of observed objects of an engine at rest.
// It returns a breach if the graph has more unobserved owners than the events have
// references.
func (w *Witness) Phantoms(nodes, objects int) error {
	refs := 0
	for _, f := range w.facts {
		refs += f.owners
	}
	if nodes-objects > refs {
		return &Breach{Rule: "S9", Object: graph.Key{Name: "phantoms"}, text: "%[1]s: the graph has more of them than the objects have references"}
	}
	return nil
}
