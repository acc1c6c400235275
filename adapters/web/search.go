package web

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/engine"
	"github.com/ownergraph/ownergraph/explain"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/policy"
)

const (
	maxFound = 50        // objects of one page
	maxChips = 12        // kinds that are filters
	maxText  = 1024      // bytes of a searched text
	maxNames = 256 << 10 // bytes of the names of one page, apart from one object
)

type searchPage struct {
	head
	Found found
	Kinds []graph.Kind // that the field proposes
	Chips []chip       // the filters by kind
	Asked bool         // the form has been sent
}

// found is the JSON form of a page of objects.
type found struct {
	Schema  string        `json:"schema"`
	Kind    string        `json:"kind,omitempty"`
	Scope   string        `json:"scope,omitempty"`
	Name    string        `json:"name,omitempty"`
	Objects []foundObject `json:"objects"`
	Next    string        `json:"next,omitempty"` // the link to the next page
	// Unobserved says that there may be other objects, and why. It is empty for a collector
	// that observes all kinds.
	Unobserved string `json:"unobserved,omitempty"`
}

type foundObject struct {
	Key      jsonKey       `json:"key"`
	Deleting bool          `json:"deleting,omitempty"`
	Pace     string        `json:"pace"`
	Reason   policy.Reason `json:"reason,omitzero"`
	Words    string        `json:"words"`
}

// search finds objects by kind, scope and a part of the name.
//
//test:by TestSearch TestSearchUnknown TestMany
func (h *Handler) search(ctx context.Context, r *http.Request) (content, error) {
	q := r.URL.Query()
	f := found{Schema: "ownergraph/search/v1", Kind: q.Get("kind"), Scope: q.Get("scope"), Name: q.Get("name"), Objects: []foundObject{}}
	if len(f.Kind) > maxText || len(f.Scope) > maxText || len(f.Name) > maxText {
		return nil, &statusError{http.StatusBadRequest, "the searched text is longer than 1,024 bytes"}
	}
	after, err := h.after(ctx, q)
	if err != nil {
		return nil, err
	}
	kinds := h.source.Kinds()
	f.Unobserved = unobserved(kinds)
	names := make([]graph.Kind, 0, maxRows)
	for _, k := range kinds[:min(len(kinds), maxRows)] {
		names = append(names, k.Kind)
	}
	chips := f.chips(kinds)
	keys, err := h.source.Keys(ctx, after, maxFound+1, f.matches())
	if err != nil {
		return nil, err
	}
	shown := bounded(keys)
	for _, k := range shown {
		o, err := h.look(ctx, k)
		if err != nil {
			return nil, err
		}
		f.Objects = append(f.Objects, o)
	}
	if len(shown) < len(keys) {
		f.Next = f.next(shown[len(shown)-1])
	}
	return page{name: "search", data: searchPage{head{"Search", "search"}, f, names, chips, len(q) > 0}, json: f}, nil
}

// chip is a filter by kind: a link to the same search in one kind, or in all.
type chip struct {
	Kind    graph.Kind // empty for all
	Objects int
	Link    string
	Here    bool
}

// chips returns the filters by kind: the kinds with the most objects, and the one that is chosen.
//
//test:by TestSearchChips
func (f *found) chips(kinds []engine.KindStatus) []chip {
	kinds = slices.Clone(kinds)
	slices.SortStableFunc(kinds, func(a, b engine.KindStatus) int { return b.Objects - a.Objects })
	out, chosen := []chip{{Link: f.to(""), Here: f.Kind == ""}}, strings.ToLower(f.Kind)
	for _, k := range kinds {
		here := chosen != "" && isKind(k.Kind, chosen)
		if k.Objects > 0 && len(out) <= maxChips || here {
			out = append(out, chip{k.Kind, k.Objects, f.to(k.Kind), here})
		}
	}
	return out
}

// to returns the link to the same search in another kind.
func (f *found) to(k graph.Kind) string {
	q := url.Values{"kind": {string(k)}, "scope": {f.Scope}, "name": {f.Name}}
	for name, values := range q {
		if values[0] == "" {
			delete(q, name)
		}
	}
	return "search?" + q.Encode()
}

// bounded returns the keys of one page. Hostile names make it shorter.
func bounded(keys []graph.Key) []graph.Key {
	size := 0
	for i, k := range keys[:min(len(keys), maxFound)] {
		if size += len(k.Kind) + len(k.Scope) + len(k.Name) + len(k.UID); i > 0 && size > maxNames {
			return keys[:i]
		}
	}
	return keys[:min(len(keys), maxFound)]
}

// next returns the link to the page after a key. The UID stands for a key that is too long for a
// link.
func (f *found) next(after graph.Key) string {
	q := keyQuery(after, "after", "afteruid")
	for name, text := range map[string]string{"kind": f.Kind, "scope": f.Scope, "name": f.Name} {
		if text != "" {
			q.Set(name, text)
		}
	}
	if len(q.Encode()) > 4*maxLink {
		q.Del("after")
	}
	return "search?" + q.Encode()
}

// after reads the last object of the page before, the zero key for the first page.
func (h *Handler) after(ctx context.Context, q url.Values) (graph.Key, error) {
	k, err := keyIn(q, "after", "afteruid")
	if err == nil && k.Kind == "" && k.UID != "" {
		var n ownergraph.Nearby
		n, err = h.source.Nearby(ctx, k, 1)
		k = n.Key
	}
	return k, err
}

// matches returns the condition of the search. A kind may be typed as its name, as its plural,
// or with its group.
func (f *found) matches() func(graph.Key) bool {
	kind, name := strings.ToLower(f.Kind), strings.ToLower(f.Name)
	known := map[graph.Kind]bool{}
	return func(k graph.Key) bool {
		if f.Scope != "" && k.Scope != f.Scope {
			return false
		}
		if kind != "" {
			ok, seen := known[k.Kind]
			if !seen {
				ok = isKind(k.Kind, kind)
				known[k.Kind] = ok
			}
			if !ok {
				return false
			}
		}
		return name == "" || strings.Contains(strings.ToLower(k.Name), name)
	}
}

// isKind reports whether a text in lower case names a kind.
func isKind(k graph.Kind, text string) bool {
	_, name, grouped := strings.Cut(string(k), "/")
	if !grouped {
		name = string(k)
	}
	name = strings.ToLower(name)
	return slices.Contains([]string{strings.ToLower(string(k)), name, plural(name), strings.ToLower(k.Text())}, text)
}

// plural returns the plural of a kind in lower case, by the simple rules of the commands.
func plural(kind string) string {
	switch {
	case strings.HasSuffix(kind, "s"), strings.HasSuffix(kind, "x"), strings.HasSuffix(kind, "ch"):
		return kind + "es"
	case strings.HasSuffix(kind, "y") && !strings.HasSuffix(kind, "ey") && !strings.HasSuffix(kind, "ay"):
		return kind[:len(kind)-1] + "ies"
	}
	return kind + "s"
}

// look adds the present state to a found object. The object may have gone since, or the collector
// may no longer observe its kind.
func (h *Handler) look(ctx context.Context, k graph.Key) (foundObject, error) {
	x, err := h.source.Explain(ctx, k)
	switch {
	case errors.Is(err, ownergraph.ErrNotFound):
		return foundObject{Key: keyOf(k), Pace: explain.Resting.String(), Words: "it is not observed any more"}, nil
	case err != nil:
		return foundObject{}, err
	case x.State == explain.Gone:
		return foundObject{Key: keyOf(k), Pace: explain.Resting.String(), Words: "it has gone"}, nil
	}
	p, _ := x.Pace()
	return foundObject{keyOf(k), x.Deleting, p.String(), x.Decision.Reason, policy.Words(x.Decision.Reason, x.Decision.Doubt)}, nil
}
