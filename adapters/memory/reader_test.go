package memory

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/replica"
)

// reader reads a watch. It keeps a copy of the objects and judges each event.
type reader struct {
	tokens  chan struct{} // one for each event that the sink may take
	kinds   map[graph.Kind]*copied
	dead    map[graph.UID]bool
	passed  map[string]int // by fence and kind
	fences  map[uint64]past
	rewinds *int // the number of restores
	store   *Store
	events  int
}

// copied is the reader's copy of one kind.
type copied struct {
	objects  map[graph.Key]graph.Object // by place
	listing  map[graph.Key]bool         // the places in the listing under way
	listed   bool
	sick     bool
	high     uint64 // the latest version of a change or of a listing
	progress uint64
}

// past is the state of the store when a fence began.
type past struct {
	state   *replica.State
	rewinds int
}

func newReader(s *Store, rewinds *int) *reader {
	return &reader{store: s, rewinds: rewinds, tokens: make(chan struct{}), kinds: map[graph.Kind]*copied{}, dead: map[graph.UID]bool{},
		passed: map[string]int{}, fences: map[uint64]past{}}
}

func number(v graph.Version) uint64 {
	n, _ := strconv.ParseUint(string(v), 10, 64)
	return n
}

// sink takes one event for each token, and fails at the first broken law.
func (r *reader) sink(e graph.Event) error {
	<-r.tokens
	r.events++
	if err := r.apply(e); err != nil {
		return fmt.Errorf("%s: %w", say(e), err)
	}
	return nil
}

func (r *reader) apply(e graph.Event) error {
	switch e.Type {
	case graph.KindsKnown:
		return r.setKinds(e.Kinds)
	case graph.Rewound:
		r.dead = map[graph.UID]bool{}
		for _, k := range r.kinds {
			*k = copied{sick: k.sick}
		}
		return nil
	}
	if e.Type == graph.FencePassed && e.Kind == "" {
		r.passed[fmt.Sprint(e.Fence)]++
		return nil
	}
	k := r.kinds[e.Of()]
	switch {
	case r.events == 1:
		return fmt.Errorf("the first event")
	case k == nil:
		return fmt.Errorf("of a kind that was not reported")
	case k.sick && e.Type != graph.KindSick && e.Type != graph.KindRecovered && e.Type != graph.KindVanished:
		return fmt.Errorf("of a sick kind")
	}
	return r.applyTo(k, e)
}

func (r *reader) setKinds(infos []graph.KindInfo) error {
	now := map[graph.Kind]*copied{}
	for _, info := range infos {
		now[info.Kind] = r.kinds[info.Kind]
		if now[info.Kind] == nil {
			now[info.Kind] = &copied{}
		}
	}
	for kind := range r.kinds {
		if now[kind] == nil {
			return fmt.Errorf("%s vanished without an event", kind)
		}
	}
	r.kinds = now
	return nil
}

func (r *reader) applyTo(k *copied, e graph.Event) error {
	switch e.Type {
	case graph.ListBegun:
		k.listing = map[graph.Key]bool{}
	case graph.ListEnded:
		return r.endListing(k, number(e.Version))
	case graph.Put:
		return r.put(k, e.Object)
	case graph.Gone:
		return r.gone(k, e.Key)
	case graph.Progress:
		if number(e.Version) < max(k.progress, k.high) {
			return fmt.Errorf("falls back from %d, %d", k.progress, k.high)
		}
		k.progress = number(e.Version)
	case graph.KindSick:
		k.sick, k.listed = true, false
	case graph.KindRecovered:
		k.sick = false
	case graph.KindVanished:
		delete(r.kinds, e.Kind)
	case graph.FencePassed:
		return r.pass(k, e)
	}
	return nil
}

func (r *reader) endListing(k *copied, at uint64) error {
	if k.listing == nil || at < max(k.high, k.progress) {
		return fmt.Errorf("no listing, or one older than %d, %d", k.high, k.progress)
	}
	for place, o := range k.objects {
		if !k.listing[place] {
			r.dead[o.UID] = true
			delete(k.objects, place)
		}
	}
	k.listing, k.listed, k.high = nil, true, at
	return nil
}

func (r *reader) put(k *copied, o graph.Object) error {
	old, known := k.objects[o.Place()]
	v := number(o.Version)
	switch {
	case r.dead[o.UID]:
		return fmt.Errorf("an object that was gone")
	case !k.listed && k.listing == nil:
		return fmt.Errorf("before any listing")
	case k.listing == nil && v <= k.high:
		return fmt.Errorf("not after %d", k.high)
	case known && v < number(old.Version):
		return fmt.Errorf("older than %v", old)
	case known && old.UID != o.UID && k.listing == nil:
		return fmt.Errorf("in the place of %v, without Gone", old)
	case known && old.UID != o.UID:
		r.dead[old.UID] = true
	}
	if k.objects == nil {
		k.objects = map[graph.Key]graph.Object{}
	}
	k.objects[o.Place()] = o
	if k.listing != nil {
		k.listing[o.Place()] = true
	} else {
		k.high = v
	}
	return nil
}

func (r *reader) gone(k *copied, key graph.Key) error {
	old, known := k.objects[key.Place()]
	if !known || old.UID != key.UID || k.listing != nil {
		return fmt.Errorf("while %v was there", old)
	}
	delete(k.objects, key.Place())
	r.dead[key.UID] = true
	return nil
}

// pass checks that the reader has all changes that precede the fence. Each object of
// then is present, newer, or gone since. No present object was gone then. A restore
// since then voids the check.
func (r *reader) pass(k *copied, e graph.Event) error {
	r.passed[fmt.Sprint(e.Fence, e.Kind)]++
	then := r.fences[e.Fence]
	if !k.listed {
		return fmt.Errorf("before the listing")
	}
	if then.rewinds != *r.rewinds {
		return nil
	}
	known := map[graph.UID]bool{}
	live := r.store.Objects()
	for o := range then.state.ObjectsOf(e.Kind) { // served then or not
		known[o.UID] = true
		now, there := k.objects[o.Place()]
		there = there && now.UID == o.UID
		lives := slices.ContainsFunc(live, func(l graph.Object) bool { return l.UID == o.UID })
		switch {
		case there && number(now.Version) < number(o.Version):
			return fmt.Errorf("early: the reader has %v of %v", now, o)
		case !there && !r.dead[o.UID] && lives:
			return fmt.Errorf("early: the reader lacks %v", o)
		}
	}
	for _, o := range k.objects {
		if number(o.Version) <= number(then.state.Version()) && !known[o.UID] {
			return fmt.Errorf("early: the reader still has %v", o)
		}
	}
	return nil
}
