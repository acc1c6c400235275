package clientgo

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"testing"

	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
)

// label sets an object's labels, as a user does.
func (f *fake) label(_ context.Context, key graph.Key, set map[string]string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	k := f.kindOf(key.Kind)
	live := k.objects[types.NamespacedName{Namespace: key.Scope, Name: key.Name}]
	if live == nil {
		return graph.ErrNotFound
	}
	m := live.DeepCopy()
	m.Labels = set
	_, err := f.store(k, m)
	return err
}

// matching returns the objects whose labels match.
func matching(items []*meta, selector string) []*meta {
	s, err := labels.Parse(selector)
	if err != nil {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(items), func(m *meta) bool { return !s.Matches(labels.Set(m.Labels)) })
}

// TestSelect: the server selects by label, page by page, at the version of the first
// page. An unserved kind and a rejected selector are errors.
func TestSelect(t *testing.T) {
	bubble(t, newFake(standardKinds()...), Config{}, func(r *rig) {
		for i := range 5 {
			m := named("ns", fmt.Sprint("c", i))
			m.Labels = map[string]string{"of": fmt.Sprint(i % 2), "x.io/n": fmt.Sprint(i)}
			r.create("ConfigMap", m)
		}
		choose := func(q ownergraph.SelectRequest) (out []string, more string, err error) {
			page, err := r.store.Select(r.t.Context(), q)
			for _, o := range page.Objects {
				if o.Key.UID == "" || o.Version == "" {
					t.Errorf("%+v", o)
				}
				out = append(out, o.Key.Name+"="+o.Value)
			}
			return out, page.More, err
		}
		q := ownergraph.SelectRequest{Kind: "ConfigMap", Selector: "of in (0),x.io/n", Label: "x.io/n", Limit: 2}
		got, more, err := choose(q)
		if fmt.Sprint(got) != "[c0=0 c2=2]" || more == "" || err != nil {
			t.Errorf("%v, %q, %v", got, more, err)
		}
		if err := r.label(r.t.Context(), graph.Key{Kind: "ConfigMap", Scope: "ns", Name: "c4"}, nil); err != nil {
			t.Fatal(err)
		}
		q.After = more
		if got, more, err = choose(q); fmt.Sprint(got) != "[c4=4]" || more != "" || err != nil {
			t.Errorf("%v, %q, %v: the second page shows the moment of the first", got, more, err)
		}
		q.After = ""
		if got, _, err = choose(q); fmt.Sprint(got) != "[c0=0 c2=2]" || err != nil {
			t.Errorf("%v, %v: c4 no longer has labels", got, err)
		}
		for _, c := range []struct {
			q      ownergraph.SelectRequest
			is     error
			reason string
		}{
			{ownergraph.SelectRequest{Kind: "Widget", Selector: "a"}, graph.ErrKindUnknown, "the kind is not served"},
			{ownergraph.SelectRequest{Kind: "ConfigMap", Selector: "a in"}, graph.ErrRefused, "it is no selector"},
		} {
			if _, _, err := choose(c.q); !errors.Is(err, c.is) || errors.Is(err, graph.ErrNotFound) {
				t.Errorf("%+v: %v, want %v: %s", c.q, err, c.is, c.reason)
			}
		}
		for _, c := range []struct {
			code   int
			is     error // nil for a transient error
			reason string
		}{
			{404, graph.ErrKindUnknown, "a path that is not served proves nothing"},
			{403, graph.ErrRefused, "it may not be listed"},
			{410, nil, "the server has forgotten the moment of the first page"},
		} {
			r.locked(func() { r.fault = failing("configmaps", c.code) })
			_, _, err := choose(q)
			only(t, c.reason, err, c.is)
		}
	})
}

// TestSelectIgnored: a server that ignores selectors returns objects whose labels do
// not match. That is an error, so such an object never becomes a member.
func TestSelectIgnored(t *testing.T) {
	bubble(t, newFake(standardKinds()...), Config{}, func(r *rig) {
		r.create("ConfigMap", named("ns", "c"))
		r.locked(func() {
			r.fault = func(q *http.Request) *fakeResponse {
				v := q.URL.Query()
				v.Del("labelSelector")
				q.URL.RawQuery = v.Encode()
				return nil
			}
		})
		q := ownergraph.SelectRequest{Kind: "ConfigMap", Selector: "tier in (gold)"}
		if page, err := r.store.Select(r.t.Context(), q); !errors.Is(err, errNoMatch) || len(page.Objects) > 0 {
			t.Errorf("%+v, %v", page, err)
		}
	})
}
