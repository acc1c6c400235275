package invariant

import (
	"errors"
	"slices"
	"time"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
)

// Witness knows what one engine has been told, and judges what the engine asks
// for by that alone: what turns out well by luck is a breach here. It is told of
// every event before the engine is, of every call as it is handed out, and of
// every result. It is not safe for concurrent use.
//
// Held by TestWitness.
type Witness struct {
	level  ownergraph.Level
	absent bool // owners in another scope are absent
	// Compares says that versions compare. A read may then confirm what the watch said
	// before a loss, which the witness does not follow.
	Compares bool
	// Ignores is a kind that takes no part, if there is one: its events are no evidence.
	Ignores graph.Kind

	now     uint64 // counts what is told
	rewound uint64
	learnt  bool     // something of what the store holds was told
	epochs  []string // of rewinds that were told
	lost    uint64   // the last write without an answer, or watch that broke
	replied uint64   // when the newest call or listing began that the store has answered
	set     uint64   // when the store last said which kinds there are
	facts   map[graph.Key]fact
	shares  map[graph.UID]claim // by observed objects
	kinds   map[graph.Kind]kind
	fences  []fence // the newest ones
	begun   map[ownergraph.CallID]uint64
	decided map[ownergraph.CallID]uint64
	handled map[handling]uint64
	sum     uint64

	claims                             // see Follow
	selects selects                    // what was said of labels
	objects map[graph.Key]graph.Object // that are there, as they were told last
	answers map[graph.Key]answer       // what the last read of each showed (R1)
	parted  map[graph.Key]parting      // holders that are gone
	swept   map[ownergraph.CallID]bool // what is deleted for a holder
	// disputed says when somebody else was last told to have a claim on an object.
	disputed map[dispute]uint64
}

// fact is what is known of one object. Each number says when it was told last,
// 0 for never.
type fact struct {
	here     bool // it was put, and not taken away since
	put      uint64
	came     uint64 // since when it is here
	dying    uint64 // since when it is deleted
	gone     uint64 // by the watch
	missed   uint64 // by a read or a write
	asked    uint64 // when that began
	version  graph.Version
	known    uint64 // since when it has this version
	waited   uint64
	orphaned uint64
	marked   uint64 // since when its mark is the same
	mark     graph.Propagation
	owners   int
	sum      uint64
}

// claim is how many observed objects have a UID, and since when more than one.
type claim struct {
	count int
	since uint64
}

type kind struct {
	served, listing       bool
	joined, begun, listed uint64 // listed: when the last complete listing began
	fenced                uint64 // when the latest fence began that it has passed
}

type fence struct {
	id     uint64
	began  uint64
	passed []graph.Kind
}

type handling struct {
	key  graph.Key
	name string
}

const mostFences = 8

// NewWitness returns the witness of a new engine. Absent says that owners in
// another scope are absent by the engine's setting.
func NewWitness(level ownergraph.Level, absent bool) *Witness {
	w := &Witness{level: level, absent: absent}
	w.Reset()
	return w
}

// Reset makes it the witness of a new engine of the same settings.
func (w *Witness) Reset() {
	w.now, w.rewound, w.sum, w.fences = 0, 0, 0, w.fences[:0]
	w.learnt, w.epochs, w.lost, w.replied, w.set = false, nil, 0, 0, 0
	if w.facts == nil {
		w.facts, w.shares, w.kinds = map[graph.Key]fact{}, map[graph.UID]claim{}, map[graph.Kind]kind{}
		w.begun, w.decided = map[ownergraph.CallID]uint64{}, map[ownergraph.CallID]uint64{}
		w.handled = map[handling]uint64{}
		return
	}
	clear(w.facts)
	clear(w.shares)
	clear(w.kinds)
	clear(w.begun)
	clear(w.decided)
	clear(w.handled)
	clear(w.objects)
	clear(w.answers)
	clear(w.parted)
	clear(w.swept)
	clear(w.disputed)
	w.selects.reset()
}

// Sum stands for the objects as the engine was told of them, without versions.
func (w *Witness) Sum() uint64 { return w.sum }

// Told takes an event that the engine is about to observe.
func (w *Witness) Told(e graph.Event) {
	if of := e.Of(); of != "" && of == w.Ignores {
		return
	}
	w.now++
	w.disputes()
	if !w.learnt {
		w.learnt = tells(e.Type)
	}
	switch e.Type {
	case graph.Put:
		if e.Object.Version != "" { // else it will be refused
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
	case graph.FencePassed:
		for i := range w.fences {
			if w.fences[i].id == e.Fence {
				w.fences[i].passed = append(w.fences[i].passed, e.Kind)
				w.fenced(e.Kind, w.fences[i].began)
				if e.Kind == "" {
					w.set = max(w.set, w.fences[i].began)
				}
				w.replied = max(w.replied, w.fences[i].began)
			}
		}
	case graph.Rewound:
		if !w.restored(e.Epoch) {
			return
		}
		w.rewound = w.now
		w.selects.reset()
		clear(w.answers)
	}
}

// tells reports whether an event says anything of what the store holds.
func tells(t graph.EventType) bool {
	return t == graph.Put || t == graph.Gone || t == graph.ListBegun || t == graph.ListEnded || t == graph.Progress || t == graph.FencePassed
}

// restored reports whether a rewind takes evidence back: each epoch does so once, and
// none where nothing was told before (R5).
func (w *Witness) restored(epoch string) bool {
	again := epoch != "" && slices.Contains(w.epochs, epoch)
	w.epochs = append(w.epochs, epoch)
	return w.learnt && !again
}

// Broke notes that the watch broke: what was told before may be of a history that is no
// more (R5).
func (w *Witness) Broke() {
	w.now++
	w.lost = w.now
}

// fenced notes that a kind has passed a fence.
func (w *Witness) fenced(name graph.Kind, began uint64) {
	if k := w.kinds[name]; name != "" && began > k.fenced {
		k.fenced = began
		w.kinds[name] = k
	}
}

// Refused takes an event that the engine refused, as it has to: the listing that it
// was part of proves nothing.
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
	mark := graph.Unset
	if o.Deleting {
		mark = o.Propagation()
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
		f.version, f.known = o.Version, w.now
	}
	f.here, f.put, f.owners = true, w.now, len(o.Owners)
	f.missed = 0 // absence that a read found is void (R2)
	w.role(&f, mark)
	w.note(o)
	w.facts[o.Key] = f
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
	w.part(k, listing)
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

// listed ends a listing: what it did not bring, and was there once, is gone.
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

// Decided notes when the engine made the decision that a call carries out.
func (w *Witness) Decided(id ownergraph.CallID) { w.decided[id] = w.now }

// Answered takes a result that the engine is about to be told.
func (w *Witness) Answered(c ownergraph.Call, r ownergraph.Result) {
	w.now++
	began := w.begun[c.ID]
	delete(w.begun, c.ID)
	delete(w.decided, c.ID)
	switch c.Type {
	case ownergraph.CallHandle:
		if r.Err == nil {
			w.handled[handling{c.Key, c.Finalizer}] = began
		}
		return
	case ownergraph.CallSelect:
		w.disputes()
		if began > w.rewound {
			w.selected(c.Select, r, began)
		}
		return
	case ownergraph.CallRead, ownergraph.CallPatch, ownergraph.CallDelete:
	default:
		return
	}
	if began <= w.rewound {
		return
	}
	if unknown := c.Type != ownergraph.CallRead && unknownOutcome(r.Err); unknown {
		w.lost = w.now
	}
	if c.Type == ownergraph.CallRead && (r.Err == nil || errors.Is(r.Err, graph.ErrNotFound)) {
		w.replied = max(w.replied, began)
	}
	if c.Type == ownergraph.CallRead && r.Err == nil && w.answers != nil {
		w.answers[c.Key] = answer{r.Object, w.now}
	}
	f := w.facts[c.Key]
	switch {
	case errors.Is(r.Err, graph.ErrNotFound), c.Type == ownergraph.CallRead && r.Err == nil && r.Object.UID != c.Key.UID:
		if f.put <= began { // else the watch has shown it meanwhile
			f.missed, f.asked = w.now, began
		}
	case c.Type == ownergraph.CallRead && r.Err == nil && r.Object.Deleting:
		w.role(&f, r.Object.Propagation())
	default:
		return
	}
	w.facts[c.Key] = f
}

// unknownOutcome reports whether a write with this answer may have been carried out.
func unknownOutcome(err error) bool {
	for _, known := range [...]error{nil, graph.ErrNotFound, graph.ErrConflict, graph.ErrRefused, graph.ErrKindUnknown} {
		if errors.Is(err, known) {
			return false
		}
	}
	var later interface{ RetryAfter() time.Duration }
	return !errors.As(err, &later)
}

// Phantoms returns the breach that an engine at rest, with so many nodes and so
// many observed objects, commits if it holds more owners that nobody observed
// than references that it was told of.
func (w *Witness) Phantoms(nodes, objects int) error {
	refs := 0
	for _, f := range w.facts {
		refs += f.owners
	}
	if nodes-objects > refs {
		return &Breach{Rule: "S9", Object: graph.Key{Name: "phantoms"}, text: "%[1]s: there are more than references"}
	}
	return nil
}

// Sum stands for an object's content, without its version.
func Sum(o *graph.Object) uint64 {
	h := textSum(keySum(0x9e3779b97f4a7c15, &o.Key), "")
	for i := range o.Owners {
		r := &o.Owners[i]
		h = keySum(h, &r.Key)
		if r.Block {
			h += 0x517cc1b727220a95
		}
		if r.Unresolved {
			h += 0x2545f4914f6cdd1d
		}
	}
	for _, f := range o.Finalizers {
		h = textSum(h, f)
	}
	if o.Deleting {
		h ^= 0x6a09e667f3bcc909
	}
	return h ^ h>>31
}

// SumLabels stands for labels.
func SumLabels(set map[string]string) uint64 {
	h := uint64(0)
	for name, value := range set {
		h += textSum(textSum(0x9e3779b97f4a7c15, name), value)
	}
	return h
}

func keySum(h uint64, k *graph.Key) uint64 {
	return textSum(textSum(textSum(textSum(h, string(k.Kind)), k.Scope), k.Name), string(k.UID))
}

func textSum(h uint64, s string) uint64 {
	h = (h ^ uint64(len(s))) * 0xff51afd7ed558ccd
	for i := range len(s) {
		h = (h ^ uint64(s[i])) * 0x100000001b3
	}
	return h ^ h>>29
}
