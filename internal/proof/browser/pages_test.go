package browser

import (
	"fmt"
	"testing"

	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"github.com/ownergraph/ownergraph/adapters/web"
)

// awaited makes a script wait for its promise.
func awaited(p *runtime.EvaluateParams) *runtime.EvaluateParams { return p.WithAwaitPromise(true) }

// pages are all pages, with the objects of the world that fill them.
func (w *world) pages(b *tab) map[string]string {
	checkout, cart := w.find(b, "apps/Deployment/checkout"), w.find(b, "apps/Deployment/cart")
	return map[string]string{
		"overview": "", "deletions": "deletions", "held": "held", "held for a reason": "held?reason=NeedFinalizers", "search": "search?scope=shop", "no result": "search?name=none",
		"object": address("object", checkout), "pod": address("object", w.find(b, "checkout-7d4b9c6f5-k0")), "hostile object": address("object", w.find(b, hostile()[0])),
		"stuck object": address("object", w.find(b, "payment-keys")), "plan": address("plan", cart), "foreground plan": address("plan", cart, "propagation", "foreground"),
		"cascade": address("cascade", checkout), "waiting cascade": address("cascade", cart), "archive": "archive", "filtered archive": "archive?kind=ConfigMap&explicit=true", "reasons": "reasons", "error": "object?key=Pod/shop/none",
	}
}

// wide returns the elements that are wider than the window, outside of the regions that scroll.
const wide = `(() => {
	const w = document.documentElement.clientWidth, out = [];
	if (document.documentElement.scrollWidth > w) out.push("page: " + document.documentElement.scrollWidth);
	for (const e of document.querySelectorAll("body *"))
		if (!e.closest(".scroll, pre, .unseen, thead, .skip, datalist") && e.getBoundingClientRect().right > w + 1) out.push(e.outerHTML.slice(0, 120));
	return out.slice(0, 3);
})()`

// ready is true once a page has loaded, and its stream has filled it.
const ready = `document.readyState === "complete" && (!document.getElementById("cascade") || document.getElementById("cascade").dataset.live)`

// broken returns the pictures that did not load.
const broken = `[...document.images].filter(i => !(i.complete && i.naturalWidth > 0)).map(i => i.src)`

// TestPages: each page fits a window of 320 px and of 1,440 px, in light and in dark colours. It
// breaks no rule of WCAG 2.2 AA, and the browser has nothing to report. Two of the four looks
// check all rules, and the others the colours alone, since no other rule depends on the look.
func TestPages(t *testing.T) {
	w, script := newWorld(t), axe(t)
	b := open(t, w.collector, web.Config{Archive: w})
	b.still()
	for name, page := range w.pages(b) {
		b.look(320, "light")
		b.visit(page)
		b.until(ready, name)
		b.do(chromedp.Evaluate(script, nil))
		for _, c := range []struct {
			width  int64
			scheme string
			rules  string
		}{{320, "light", allRules}, {320, "dark", colours}, {1440, "dark", allRules}, {1440, "light", colours}} {
			b.look(c.width, c.scheme)
			b.fits(fmt.Sprintf("%s, %d px, %s", name, c.width, c.scheme), c.scheme == "dark")
			b.accessible(c.rules, fmt.Sprintf("%s, %d px, %s", name, c.width, c.scheme))
		}
		if name == "error" {
			b.problems = nil // the browser reports the status
		}
		b.calm(name)
	}
}

// fits checks the layout and the colours of the present page.
func (b *tab) fits(where string, dark bool) {
	b.Helper()
	for _, x := range value[[]string](b, wide) {
		b.Errorf("%s: too wide: %s", where, x)
	}
	for _, x := range value[[]string](b, broken) {
		b.Errorf("%s: no picture: %s", where, x)
	}
	if got := value[string](b, `getComputedStyle(document.body).backgroundColor`) == "rgb(17, 21, 27)"; got != dark {
		b.Errorf("%s: dark is %t", where, got)
	}
}

// TestHostileNames: names of objects run no script, and stay text.
func TestHostileNames(t *testing.T) {
	w := newWorld(t)
	b := open(t, w.collector, web.Config{Archive: w})
	for _, page := range []string{"archive?kind=ConfigMap", "search?kind=note", address("object", w.find(b, hostile()[0])), address("plan", w.find(b, hostile()[1])), address("cascade", w.find(b, hostile()[0])), address("cascade", w.find(b, hostile()[1]))} {
		b.visit(page)
		b.until(ready, page)
		if got := value[string](b, `document.title`); got == "broken" || got == "" {
			t.Errorf("%s: title %q", page, got)
		}
		if n := value[int](b, `document.querySelectorAll("main script, main img[src=x], main b, [onerror], [onfocus], [style], style").length`); n > 0 {
			t.Errorf("%s: %d foreign elements", page, n)
		}
	}
	b.visit("search?kind=note")
	if n := value[int](b, `document.querySelectorAll("tbody tr").length`); n != len(hostile()) {
		t.Errorf("%d objects, want %d", n, len(hostile()))
	}
	b.calm("hostile names")
}
