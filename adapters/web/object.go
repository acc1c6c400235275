package web

import (
	"context"
	"errors"
	"html/template"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/explain"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/view"
)

const (
	maxNearby   = 500     // objects around an object, for its page
	maxDrawn    = 40      // of them in the picture
	maxNeighbor = 50      // links to dependents
	maxPre      = 64000   // bytes of a text
	maxTextJSON = 8 << 20 // bytes of the text of an explanation that is written in JSON
)

type objectPage struct {
	head
	object
	Place      string
	Pace       string
	Sentence   string
	Owners     []ownerRow
	Dependents []jsonKey
	Next       string // the link to the next dependents
	Graph      drawn
	Tree       string
	Why        template.HTML
	Now        time.Time
}

// object is the JSON form of the page of one object.
type object struct {
	Schema      string              `json:"schema"`
	Key         jsonKey             `json:"key"`
	Explanation explain.Explanation `json:"explanation"`
	// References counts the references of other objects to this one. Objects has those around
	// it, the nearest ones first.
	References int            `json:"references"`
	Objects    []graph.Object `json:"objects"`
	More       bool           `json:"more,omitempty"`
	// Unobserved says that the page may differ from the store, and why.
	Unobserved string `json:"unobserved,omitempty"`
	// Member is the name of the member of the group that works on the object.
	Member string `json:"member,omitempty"`
}

type ownerRow struct {
	explain.Owner
	Link jsonKey
}

// Link is the link to another page about the object, for a template.
func (p objectPage) Link(page string) string {
	return link(page, p.Explanation.Key, nil)
}

// around returns an explanation, and the objects around the object of a request. An object that
// is gone has an explanation alone.
func (h *Handler) around(ctx context.Context, r *http.Request, limit int) (x explain.Explanation, n ownergraph.Nearby, err error) {
	key, err := objectIn(r)
	if err != nil {
		return x, n, err
	}
	n, err = h.source.Nearby(ctx, key, limit)
	switch {
	case err == nil:
		key = n.Key
	case !errors.Is(err, ownergraph.ErrNotFound) || key.Kind == "":
		return x, n, err
	}
	x, err = h.source.Explain(ctx, key)
	return x, n, err
}

// object makes the page of one object.
//
//test:by TestObject TestObjectGone TestHostile TestHostileMany TestGolden
func (h *Handler) object(ctx context.Context, r *http.Request) (content, error) {
	from, err := offset(r.URL.Query())
	if err != nil {
		return nil, err
	}
	x, n, err := h.around(ctx, r, min(maxNearby+from, max(maxNearby, h.config.MaxPlan)))
	if err != nil {
		return nil, err
	}
	below := dependents(n.Objects, x.Key)
	n.Objects, n.More = n.Objects[:min(len(n.Objects), maxNearby)], n.More || len(n.Objects) > maxNearby
	o := object{"ownergraph/object/v1", keyOf(x.Key), x, n.References, light(n.Objects), n.More, unobserved(h.source.Kinds()), h.memberOf(x.Key.UID)}
	o.More = o.More || len(o.Objects) < len(n.Objects)
	pace, _ := x.Pace()
	text := x.Text()
	if len(text) > maxTextJSON && wantsJSON(r.Header.Values("Accept")) {
		return nil, &statusError{http.StatusNotAcceptable, "the names in this explanation are too long for JSON: open the page in HTML, or make it by Collector.Explain"}
	}
	_, why, _ := strings.Cut(text, "\n") // the first line is the sentence
	p := objectPage{head: head{Title: title(x.Key)}, object: o, Place: x.Key.PlaceString(), Pace: pace.String(), Sentence: x.Sentence(), Now: h.config.Now(), Why: explained(&x).linked(why)}
	for i := range x.Owners {
		p.Owners = append(p.Owners, ownerRow{x.Owners[i], keyOf(x.Owners[i].Key)})
	}
	below = below[min(from, len(below)):]
	for _, k := range below[:min(len(below), maxNeighbor)] {
		p.Dependents = append(p.Dependents, keyOf(k))
	}
	if len(below) > maxNeighbor {
		p.Next = link("object", x.Key, url.Values{"from": {strconv.Itoa(from + maxNeighbor)}})
	}
	if len(n.Objects) > 0 {
		t := tree(n, x.Key, maxNearby)
		p.Graph, p.Tree = drawPage(t, "object", x.Key, r.URL.Query()), t.Text()
	}
	return page{name: "object", data: p, json: o}, nil
}

// dependents returns the objects that refer to an object, in the order of the objects around it.
func dependents(objects []graph.Object, of graph.Key) (out []graph.Key) {
	for _, d := range objects {
		if d.Key != of && slices.ContainsFunc(d.Owners, func(o graph.Owner) bool { return o.UID == of.UID }) {
			out = append(out, d.Key)
		}
	}
	return out
}

func title(k graph.Key) string { return kindText(k.Kind) + " " + clean(k.Name) }

// tree draws an object with those around it. Counts of a part of them are least numbers. For an object that references alone name, it
// draws the dependents, with the object as an unknown owner.
//
//test:by TestManyCounts
func tree(n ownergraph.Nearby, key graph.Key, limit int) view.Picture {
	p := view.All(n.Objects, limit)
	if n.Objects[0].Key == key {
		p = view.Tree(n.Objects, key, limit)
	}
	if n.More {
		p = p.Partial()
	}
	return p
}

// treePicture draws the tree of an object. The parameter all asks for all objects that the page
// knows.
//
//test:by TestPictures
func (h *Handler) treePicture(ctx context.Context, r *http.Request) (content, error) {
	x, n, err := h.around(ctx, r, maxNearby)
	if err != nil {
		return nil, err
	}
	if len(n.Objects) == 0 {
		return nil, &statusError{http.StatusNotFound, "no object is observed here, so there is no tree"}
	}
	limit := maxDrawn
	if r.URL.Query().Has("all") {
		limit = maxNearby
	}
	return picture(tree(n, x.Key, limit).SVG()), nil
}
