package storetest

import (
	"context"
	"strings"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
)

// selecting is a store with a wrong Select.
type selecting struct {
	ownergraph.Store
	choose func(ctx context.Context, q ownergraph.SelectRequest) (ownergraph.SelectPage, error)
}

func (s *selecting) Unwrap() ownergraph.Store { return s.Store }
func (s *selecting) Select(ctx context.Context, q ownergraph.SelectRequest) (ownergraph.SelectPage, error) {
	return s.choose(ctx, q)
}

type selectFunc = func(ctx context.Context, q ownergraph.SelectRequest) (ownergraph.SelectPage, error)

// chosen replaces Select. The replacement gets the sound one.
func chosen(choose func(s Subject, sound selectFunc) selectFunc) func(TB, Subject) Subject {
	return func(tb TB, s Subject) Subject {
		sound, ok := ownergraph.As[ownergraph.LabelSelector](s.Store)
		if !ok {
			tb.Fatalf("the sound store is no LabelSelector")
		}
		s.Store = &selecting{s.Store, choose(s, sound.Select)}
		return s
	}
}

func mutantsOfSelectors() []mutant {
	return []mutant{
		{name: "labels match by their beginning", law: selectMatches, reason: "LIKE '1%'", plant: chosen(func(_ Subject, sound selectFunc) selectFunc {
			return func(ctx context.Context, q ownergraph.SelectRequest) (ownergraph.SelectPage, error) {
				q.Selector = strings.Replace(q.Selector, tagged+"=1", tagged+" in (1,11)", 1)
				return sound(ctx, q)
			}
		})},
		{name: "labels are cached", law: "select/fresh", reason: "an index that is updated later", plant: chosen(cachedSelect)},
		{name: "labels change no version", law: "select/version", reason: "a table of their own", plant: stillLabels},
		{name: "a page ends one too late", law: "select/pages", reason: "the next page begins after an object that was not returned", plant: chosen(lossyPages)},
		{name: "marked objects are not selected", law: "select/marked", reason: "a soft deletion that filters marked objects", plant: chosen(unmarkedOnly)},
		{name: "a kind that is not served has nothing labelled", law: "select/unknown-kind", reason: "no table, no rows", plant: chosen(func(_ Subject, sound selectFunc) selectFunc {
			return func(ctx context.Context, q ownergraph.SelectRequest) (ownergraph.SelectPage, error) {
				page, err := sound(ctx, q)
				if strings.HasPrefix(string(q.Kind), "no-") {
					err = nil
				}
				return page, err
			}
		})},
		{name: "a sick kind has nothing labelled", law: "select/sick", reason: "an error that is logged", plant: chosen(func(_ Subject, sound selectFunc) selectFunc {
			return func(ctx context.Context, q ownergraph.SelectRequest) (ownergraph.SelectPage, error) {
				page, err := sound(ctx, q)
				if err != nil && strings.Contains(err.Error(), "out of reach") {
					err = nil
				}
				return page, err
			}
		})},
	}
}

// cachedSelect repeats the first answer to each question.
func cachedSelect(_ Subject, sound selectFunc) selectFunc {
	var cache guarded[map[ownergraph.SelectRequest]ownergraph.SelectPage]
	return func(ctx context.Context, q ownergraph.SelectRequest) (page ownergraph.SelectPage, err error) {
		cached := false
		cache.with(func(m *map[ownergraph.SelectRequest]ownergraph.SelectPage) { page, cached = (*m)[q] })
		if cached {
			return page, nil
		}
		if page, err = sound(ctx, q); err == nil {
			cache.with(func(m *map[ownergraph.SelectRequest]ownergraph.SelectPage) {
				if *m == nil {
					*m = map[ownergraph.SelectRequest]ownergraph.SelectPage{}
				}
				(*m)[q] = page
			})
		}
		return page, err
	}
}

// lossyPages continues after one object more than it has returned.
func lossyPages(_ Subject, sound selectFunc) selectFunc {
	return func(ctx context.Context, q ownergraph.SelectRequest) (ownergraph.SelectPage, error) {
		if q.Limit == 0 {
			return sound(ctx, q)
		}
		q.Limit++
		page, err := sound(ctx, q)
		if len(page.Objects) == q.Limit {
			page.Objects = page.Objects[:q.Limit-1]
		}
		return page, err
	}
}

func unmarkedOnly(s Subject, sound selectFunc) selectFunc {
	return func(ctx context.Context, q ownergraph.SelectRequest) (ownergraph.SelectPage, error) {
		page, err := sound(ctx, q)
		var live []graph.LabelMatch
		for _, x := range page.Objects {
			if o, err := s.Store.Get(ctx, x.Key); err == nil && !o.Deleting {
				live = append(live, x)
			}
		}
		page.Objects = live
		return page, err
	}
}

// stillLabels shows an object with new labels at its former version.
func stillLabels(tb TB, s Subject) Subject {
	sound := s.Label
	var was guarded[map[ownergraph.Version]ownergraph.Version]
	s.Label = func(ctx context.Context, key ownergraph.Key, labels map[string]string) error {
		before, err := s.Store.Get(ctx, key)
		if err == nil {
			err = sound(ctx, key, labels)
		}
		after, _ := s.Store.Get(ctx, key)
		was.with(func(m *map[ownergraph.Version]ownergraph.Version) {
			if *m == nil {
				*m = map[ownergraph.Version]ownergraph.Version{}
			}
			(*m)[after.Version] = before.Version
			if v, again := (*m)[before.Version]; again {
				(*m)[after.Version] = v
			}
		})
		return err
	}
	return renaming(func(n *renamed) {
		n.version = func(o ownergraph.Object) (v ownergraph.Version) {
			v = o.Version
			was.with(func(m *map[ownergraph.Version]ownergraph.Version) {
				if former, is := (*m)[o.Version]; is {
					v = former
				}
			})
			return v
		}
	})(tb, s)
}

// Select shows the objects as the other methods show them.
func (n *renamed) Select(ctx context.Context, q ownergraph.SelectRequest) (ownergraph.SelectPage, error) {
	sound, ok := ownergraph.As[ownergraph.LabelSelector](n.Store)
	if !ok {
		return ownergraph.SelectPage{}, graph.ErrRefused
	}
	page, err := sound.Select(ctx, q)
	for i, x := range page.Objects {
		if o, err := n.Store.Get(context.WithoutCancel(ctx), x.Key); err == nil {
			o = n.show(o)
			page.Objects[i].Key, page.Objects[i].Version = o.Key, o.Version
		}
	}
	return page, err
}
