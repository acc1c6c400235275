package storetest

import (
	"context"
	"slices"
	"sync"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
)

func mutantsOfFences() []mutant {
	return []mutant{
		{name: "list does nothing", law: listAnew, reason: "a power that is there and not written", spoil: relists(func(ownergraph.Lister, *roll, *bell) listFunc {
			return func(context.Context, ownergraph.Kind) error { return nil }
		}, nil)},
		{name: "a new listing forgets one", law: "list/complete", reason: "the last row of a page", spoil: losing(shortRelisting)},
		{name: "one watch is listed for all", law: "list/every-watch", reason: "a queue in place of a log", spoil: listsOldest},
		{name: "list waits for the listing", law: "list/returns", reason: "a call that waits for what it has begun", spoil: listWaits},
		{name: "a kind never passes a fence", law: fencePasses, reason: "a kind without a cursor", spoil: losing(func() func(ownergraph.Event) bool {
			var infos []ownergraph.KindInfo
			return func(e ownergraph.Event) bool {
				infos = append(infos, e.Kinds...)
				return e.Type == graph.FencePassed && e.Kind == infos[0].Kind
			}
		})},
		{name: "the set of kinds never passes a fence", law: fencePasses, reason: "one event is forgotten", spoil: losing(func() func(ownergraph.Event) bool {
			return func(e ownergraph.Event) bool { return e.Type == graph.FencePassed && e.Kind == "" }
		})},
		{name: "a fence passes before a change", law: fenceNotEarly, reason: "fences and changes have ways of their own", spoil: fencesEarly(
			func(in *listings, e ownergraph.Event) (ownergraph.Kind, bool) { return e.Of(), in.change(e) })},
		{name: "a fence passes before the listing", law: "fence/listing", reason: "a watch that lists has nothing in its queue", spoil: fencesEarly(
			func(_ *listings, e ownergraph.Event) (ownergraph.Kind, bool) {
				return e.Kind, e.Type == graph.ListBegun
			})},
		{name: "a fence passes before the kinds are told", law: "fence/kinds", reason: "kinds have a way of their own", spoil: fencesEarly(
			func(in *listings, e ownergraph.Event) (ownergraph.Kind, bool) {
				return "", e.Type == graph.KindVanished || e.Type == graph.KindsKnown && len(in.ended) > 0
			})},
		{name: "two watches are told of a fence", law: "fence/every-watch", reason: "a table of limited size", spoil: fencesTwo},
		{name: "a fence replaces the one before", law: "fence/several", reason: "one variable for what is pending", spoil: latestFence},
		{name: "a fence waits for a watch", law: "fence/returns", reason: "a channel without a receiver", spoil: fenceWaits},
		{name: "a fence passes a sick kind", law: fenceSick, reason: "what has nothing to tell is taken for done", spoil: watching(passingSick)},
		{name: "a fence that began in sickness is lost", law: "fence/recovered", reason: "what could not be told is not kept", spoil: forgettingFences},
	}
}

type listFunc = func(ctx context.Context, kind ownergraph.Kind) error

// roll is the list of the watches that run, the oldest first.
type roll = guarded[[]*listings]

// relists has list stand in for the sound store's List, which it is given, and
// lost say which events of a watch are not told.
func relists(list func(ownergraph.Lister, *roll, *bell) listFunc, lost func(*roll, *listings, ownergraph.Event) bool) func(TB, Subject) Subject {
	return func(tb TB, s Subject) Subject {
		sound, ok := ownergraph.As[ownergraph.Lister](s.Store)
		if !ok {
			tb.Fatalf("the sound store is no Lister")
		}
		var running roll
		var told bell
		s.Store = registering(s.Store, &running, func(in *listings, e ownergraph.Event, tell tell) error {
			defer told.ring()
			if lost != nil && lost(&running, in, e) {
				return nil
			}
			err := tell(e)
			running.with(func(*[]*listings) { in.take(e) })
			return err
		})
		s.Store = &relister{Store: s.Store, list: list(sound, &running, &told)}
		return s
	}
}

func shortRelisting() func(ownergraph.Event) bool {
	in, n := newListings(), 0
	return func(e ownergraph.Event) bool {
		in.take(e)
		switch {
		case e.Type == graph.ListBegun:
			n = 0
		case e.Type == graph.Put && !in.change(e) && in.ended[e.Object.Kind] > 0:
			n++
			return n == 10
		}
		return false
	}
}

// listsOldest has the watch alone list again that has run for longest.
func listsOldest(tb TB, s Subject) Subject {
	list := func(sound ownergraph.Lister, _ *roll, _ *bell) listFunc { return sound.List }
	return relists(list, func(running *roll, in *listings, e ownergraph.Event) (lost bool) {
		running.with(func(list *[]*listings) {
			of := e.Of()
			again := in.ended[of] > 0 && (e.Type == graph.ListBegun || e.Type == graph.ListEnded)
			lost = again && (*list)[0] != in
		})
		return lost
	})(tb, s)
}

func listWaits(tb TB, s Subject) Subject {
	return relists(func(sound ownergraph.Lister, running *roll, told *bell) listFunc {
		return func(ctx context.Context, kind ownergraph.Kind) error {
			ended := func() (n int) {
				running.with(func(list *[]*listings) {
					for _, in := range *list {
						n += in.ended[kind]
					}
				})
				return n
			}
			before := ended()
			if err := sound.List(ctx, kind); err != nil {
				return err
			}
			return told.wait(ctx, func() bool { return ended() > before })
		}
	}, nil)(tb, s)
}

// fences is what is known of them, by those who ask and by those who tell.
type fences struct {
	mu    sync.Mutex
	begun []uint64
}

func (f *fences) pending() []uint64 {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.begun)
}

// noting notes every fence before the sound store hears of it.
func noting(tb TB, s ownergraph.Store, f *fences) ownergraph.Store {
	sound, ok := ownergraph.As[ownergraph.Fencer](s)
	if !ok {
		tb.Fatalf("the sound store is no Fencer")
	}
	return &fencing{Store: s, fence: func(ctx context.Context, id uint64) error {
		f.mu.Lock()
		f.begun = append(f.begun, id)
		f.mu.Unlock()
		return sound.Fence(ctx, id)
	}}
}

// fencesEarly has what was begun pass a kind before the events that at chooses.
func fencesEarly(at func(in *listings, e ownergraph.Event) (ownergraph.Kind, bool)) func(TB, Subject) Subject {
	return func(tb TB, s Subject) Subject {
		f := &fences{}
		s.Store = reporting(s.Store, func() func(ownergraph.Event, tell) error {
			in, told := newListings(), map[passage]bool{}
			before := len(f.pending())
			return func(e ownergraph.Event, tell tell) error {
				in.take(e)
				if kind, early := at(in, e); early {
					for _, id := range f.pending()[before:] {
						if told[passage{kind, id}] {
							continue
						}
						told[passage{kind, id}] = true
						if err := tell(ownergraph.Event{Type: graph.FencePassed, Kind: kind, Fence: id}); err != nil {
							return err
						}
					}
				}
				if e.Type == graph.FencePassed && told[passage{e.Kind, e.Fence}] {
					return nil
				}
				told[passage{e.Kind, e.Fence}] = e.Type == graph.FencePassed
				return tell(e)
			}
		})
		s.Store = noting(tb, s.Store, f)
		return s
	}
}

func fencesTwo(_ TB, s Subject) Subject {
	var running roll
	s.Store = registering(s.Store, &running, func(in *listings, e ownergraph.Event, tell tell) error {
		third := false
		running.with(func(list *[]*listings) { third = slices.Index(*list, in) > 1 })
		if third && e.Type == graph.FencePassed {
			return nil
		}
		return tell(e)
	})
	return s
}

// latestFence has only the fence pass that began last.
func latestFence(tb TB, s Subject) Subject {
	f := &fences{}
	s.Store = reporting(s.Store, func() func(ownergraph.Event, tell) error {
		return func(e ownergraph.Event, tell tell) error {
			if begun := f.pending(); e.Type == graph.FencePassed && e.Fence != begun[len(begun)-1] {
				return nil
			}
			return tell(e)
		}
	})
	s.Store = noting(tb, s.Store, f)
	return s
}

func fenceWaits(tb TB, s Subject) Subject {
	sound, _ := ownergraph.As[ownergraph.Fencer](s.Store)
	var running roll
	var told bell
	s.Store = registering(s.Store, &running, func(_ *listings, e ownergraph.Event, tell tell) error {
		told.ring()
		return tell(e)
	})
	s.Store = &fencing{Store: s.Store, fence: func(ctx context.Context, id uint64) error {
		some := func() (ok bool) {
			running.with(func(list *[]*listings) { ok = len(*list) > 0 })
			return ok
		}
		if err := told.wait(ctx, some); err != nil {
			return err
		}
		return sound.Fence(ctx, id)
	}}
	return s
}

// bell wakes all who wait for something to change.
type bell struct{ ch guarded[chan struct{}] }

func (b *bell) rung() (ch <-chan struct{}) {
	b.ch.with(func(c *chan struct{}) {
		if *c == nil {
			*c = make(chan struct{})
		}
		ch = *c
	})
	return ch
}

func (b *bell) ring() {
	b.ch.with(func(c *chan struct{}) {
		if *c != nil {
			close(*c)
		}
		*c = nil
	})
}

// wait waits until ok, or until ctx ends.
func (b *bell) wait(ctx context.Context, ok func() bool) error {
	for {
		rung := b.rung()
		if ok() {
			return nil
		}
		select {
		case <-rung:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

func passingSick() func(ownergraph.Event, tell) error {
	sick := map[ownergraph.Kind]bool{}
	return func(e ownergraph.Event, tell tell) error {
		switch e.Type {
		case graph.KindSick, graph.KindRecovered:
			sick[e.Kind] = e.Type == graph.KindSick
		}
		told := []ownergraph.Event{e}
		for kind, is := range sick {
			if is && e.Type == graph.FencePassed && e.Kind == "" {
				told = append(told, ownergraph.Event{Type: graph.FencePassed, Kind: kind, Fence: e.Fence})
			}
		}
		return each(tell, told...)
	}
}

// forgettingFences has no fence pass a kind that was sick when it began.
func forgettingFences(tb TB, s Subject) Subject {
	var sick guarded[map[ownergraph.Kind]bool]
	var lost guarded[map[passage]bool]
	sick.v, lost.v = map[ownergraph.Kind]bool{}, map[passage]bool{}
	set := func(kind ownergraph.Kind, is bool) {
		sick.with(func(m *map[ownergraph.Kind]bool) { (*m)[kind] = is })
	}
	s.Sicken = around(s.Sicken, set)
	s.Store = reporting(s.Store, func() func(ownergraph.Event, tell) error {
		return func(e ownergraph.Event, tell tell) error {
			gone := false
			lost.with(func(m *map[passage]bool) { gone = e.Type == graph.FencePassed && (*m)[passage{e.Kind, e.Fence}] })
			if gone {
				return nil
			}
			return tell(e)
		}
	})
	sound, _ := ownergraph.As[ownergraph.Fencer](s.Store)
	s.Store = &fencing{Store: s.Store, fence: func(ctx context.Context, id uint64) error {
		sick.with(func(m *map[ownergraph.Kind]bool) {
			for kind, is := range *m {
				if is {
					lost.with(func(m *map[passage]bool) { (*m)[passage{kind, id}] = true })
				}
			}
		})
		return sound.Fence(ctx, id)
	}}
	return s
}

// there is what a hook does to a kind, with the way back.
type there = func(ctx context.Context, kind ownergraph.Kind) (back func(ctx context.Context) error, err error)

// around tells set before a hook is used, and before its way back is.
func around(hook there, set func(kind ownergraph.Kind, on bool)) there {
	return func(ctx context.Context, kind ownergraph.Kind) (func(context.Context) error, error) {
		set(kind, true)
		back, err := hook(ctx, kind)
		return func(ctx context.Context) error {
			set(kind, false)
			return back(ctx)
		}, err
	}
}
