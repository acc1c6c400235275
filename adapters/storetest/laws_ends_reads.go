package storetest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
)

// randomMoments is the number of moments that a law draws for a call without effect.
const randomMoments = 16

// eachMoment makes a call whose context does not end, and then calls whose contexts end:
// at the looks of the store, and at random moments.
func (t *trial) eachMoment(what string, call func(context.Context) error, judge func(m moment, err error)) {
	t.Helper()
	begun := time.Now()
	looks, err := t.during(what, moment{}, nil, call)
	typical := time.Since(begun)
	judge(moment{}, err)
	moments := looksAt(looks)
	for range randomMoments {
		if m := someMoment(typical); !m.shown {
			moments = append(moments, m)
		}
	}
	for _, m := range moments {
		_, err := t.during(what, m, nil, call)
		judge(m, err)
	}
}

// endedReadsAnswerTruly reads a present, a marked, a recreated and an absent object.
func endedReadsAnswerTruly(t *trial) {
	former := t.made("again")
	t.remove(former)
	for _, want := range []ownergraph.Object{t.full("full"), t.marked("marked"), t.made("again")} {
		var got ownergraph.Object
		read := func(ctx context.Context) (err error) { got, err = t.Store.Get(ctx, want.Key); return err }
		t.eachMoment("Get", read, func(m moment, err error) {
			steps := []string{"the object: " + want.String(), "the call:   Get " + place(want.Key), "its context: " + m.String()}
			switch {
			case err == nil && (!sameContent(want, got) || want.Version != got.Version):
				t.broken("a read that succeeds although its context ends answers the object", history(append(steps, "its answer: "+got.String())...))
			case err != nil && definite(err):
				t.broken("a read whose context ends says nothing about an object that is there", history(append(steps, "its answer: "+err.Error())...))
			}
		})
	}
	never := t.object("never").Key
	var got ownergraph.Object
	read := func(ctx context.Context) (err error) { got, err = t.Store.Get(ctx, never); return err }
	t.eachMoment("Get", read, func(m moment, err error) {
		if err == nil {
			t.broken("a read of an absent object is an error, also if its context ends", history("the call:   Get "+place(never), "its context: "+m.String(), "its answer: "+got.String()))
		}
	})
}

// endedSelectionsAreWhole compares each page with the page of a call whose context does
// not end.
func endedSelectionsAreWhole(t *trial) {
	for i := range 9 {
		t.label(t.made(fmt.Sprintf("a%d", i)), map[string]string{tagged: "1"})
	}
	s, _ := ownergraph.As[ownergraph.LabelSelector](t.Store)
	for _, limit := range []int{0, 4} {
		q := ownergraph.SelectRequest{Kind: t.main.Kind, Selector: tagged + "=1", Label: tagged, Limit: limit}
		for range 3 { // no more pages than that
			want, err := t.trySelect(q)
			t.accept(fmt.Sprintf("Select of %s by %q", q.Kind, q.Selector), err)
			var got ownergraph.SelectPage
			call := func(ctx context.Context) (err error) { got, err = s.Select(ctx, q); return err }
			t.eachMoment("Select", call, func(m moment, err error) { t.wantPage(q, m, want, got, err) })
			if q.After = want.More; q.After == "" {
				break
			}
		}
	}
}

// wantPage breaks the law if a page of a call whose context ended is another page, or if
// the error is a lie.
func (t *trial) wantPage(q ownergraph.SelectRequest, m moment, want, got ownergraph.SelectPage, err error) {
	t.Helper()
	steps := []string{fmt.Sprintf("the call:   Select of %s by %q, %d objects in a page, after %q", q.Kind, q.Selector, q.Limit, q.After), "its context: " + m.String()}
	if err != nil {
		if definite(err) {
			t.broken("a selection whose context ends proves nothing", history(append(steps, "its answer: "+err.Error())...))
		}
		return
	}
	text := func(p ownergraph.SelectPage) (list []string) {
		for _, o := range p.Objects {
			list = append(list, fmt.Sprintf("%s#%s %q", o.Key, o.Version, o.Value))
		}
		slices.Sort(list)
		return list
	}
	if a, b := text(want), text(got); !slices.Equal(a, b) || (want.More == "") != (got.More == "") {
		t.broken(fmt.Sprintf("a page that a selection answers although its context ends is whole: %q, more: %t", a, want.More != ""),
			history(append(steps, fmt.Sprintf("its answer: %q, more: %t", b, got.More != ""))...))
	}
}

// endedListings is the number of objects that a listing brings.
const endedListings = 40

// endedListingsAreWhole ends the context of a watch while it lists.
func endedListingsAreWhole(t *trial) {
	want := map[ownergraph.Kind][]ownergraph.Object{}
	for i := range endedListings {
		want[t.main.Kind] = append(want[t.main.Kind], t.made(fmt.Sprintf("a%02d", i)))
	}
	if t.second.Kind != t.main.Kind {
		want[t.second.Kind] = append(want[t.second.Kind], t.create(ownergraph.Object{Key: keyOf(t.second, "b")}))
	}
	var events []ownergraph.Event
	var mu sync.Mutex // another law is about calls of the sink at once
	watch := func(ctx context.Context) error {
		events = nil
		known := replay(nil)
		err := t.Store.Watch(ctx, func(batch []ownergraph.Event) error {
			mu.Lock()
			defer mu.Unlock()
			for _, e := range cloneEvents(batch) {
				events = append(events, e)
				known.apply(e)
			}
			if known.listed() {
				return errSink
			}
			return nil
		})
		if errors.Is(err, errSink) {
			return nil
		}
		return err
	}
	t.eachMoment("Watch", watch, func(m moment, _ error) { t.wholeListings(m, events, want) })
}

// wholeListings breaks the law if a listing ended without an object, or if an object or a
// kind ended. No client writes.
func (t *trial) wholeListings(m moment, events []ownergraph.Event, want map[ownergraph.Kind][]ownergraph.Object) {
	t.Helper()
	r := replay(nil)
	for _, e := range events {
		if e.Type == graph.Gone || e.Type == graph.KindVanished {
			t.broken("the end of a watch's context ends no object and no kind", history("its context: "+m.String(), "the watch:  "+formatEvent(e)))
		}
		if listing := r.of(e.Of()).listing; e.Type == graph.ListEnded && listing != nil {
			for _, o := range want[e.Kind] {
				if !listing[o.Key] {
					t.broken("a listing that breaks off with its context has no end", history("the object: "+o.String(), "the context of the watch: "+m.String(),
						fmt.Sprintf("the watch:  list-ended %s, after %d objects of %d", e.Kind, len(listing), len(want[e.Kind]))))
				}
			}
		}
		r.apply(e)
	}
}

// endedFencesPass judges the tokens of fences whose contexts end. An error is an answer
// too.
func endedFencesPass(t *trial) {
	f, _ := ownergraph.As[ownergraph.Fencer](t.Store)
	w := t.watch().ready()
	var token uint64
	call := func(ctx context.Context) (err error) { token, err = f.Fence(ctx); return err }
	t.eachMoment("Fence", call, func(m moment, err error) {
		if err != nil {
			return
		}
		id, what := token, fmt.Sprintf("the fence passes whose token Fence answered, although its context ended (%s)", m)
		w.mustSee(what, func(r *replica) bool { return t.passedBy(r, id) })
	})
}
