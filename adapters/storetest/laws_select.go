package storetest

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
)

const (
	selectMatches = "select/matches"
	tagged        = "example.org/of" // a label
)

// lawsOfSelector are about ownergraph.LabelSelector.
func lawsOfSelector() []law {
	needs := []need{needSelector, needLabel}
	return []law{
		{
			name: selectMatches, needs: needs, rests: []string{readFresh},
			why: "the engine deletes the matching objects with their holder, and keeps the others: a wrong match deletes an object, or keeps it for ever",
			run: selectsMatches,
		},
		{
			name: "select/fresh", needs: needs, rests: []string{selectMatches},
			why: "a holder goes when objects no longer match: an answer older than the call leaves behind an object that was labelled since",
			run: selectsFresh,
		},
		{
			name: "select/version", needs: needs, rests: []string{selectMatches, watchComplete},
			why: "a delete names the version that matched: if new labels make no new version, the engine deletes an object that no longer matches",
			run: labelsMakeVersions,
		},
		{
			name: "select/pages", needs: needs, rests: []string{selectMatches},
			why: "an object that is missing between two pages stays when its holder is gone",
			run: selectsPages,
		},
		{
			name: "select/marked", needs: needs, rests: []string{selectMatches, readMarked},
			why: "an object that is being deleted is still there, and its holder has to wait for it",
			run: selectsMarked,
		},
		{
			name: "select/unknown-kind", needs: needs, rests: []string{selectMatches},
			why: "the engine takes an empty answer as proof that no object matches",
			run: selectsNoUnknownKind,
		},
		{
			name: "select/sick", needs: []need{needSelector, needLabel, needSicken}, rests: []string{selectMatches, sickReported, watchListing},
			why: "the engine takes an empty answer as proof that no object matches, also for a kind out of reach",
			run: selectsNoSickKind,
		},
	}
}

// label sets an object's labels as a user, and returns the object after that.
func (t *trial) label(o ownergraph.Object, labels map[string]string) ownergraph.Object {
	t.Helper()
	if err := t.do("the Label hook", func(ctx context.Context) error { return t.Label(ctx, o.Key, labels) }); err != nil {
		t.unable("Label of %s: %v", o, err)
	}
	return t.live(o.Key)
}

func (t *trial) trySelect(q ownergraph.SelectRequest) (page ownergraph.SelectPage, err error) {
	t.Helper()
	s, _ := ownergraph.As[ownergraph.LabelSelector](t.Store)
	err = t.do(fmt.Sprintf("Select of %s by %q", q.Kind, q.Selector), func(ctx context.Context) (err error) {
		page, err = s.Select(ctx, q)
		return err
	})
	return page, err
}

// selects breaks the law if the answer differs from the wanted objects of the kind,
// with their versions and the values of the label.
func (t *trial) selects(selector string, limit int, values []string, want ...ownergraph.Object) {
	t.Helper()
	q := ownergraph.SelectRequest{Kind: t.main.Kind, Selector: selector, Label: tagged, Limit: limit}
	var got, wanted []string
	for pages := 0; pages <= len(want)+1; pages++ {
		page, err := t.trySelect(q)
		t.accept(fmt.Sprintf("Select of %s by %q", q.Kind, selector), err)
		if limit > 0 && len(page.Objects) > limit {
			t.broken(fmt.Sprintf("a page has at most %d objects", limit), fmt.Sprintf("%d", len(page.Objects)))
		}
		for _, o := range page.Objects {
			got = append(got, fmt.Sprintf("%s#%s %q", o.Key, o.Version, o.Value))
		}
		if q.After = page.More; q.After == "" {
			break
		}
	}
	for i, o := range want {
		wanted = append(wanted, fmt.Sprintf("%s#%s %q", o.Key, o.Version, values[i%len(values)]))
	}
	slices.Sort(got)
	slices.Sort(wanted)
	if !slices.Equal(got, wanted) {
		t.broken(fmt.Sprintf("%q selects %q", selector, wanted), fmt.Sprintf("%q", got))
	}
}

func selectsMatches(t *trial) {
	a, b, c, d := t.made("a"), t.made("b"), t.made("c"), t.made("d")
	a = t.label(a, map[string]string{tagged: "1", "tier": "gold"})
	b = t.label(b, map[string]string{tagged: "11"})
	c = t.label(c, map[string]string{tagged: "1"})
	if t.second.Kind != t.main.Kind {
		t.label(t.create(ownergraph.Object{Key: keyOf(t.second, "e")}), map[string]string{tagged: "1"})
	}
	for _, x := range []struct {
		selector string
		want     []ownergraph.Object
		values   []string
	}{
		{tagged + "=1", []ownergraph.Object{a, c}, []string{"1"}},
		{tagged + "=1,tier", []ownergraph.Object{a}, []string{"1"}},
		{tagged + "=1,!tier", []ownergraph.Object{c}, []string{"1"}},
		{tagged + " in (1,11)", []ownergraph.Object{a, b, c}, []string{"1", "11", "1"}},
		{tagged + " notin (1)", []ownergraph.Object{b, d}, []string{"11", ""}},
		{tagged + "=2", nil, nil},
	} {
		t.selects(x.selector, 0, x.values, x.want...)
	}
	q := ownergraph.SelectRequest{Kind: t.main.Kind, Selector: "not, a (selector"}
	_, err := t.trySelect(q)
	t.refuse(fmt.Sprintf("Select by %q", q.Selector), err)
}

func selectsFresh(t *trial) {
	a := t.made("a")
	for i := range 4 {
		a = t.label(a, map[string]string{tagged: "1"})
		t.selects(tagged+"=1", 0, []string{"1"}, a)
		if i%2 == 0 {
			a = t.label(a, map[string]string{tagged: "2"})
		} else {
			a = t.label(a, nil)
		}
		t.selects(tagged+"=1", 0, nil)
	}
}

func labelsMakeVersions(t *trial) {
	w := t.watch().ready()
	a := t.made("a")
	for _, labels := range []map[string]string{{tagged: "1"}, {tagged: "2"}, nil} {
		b := t.label(a, labels)
		if b.Version == a.Version {
			t.broken(fmt.Sprintf("%s has another version when its labels are %v", a, labels), b.String())
		}
		w.mustSee(fmt.Sprintf("the watch reports %s", b), func(r *replica) bool { return r.knows(b) })
		a = b
	}
}

func selectsPages(t *trial) {
	var want []ownergraph.Object
	for i := range 7 {
		o := t.label(t.made(fmt.Sprintf("a%d", i)), map[string]string{tagged: "1"})
		want = append(want, o)
		t.made(fmt.Sprintf("b%d", i))
	}
	for _, limit := range []int{1, 3, 7, 100} {
		t.selects(tagged+"=1", limit, []string{"1"}, want...)
	}
}

func selectsMarked(t *trial) {
	a := t.label(t.made("a", holdFinalizer), map[string]string{tagged: "1"})
	t.userDelete(a.Key, ownergraph.DeleteOptions{Propagation: ownergraph.Background})
	t.selects(tagged+"=1", 0, []string{"1"}, t.live(a.Key))
}

func selectsNoUnknownKind(t *trial) {
	page, err := t.trySelect(ownergraph.SelectRequest{Kind: "no-such-kind", Selector: tagged})
	if !errors.Is(err, graph.ErrKindUnknown) {
		t.broken("Select of a kind that is not served is an ErrKindUnknown", fmt.Sprintf("%v, %v", page, err))
	}
}

func selectsNoSickKind(t *trial) {
	t.label(t.made("a"), map[string]string{tagged: "1"})
	w := t.watch().ready()
	if err := t.do("the Sicken hook", func(ctx context.Context) error { _, err := t.Sicken(ctx, t.main.Kind); return err }); err != nil {
		t.unable("Sicken: %v", err)
	}
	w.mustSee("the watch reports that the kind is sick", func(r *replica) bool { return r.of(t.main.Kind).sick })
	page, err := t.trySelect(ownergraph.SelectRequest{Kind: t.main.Kind, Selector: tagged})
	if err == nil && len(page.Objects) == 0 {
		t.broken("Select of a kind that is out of reach is an error", "it matched nothing")
	}
}
