package browser

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/ownergraph/ownergraph/adapters/web"
)

// reachable marks all parts that a keyboard must reach, and returns their number.
const reachable = `(() => {
	const all = [...document.querySelectorAll("a[href], button, input, summary, [tabindex='0']")].filter(e => e.checkVisibility());
	all.forEach((e, i) => e.dataset.stop = i);
	return all.length;
})()`

// focused returns the mark of the part that has the focus, and whether the focus shows.
const focused = `(() => {
	const e = document.activeElement, s = getComputedStyle(e), r = e.getBoundingClientRect();
	return {stop: e.dataset.stop === undefined ? -1 : Number(e.dataset.stop), text: e.outerHTML.slice(0, 120),
		shows: s.outlineStyle !== "none" && parseFloat(s.outlineWidth) >= 2 && r.bottom > 0 && r.top < innerHeight};
})()`

type focus struct {
	Stop  int
	Text  string
	Shows bool
}

// TestKeyboard: the tab key reaches every link, field, button and region in the order of the page,
// and the focus shows. The first stop leads to the content.
func TestKeyboard(t *testing.T) {
	w := newWorld(t)
	b := open(t, w.collector, web.Config{Archive: w})
	b.still()
	for name, page := range w.pages(b) {
		for _, width := range []int64{320, 1440} {
			if width > 320 && strings.HasPrefix(page, "held") || page == "search?scope=shop" {
				continue // long lists of the same stops
			}
			b.look(width, "light")
			b.visit(page)
			b.until(ready, name)
			n := value[int](b, reachable)
			if n < 6 {
				t.Errorf("%s: %d stops", name, n)
			}
			for i := range n {
				b.do(chromedp.KeyEvent(kb.Tab))
				if f := value[focus](b, focused); f.Stop != i || !f.Shows {
					t.Errorf("%s, %d px: stop %d of %d is %d, shows %t: %s", name, width, i, n, f.Stop, f.Shows, f.Text)
					break
				}
			}
		}
	}
}

// TestKeyboardWalk: with keys alone a user skips to the content, searches, opens an object and
// its plan.
func TestKeyboardWalk(t *testing.T) {
	w := newWorld(t)
	b := open(t, w.collector, web.Config{})
	b.look(1440, "light")
	b.visit("")
	b.do(chromedp.KeyEvent(kb.Tab), chromedp.KeyEvent(kb.Enter))
	b.until(`location.hash === "#main" && document.activeElement.id === "main"`, "the skip link leads to the content")
	b.visit("search")
	b.press(`document.activeElement.id === "name"`)
	b.do(chromedp.KeyEvent("cart-7d4b9c6f5-"), chromedp.KeyEvent(kb.Enter))
	b.until(`new URLSearchParams(location.search).get("name") === "cart-7d4b9c6f5-" && document.querySelectorAll("tbody tr").length === 3`, "the search finds the pods")
	b.press(`document.activeElement.textContent === "cart-7d4b9c6f5-k0"`)
	b.do(chromedp.KeyEvent(kb.Enter))
	b.until(`document.querySelector("h1")?.textContent === "cart-7d4b9c6f5-k0"`, "the link leads to the object")
	b.press(`document.activeElement.textContent === "Plan its deletion"`)
	b.do(chromedp.KeyEvent(kb.Enter))
	b.until(`location.pathname.endsWith("/plan") && document.querySelector("pre")?.textContent.includes("\n1 object goes; 0 are held\n")`, "the button leads to the plan")
	b.press(`document.activeElement.textContent.startsWith("orphan")`)
	b.do(chromedp.KeyEvent(kb.Enter))
	b.until(`location.search.includes("propagation=orphan")`, "the choice leads to another plan")
	b.calm("walk")
}

// press presses the tab key until the focus is where it should be.
func (b *tab) press(there string) {
	b.Helper()
	for range 200 {
		b.do(chromedp.KeyEvent(kb.Tab))
		if value[bool](b, there) {
			return
		}
	}
	b.Fatalf("the tab key never reaches %s", there)
}
