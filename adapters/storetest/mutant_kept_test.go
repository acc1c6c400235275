package storetest

import (
	"context"
	"reflect"
	"slices"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
)

// mutantsOfKept are stores that use or change memory that they have handed out.
func mutantsOfKept() []mutant {
	return []mutant{
		{name: "the set of kinds is compared with the list that was given", law: "alias/watch", reason: "the event and the watch share the list", plant: watching(comparingKinds)},
		{name: "a list that has not changed is given again", law: "alias/watch", reason: "the last event is kept, to save memory", plant: watching(givingAgain)},
		{name: "a fence passes the kinds of the list that was given", law: "alias/fence", reason: "the event and the watch share the list", plant: watching(passingGiven)},
		{name: "a new set of kinds is written into the former list", law: "alias/kinds", reason: "slices.DeleteFunc on the list of the event", plant: watching(oneKindsList)},
		{name: "a patch unblocks in the answers of reads", law: "alias/kept", reason: "the row is changed in place", plant: unblockingAnswers},
		{name: "events have one list of finalizers", races: true, law: "alias/kept", reason: "the buffer of the decoder", plant: watching(oneBuffer)},
		{name: "a patch changes the argument of the one before", law: argumentPatch, reason: "the pointer is kept", plant: patching(changingArguments)},
		{name: "a page that has not changed is given again", law: "alias/select", reason: "a cache without copies", plant: chosen(givenPages)},
	}
}

func comparingKinds() func(ownergraph.Event, sinkFunc) error {
	var given, own []ownergraph.KindInfo
	return func(e ownergraph.Event, sink sinkFunc) error {
		switch {
		case e.Type == graph.KindsKnown:
			given, own = e.Kinds, slices.Clone(e.Kinds)
		case e.Type == graph.Put && !slices.Equal(given, own):
			given = slices.Clone(own)
			return sendAll(sink, ownergraph.Event{Type: graph.KindsKnown, Kinds: given}, e)
		}
		return sink(e)
	}
}

// givingAgain reports the list of owners that it has reported before, if the owners have
// not changed.
func givingAgain() func(ownergraph.Event, sinkFunc) error {
	given, own := map[ownergraph.Key][]ownergraph.Owner{}, map[ownergraph.Key][]ownergraph.Owner{}
	return func(e ownergraph.Event, sink sinkFunc) error {
		if key := e.Object.Key; e.Type == graph.Put && len(e.Object.Owners) > 0 {
			if slices.Equal(own[key], e.Object.Owners) {
				e.Object.Owners = given[key]
			} else {
				given[key], own[key] = e.Object.Owners, slices.Clone(e.Object.Owners)
			}
		}
		return sink(e)
	}
}

func passingGiven() func(ownergraph.Event, sinkFunc) error {
	var given, own []ownergraph.KindInfo
	return func(e ownergraph.Event, sink sinkFunc) error {
		switch e.Type {
		case graph.KindsKnown:
			given, own = e.Kinds, slices.Clone(e.Kinds)
		case graph.FencePassed:
			if i := slices.IndexFunc(own, func(x ownergraph.KindInfo) bool { return x.Kind == e.Kind }); i >= 0 {
				e.Kind = given[i].Kind
			}
		}
		return sink(e)
	}
}

func oneKindsList() func(ownergraph.Event, sinkFunc) error {
	var list []ownergraph.KindInfo
	return func(e ownergraph.Event, sink sinkFunc) error {
		if e.Type == graph.KindsKnown {
			list = append(list[:0], e.Kinds...)
			e.Kinds = list
		}
		return sink(e)
	}
}

func unblockingAnswers(_ TB, s Subject) Subject {
	sound := s.Store
	var given guarded[[]ownergraph.Object]
	s.Store = &wrapper{Store: sound,
		get: func(ctx context.Context, key ownergraph.Key) (ownergraph.Object, error) {
			o, err := sound.Get(ctx, key)
			given.with(func(list *[]ownergraph.Object) { *list = append(*list, o) })
			return o, err
		},
		patch: func(ctx context.Context, key ownergraph.Key, pre ownergraph.Precondition, c ownergraph.Change) error {
			err := sound.Patch(ctx, key, pre, c)
			given.with(func(list *[]ownergraph.Object) {
				for _, o := range *list {
					for i := range o.Owners {
						if err == nil && o.UID == pre.UID && slices.Contains(c.Unblock, o.Owners[i]) {
							o.Owners[i].Block = false
						}
					}
				}
			})
			return err
		},
	}
	return s
}

func oneBuffer() func(ownergraph.Event, sinkFunc) error {
	var buffer []string
	return func(e ownergraph.Event, sink sinkFunc) error {
		if e.Type == graph.Put && len(e.Object.Finalizers) > 0 {
			buffer = append(buffer[:0], e.Object.Finalizers...)
			e.Object.Finalizers = buffer
		}
		return sink(e)
	}
}

// changingArguments changes the owner that the former patch has added.
func changingArguments(sound ownergraph.Store) patchFunc {
	var former guarded[*ownergraph.Owner]
	return func(ctx context.Context, key ownergraph.Key, pre ownergraph.Precondition, c ownergraph.Change) error {
		former.with(func(p **ownergraph.Owner) {
			if *p != nil {
				(*p).Block = !(*p).Block
			}
			*p = c.AddOwner
		})
		return sound.Patch(ctx, key, pre, c)
	}
}

// givenPages returns the page that it has returned before, if the page has not changed.
func givenPages(_ Subject, sound selectFunc) selectFunc {
	type pages struct{ given, own ownergraph.SelectPage }
	var cache guarded[map[ownergraph.SelectRequest]pages]
	cache.v = map[ownergraph.SelectRequest]pages{}
	return func(ctx context.Context, q ownergraph.SelectRequest) (ownergraph.SelectPage, error) {
		page, err := sound(ctx, q)
		if err != nil {
			return page, err
		}
		cache.with(func(m *map[ownergraph.SelectRequest]pages) {
			if was, ok := (*m)[q]; ok && reflect.DeepEqual(was.own, page) {
				page = was.given
				return
			}
			own := page
			own.Objects = slices.Clone(page.Objects)
			(*m)[q] = pages{page, own}
		})
		return page, nil
	}
}
