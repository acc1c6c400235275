package browser

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/adapters/memory"
	"github.com/ownergraph/ownergraph/adapters/web"
	"github.com/ownergraph/ownergraph/graph"
)

// TestLive: a page shows a change by itself, with the time of the update. The focus and open details stay.
func TestLive(t *testing.T) {
	w := newWorld(t)
	b := open(t, w.collector, web.Config{})
	front := w.find(b, "apps/Deployment/front")
	b.visit(address("object", front))
	b.until(`document.getElementById("main").dataset.live === "on"`, "the stream is open")
	b.do(chromedp.Evaluate(`document.querySelector("details").open = true; document.querySelector("main .button").focus()`, nil))
	w.delete(t, w.find(b, "cart-settings"), graph.Background)
	before := value[string](b, `document.getElementById("updated").dateTime`)
	b.until(`document.getElementById("updated").dateTime !== "`+before+`"`, "the page is updated")
	if !value[bool](b, `document.querySelector("details").open && document.activeElement.textContent === "Plan its deletion"`) {
		t.Error("an update closes the details or takes the focus away")
	}
	b.visit("deletions")
	b.until(`document.getElementById("main").dataset.live === "on"`, "the stream is open")
	w.delete(t, w.find(b, "apps/Deployment/cart"), graph.Foreground)
	b.until(`[...document.querySelectorAll("tbody bdi")].some(e => e.textContent === "cart")`, "the page shows the deletion")
	b.calm("live")
}

// TestSearchTypes: a search follows the typed text, keeps the focus, and its address can be kept.
func TestSearchTypes(t *testing.T) {
	w := newWorld(t)
	b := open(t, w.collector, web.Config{})
	b.visit("search?scope=shop")
	b.do(chromedp.Focus("#name"), chromedp.KeyEvent("cart-7d4b9c6f5-"))
	b.until(`document.querySelectorAll("tbody tr").length === 3 && location.search.includes("name=cart-7d4b9c6f5-")`, "the pods are there")
	b.do(chromedp.KeyEvent("none"))
	b.until(`document.querySelector(".empty") && document.activeElement.id === "name"`, "no object is there, and the focus stays")
	b.visit("search")
	b.do(chromedp.Click(`//ul[@class="chips"]//a[contains(., "Note")]`, chromedp.BySearch))
	b.until(`location.search.includes("kind=Note") && document.querySelector(".chips a[aria-current]").textContent.startsWith("Note")`, "a filter by kind")
	b.calm("search")
}

// TestGraphWalk: a key opens a group and then an object. The buttons zoom, and the whole picture comes back.
func TestGraphWalk(t *testing.T) {
	w := newWorld(t)
	b := open(t, w.collector, web.Config{})
	b.look(1440, "light")
	b.visit(address("object", w.find(b, "apps/ReplicaSet/front-7d4b9c6f5")))
	whole := value[string](b, `document.querySelector(".wide svg").getAttribute("viewBox")`)
	b.do(chromedp.Click(`.wide .zoom button`, chromedp.ByQuery))
	b.until(`document.querySelector(".wide svg").getAttribute("viewBox") !== "`+whole+`"`, "it zooms")
	b.do(chromedp.Click(`.wide .zoom button:last-child`, chromedp.ByQuery))
	b.until(`document.querySelector(".wide svg").getAttribute("viewBox") === "`+whole+`"`, "the whole picture is back")
	b.press(`document.activeElement.matches(".wide a") && document.activeElement.textContent.includes("Pod × 5")`)
	b.do(chromedp.KeyEvent(kb.Enter))
	b.until(`location.search.includes("open=Pod") && document.querySelectorAll(".wide a").length >= 7`, "the group is open")
	b.press(`document.activeElement.matches(".wide a") && document.activeElement.textContent.includes("front-7d4b9c6f5-l1")`)
	b.do(chromedp.KeyEvent(kb.Enter))
	b.until(`document.querySelector("h1").textContent === "front-7d4b9c6f5-l1"`, "the box leads to its object")
	b.calm("walk")
}

// outside returns the parts that reach out of their cell, also by the ink of their text.
const outside = `[...document.querySelectorAll("td bdi")].filter(e => {
	const c = e.closest("td").getBoundingClientRect(), r = e.getBoundingClientRect(), s = getComputedStyle(e);
	return r.top < c.top - 1 || r.bottom > c.bottom + 1 || r.height > 200 || s.overflow !== "clip" || !s.contain.includes("paint");
}).length`

// TestMarks: a name with 80 combining marks stays in its cell.
func TestMarks(t *testing.T) {
	w := newWorld(t)
	b := open(t, w.collector, web.Config{})
	for _, page := range []string{"search?kind=note&name=e%CC%81", "held"} {
		b.visit(page)
		if n := value[int](b, outside); n > 0 {
			t.Errorf("%s: %d names are out of their cell", page, n)
		}
	}
}

// TestSizes: the pages about few and about very many objects are as narrow, and the object is in sight.
func TestSizes(t *testing.T) {
	for _, n := range []int{300, 5000, 100_000} {
		root := graph.Key{Kind: "Team", Name: "blue", UID: "blue"}
		m := memory.Config{Objects: []graph.Object{{Key: root}}}
		for i := range n {
			o := graph.Object{Key: graph.Key{Kind: graph.Kind(fmt.Sprint("Kind", i%7)), Scope: "s", Name: fmt.Sprintf("object-%06d", i), UID: graph.UID(fmt.Sprint("u", i))}}
			o.Owners = []graph.Owner{{Key: root, Block: true}}
			m.Objects = append(m.Objects, o)
		}
		store, err := memory.New(m)
		if err != nil {
			t.Fatal(err)
		}
		c, err := ownergraph.New(store, ownergraph.Config{})
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- c.Run(ctx) }()
		if err := c.Synced(ctx); err != nil {
			t.Fatal(err)
		}
		b := open(t, c, web.Config{})
		for _, page := range []string{"", "deletions", "search", address("object", root), address("plan", root), address("plan", root, "propagation", "foreground")} {
			for _, width := range []int64{320, 1440} {
				b.look(width, "light")
				began := time.Now()
				b.visit(page)
				t.Logf("%d objects, %q, %d px: %v", n, page, width, time.Since(began).Round(time.Millisecond))
				b.fits(fmt.Sprintf("%d objects, %q, %d px", n, page, width), false)
			}
		}
		b.visit(address("object", root))
		if !value[bool](b, `(r => r.left >= 0 && r.right <= innerWidth && r.top < innerHeight)(document.querySelector(".wide a[aria-current]").getBoundingClientRect())`) {
			t.Errorf("%d objects: the object is out of sight", n)
		}
		b.calm("sizes")
		cancel()
		<-ended
	}
}
