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
		{name: "a kind never passes a fence", law: fencePasses, reason: "a kind without a cursor", plant: losing(func() func(ownergraph.Event) bool {
			var infos []ownergraph.KindInfo
			return func(e ownergraph.Event) bool {
				infos = append(infos, e.Kinds...)
				return e.Type == graph.FencePassed && e.Kind == infos[0].Kind
			}
		})},
		{name: "the set of kinds never passes a fence", law: fencePasses, reason: "one event is forgotten", plant: losing(func() func(ownergraph.Event) bool {
			return func(e ownergraph.Event) bool { return e.Type == graph.FencePassed && e.Kind == "" }
		})},
		{name: "a fence passes before a change", law: fenceNotEarly, reason: "fences and changes take different ways", plant: fencesEarly(
			func(in *listings, e ownergraph.Event) (ownergraph.Kind, bool) { return e.Of(), in.change(e) })},
		{name: "a fence passes before the listing", law: "fence/listing", reason: "a watch that lists has nothing in its queue", plant: fencesEarly(
			func(_ *listings, e ownergraph.Event) (ownergraph.Kind, bool) {
				return e.Kind, e.Type == graph.ListBegun
			})},
		{name: "a fence passes before the kinds are reported", law: "fence/kinds", reason: "kinds take another way", plant: fencesEarly(
			func(in *listings, e ownergraph.Event) (ownergraph.Kind, bool) {
				return "", e.Type == graph.KindVanished || e.Type == graph.KindsKnown && len(in.ended) > 0
			})},
		{name: "two watches report a fence", law: "fence/every-watch", reason: "a table of limited size", plant: fencesTwo},
		{name: "a fence replaces the one before", law: "fence/several", reason: "one variable for the pending fence", plant: latestFence},
		{name: "a fence waits for a watch", law: "fence/returns", reason: "a channel without a receiver", plant: fenceWaits},
		{name: "a fence passes a sick kind", law: fenceSick, reason: "a kind without changes counts as done", plant: watching(passingSick)},
		{name: "a fence that began in sickness is lost", law: "fence/recovered", reason: "a fence that could not pass is dropped", plant: forgettingFences},
		{name: "tokens of fences return", law: fenceTokens, reason: "the number of a slot in a small table", plant: countingTokens(12, false, false, false)},
		{name: "a restore takes the token counter back", law: "rewind/tokens", reason: "the counter is in the backup", plant: countingTokens(1<<32, true, false, false)},
		{name: "a restart takes the token counter back", law: "restart/tokens", reason: "the counter is in memory", plant: countingTokens(1<<32, false, true, false)},
		{name: "two processes count tokens alike", law: "second/tokens", reason: "the counter is of the process", plant: countingTokens(1<<32, false, false, true)},
	}
}

// fences has the tokens of the fences that began.
type fences struct {
	mu    sync.Mutex
	begun []uint64
}

func (f *fences) pending() []uint64 {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.begun)
}

// notingFences notes every fence as the sound store begins it.
func notingFences(tb TB, s ownergraph.Store, f *fences) ownergraph.Store {
	sound, ok := ownergraph.As[ownergraph.Fencer](s)
	if !ok {
		tb.Fatalf("the sound store is no Fencer")
	}
	return &fencing{Store: s, fence: func(ctx context.Context) (token uint64, err error) {
		f.mu.Lock() // the reports wait for the token
		defer f.mu.Unlock()
		token, err = sound.Fence(ctx)
		f.begun = append(f.begun, token)
		return token, err
	}}
}

// fencesEarly lets the fences that began pass a kind before the events that at
// selects.
func fencesEarly(at func(in *listings, e ownergraph.Event) (ownergraph.Kind, bool)) func(TB, Subject) Subject {
	return func(tb TB, s Subject) Subject {
		f := &fences{}
		s.Store = reporting(s.Store, func() func(ownergraph.Event, sinkFunc) error {
			in, reported := newListings(), map[passage]bool{}
			before := len(f.pending())
			return func(e ownergraph.Event, sink sinkFunc) error {
				in.applyEvent(e)
				if kind, early := at(in, e); early {
					for _, id := range f.pending()[before:] {
						if reported[passage{kind, id}] {
							continue
						}
						reported[passage{kind, id}] = true
						if err := sink(ownergraph.Event{Type: graph.FencePassed, Kind: kind, Fence: id}); err != nil {
							return err
						}
					}
				}
				if e.Type == graph.FencePassed && reported[passage{e.Kind, e.Fence}] {
					return nil
				}
				reported[passage{e.Kind, e.Fence}] = e.Type == graph.FencePassed
				return sink(e)
			}
		})
		s.Store = notingFences(tb, s.Store, f)
		return s
	}
}

func fencesTwo(_ TB, s Subject) Subject {
	var running runningWatches
	s.Store = registering(s.Store, &running, func(in *listings, e ownergraph.Event, sink sinkFunc) error {
		third := false
		running.with(func(list *[]*listings) { third = slices.Index(*list, in) > 1 })
		if third && e.Type == graph.FencePassed {
			return nil
		}
		return sink(e)
	})
	return s
}

// latestFence lets only the last fence pass.
func latestFence(tb TB, s Subject) Subject {
	f := &fences{}
	s.Store = reporting(s.Store, func() func(ownergraph.Event, sinkFunc) error {
		return func(e ownergraph.Event, sink sinkFunc) error {
			if begun := f.pending(); e.Type == graph.FencePassed && e.Fence != begun[len(begun)-1] {
				return nil
			}
			return sink(e)
		}
	})
	s.Store = notingFences(tb, s.Store, f)
	return s
}

func fenceWaits(tb TB, s Subject) Subject {
	sound, _ := ownergraph.As[ownergraph.Fencer](s.Store)
	var running runningWatches
	var reported signal
	s.Store = registering(s.Store, &running, func(_ *listings, e ownergraph.Event, sink sinkFunc) error {
		reported.broadcast()
		return sink(e)
	})
	s.Store = &fencing{Store: s.Store, fence: func(ctx context.Context) (token uint64, err error) {
		some := func() (ok bool) {
			running.with(func(list *[]*listings) { ok = len(*list) > 0 })
			return ok
		}
		if err := reported.wait(ctx, some); err != nil {
			return 0, err
		}
		return sound.Fence(ctx)
	}}
	return s
}

func passingSick() func(ownergraph.Event, sinkFunc) error {
	sick := map[ownergraph.Kind]bool{}
	return func(e ownergraph.Event, sink sinkFunc) error {
		switch e.Type {
		case graph.KindSick, graph.KindRecovered:
			sick[e.Kind] = e.Type == graph.KindSick
		}
		reported := []ownergraph.Event{e}
		for kind, is := range sick {
			if is && e.Type == graph.FencePassed && e.Kind == "" {
				reported = append(reported, ownergraph.Event{Type: graph.FencePassed, Kind: kind, Fence: e.Fence})
			}
		}
		return sendAll(sink, reported...)
	}
}

// forgettingFences lets no fence pass a kind that was sick when the fence began.
func forgettingFences(tb TB, s Subject) Subject {
	var sick guarded[map[ownergraph.Kind]bool]
	var lost guarded[map[passage]bool]
	sick.v, lost.v = map[ownergraph.Kind]bool{}, map[passage]bool{}
	set := func(kind ownergraph.Kind, is bool) {
		sick.with(func(m *map[ownergraph.Kind]bool) { (*m)[kind] = is })
	}
	s.Sicken = around(s.Sicken, set)
	s.Store = reporting(s.Store, func() func(ownergraph.Event, sinkFunc) error {
		return func(e ownergraph.Event, sink sinkFunc) error {
			gone := false
			lost.with(func(m *map[passage]bool) { gone = e.Type == graph.FencePassed && (*m)[passage{e.Kind, e.Fence}] })
			if gone {
				return nil
			}
			return sink(e)
		}
	})
	sound, _ := ownergraph.As[ownergraph.Fencer](s.Store)
	s.Store = &fencing{Store: s.Store, fence: func(ctx context.Context) (token uint64, err error) {
		lost.with(func(lost *map[passage]bool) { // the reports wait for the token
			token, err = sound.Fence(ctx)
			sick.with(func(m *map[ownergraph.Kind]bool) {
				for kind, is := range *m {
					(*lost)[passage{kind, token}] = is
				}
			})
		})
		return token, err
	}}
	return s
}

// tokens are shown instead of those of the sound store.
type tokens struct {
	mu    sync.Mutex
	shown map[uint64]uint64 // by the sound store's token
}

// counting shows tokens that count from 1, and begin anew behind slots.
func (c *tokens) counting(slots uint64, count *uint64) func(TB, Subject) Subject {
	return func(_ TB, s Subject) Subject {
		sound, _ := ownergraph.As[ownergraph.Fencer](s.Store)
		show := func(e ownergraph.Event, sink sinkFunc) error {
			c.mu.Lock() // a report waits for its token
			if token, ok := c.shown[e.Fence]; ok {
				e.Fence = token
			}
			c.mu.Unlock()
			return sink(e)
		}
		begin := func() func(ownergraph.Event, sinkFunc) error { return show }
		s.Store = &fencing{Store: reporting(s.Store, begin), fence: func(ctx context.Context) (uint64, error) {
			c.mu.Lock()
			defer c.mu.Unlock()
			token, err := sound.Fence(ctx)
			c.shown[token] = 1 + *count%slots
			*count++
			return c.shown[token], err
		}}
		return s
	}
}

// countingTokens shows tokens by a counter. It goes back with a restore, begins again with
// a restart, or belongs to one process.
func countingTokens(slots uint64, restores, restarts, process bool) func(TB, Subject) Subject {
	return func(tb TB, s Subject) Subject {
		c, count, other := &tokens{shown: map[uint64]uint64{}}, new(uint64), new(uint64)
		shown, ofSecond := c.counting(slots, count), c.counting(slots, count)
		if process {
			ofSecond = c.counting(slots, other)
		}
		backup := s.Backup
		s = shown(tb, seconds(ofSecond)(tb, restarting(func(tb TB, next Subject) Subject {
			if restarts {
				*count = 0
			}
			return shown(tb, next)
		})(tb, s)))
		if restores {
			s.Backup = func(ctx context.Context) (func(context.Context) error, error) {
				to := *count
				restore, err := backup(ctx)
				return func(ctx context.Context) error { *count = to; return restore(ctx) }, err
			}
		}
		return s
	}
}

// kindHook is a hook for a kind, which returns the function that ends it.
type kindHook = func(ctx context.Context, kind ownergraph.Kind) (back func(ctx context.Context) error, err error)

// around calls set before a hook, and before the function that ends it.
func around(hook kindHook, set func(kind ownergraph.Kind, on bool)) kindHook {
	return func(ctx context.Context, kind ownergraph.Kind) (func(context.Context) error, error) {
		set(kind, true)
		back, err := hook(ctx, kind)
		return func(ctx context.Context) error {
			set(kind, false)
			return back(ctx)
		}, err
	}
}
