package web

import (
	"html/template"
	"net/url"
	"slices"
	"strings"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/view"
)

// The number of boxes side by side in the two drawings of a page. A style sheet shows one of them.
const (
	wideRow = 4
	slimRow = 2
	maxOpen = 20 // opened groups
)

// drawn is a picture in a page, for a wide window and for a slim one.
type drawn struct {
	Wide, Slim template.HTML
	Opened     []openGroup
}

// openGroup is a group of the picture whose objects show, with the link that closes it.
type openGroup struct{ Kind, Link string }

// drawPage draws a picture for a page about an object. Many dependents of one kind are one box, which
// opens by a link to the same page. Each other box is a link to the page of its object.
//
//test:by TestObjectGraph TestHostile
func drawPage(p view.Picture, page string, key graph.Key, q url.Values) (out drawn) {
	open := q["open"][:min(len(q["open"]), maxOpen)]
	keep := url.Values{}
	if how := q.Get("propagation"); how != "" {
		keep.Set("propagation", how)
	}
	with := func(open []string) string {
		more := url.Values{"open": open}
		if len(open) == 0 {
			more = url.Values{}
		}
		for name, values := range keep {
			more[name] = values
		}
		return link(page, key, more)
	}
	p = p.Grouped(func(b view.Box) bool { return slices.Contains(open, groupOf(b)) })
	address := func(b view.Box) string {
		if b.Kind == "" {
			return objectLink(b.Key)
		}
		if to := with(append(slices.Clip(open), groupOf(b))); to != "" {
			return to + "#tree"
		}
		return ""
	}
	out.Wide, out.Slim = template.HTML(p.Page(wideRow, address)), template.HTML(p.Page(slimRow, address)) // view escapes all text
	for i, g := range open {
		kind := g[:max(strings.LastIndexByte(g, '@'), 0)]
		out.Opened = append(out.Opened, openGroup{kind, with(slices.Delete(slices.Clone(open), i, i+1)) + "#tree"})
	}
	return out
}

// groupOf names a group in an address: the kind, and the UID of the owner.
func groupOf(b view.Box) string { return string(b.Kind) + "@" + string(b.Key.UID) }
