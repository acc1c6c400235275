package browser

import (
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/ownergraph/ownergraph/adapters/web"
	"github.com/ownergraph/ownergraph/graph"
)

// release takes the finalizers off an object.
func (w *world) release(b *tab, k graph.Key) {
	b.Helper()
	o, err := w.Get(b.Context(), k)
	if err != nil {
		b.Fatal(err)
	}
	o.Finalizers = nil
	if _, err := w.Update(b.Context(), o); err != nil {
		b.Fatal(err)
	}
}

// TestCascadeLive: the page of a deletion follows it to the end, and a user can stop and continue
// the updates.
func TestCascadeLive(t *testing.T) {
	w := newWorld(t)
	b := open(t, w.collector, web.Config{})
	cart, database := w.find(b, "apps/Deployment/cart"), w.find(b, "shop.example/Database/orders")
	b.visit(address("cascade", cart))
	b.until(`document.getElementById("cascade").dataset.live === "on"`, "the stream is open")
	if got := value[string](b, `document.getElementById("state").textContent`); got != "The object is not being deleted. This page waits for its deletion." {
		t.Errorf("before: %q", got)
	}
	w.delete(t, cart, graph.Background)
	b.until(`document.getElementById("state").textContent === "The deletion is running."`, "the deletion has begun")
	b.until(`document.querySelector("[data-field=left]").textContent === "1"`, "all but the database are gone")
	b.until(`document.querySelector("[data-field=gone]").textContent === "6" && document.getElementById("bar").value === 6`, "six objects are gone")
	b.press(`document.activeElement.textContent === "Stop the updates"`)
	b.do(chromedp.KeyEvent(kb.Enter))
	b.until(`document.getElementById("cascade").dataset.live === "off"`, "the updates have stopped")
	b.do(chromedp.KeyEvent(kb.Enter))
	b.until(`document.getElementById("cascade").dataset.live === "on"`, "the stream is open again")
	w.release(b, database)
	b.until(`document.getElementById("state").textContent === "The deletion is done." && !document.querySelector("#live button")`, "the deletion is done")
	b.calm("cascade")
}

// TestCascadeEndsUnseen: a deletion ends while the updates are stopped. The page says that its
// figures are older.
func TestCascadeEndsUnseen(t *testing.T) {
	w := newWorld(t)
	b := open(t, w.collector, web.Config{})
	cart, database := w.find(b, "apps/Deployment/cart"), w.find(b, "shop.example/Database/orders")
	b.visit(address("cascade", cart))
	b.until(`document.getElementById("cascade").dataset.live === "on"`, "the stream is open")
	w.delete(t, cart, graph.Background)
	b.until(`document.querySelector("[data-field=left]").textContent === "1"`, "all but the database are gone")
	b.press(`document.activeElement.textContent === "Stop the updates"`)
	b.do(chromedp.KeyEvent(kb.Enter))
	b.until(`document.getElementById("cascade").dataset.live === "off"`, "the updates have stopped")
	w.release(b, database)
	b.do(chromedp.KeyEvent(kb.Enter))
	b.until(`document.getElementById("state").textContent === "The deletion is done. It ended after the last figures of this page." && !document.querySelector("#live button")`, "the deletion has ended")
	b.calm("unseen")
}

// TestCascadeRows: the held objects of a deletion come and go in the table, with their links.
func TestCascadeRows(t *testing.T) {
	w := newWorld(t)
	b := open(t, w.collector, web.Config{})
	b.visit(address("cascade", w.find(b, "apps/Deployment/checkout")))
	b.until(`document.getElementById("cascade").dataset.live === "on"`, "the stream is open")
	pod := w.find(b, "checkout-7d4b9c6f5-k0")
	b.until(`[...document.querySelectorAll("#rows a bdi")].some(e => e.textContent === "checkout-7d4b9c6f5-k0")`, "the pod is held")
	if got := value[string](b, `[...document.querySelectorAll("#rows a")].find(a => a.textContent === "checkout-7d4b9c6f5-k0").getAttribute("href")`); got != address("object", pod) {
		t.Errorf("the link is %q, want %q", got, address("object", pod))
	}
	w.release(b, pod)
	b.until(`![...document.querySelectorAll("#rows a bdi")].some(e => e.textContent === "checkout-7d4b9c6f5-k0")`, "the pod is gone")
	b.calm("rows")
}

// TestWithoutScripts: without scripts each page has its content, and the page of a deletion can
// reload itself.
func TestWithoutScripts(t *testing.T) {
	w := newWorld(t)
	b := open(t, w.collector, web.Config{})
	b.do(emulation.SetScriptExecutionDisabled(true))
	for name, page := range w.pages(b) {
		b.visit(page)
		if text := value[string](b, `document.querySelector("main").innerText`); len(text) < 40 {
			t.Errorf("%s: %q", name, text)
		}
	}
	b.visit(address("cascade", w.find(b, "apps/Deployment/checkout")))
	b.do(chromedp.Click(`noscript a`, chromedp.ByQuery))
	b.until(`location.search.includes("reload=5") && document.querySelector("meta[http-equiv=refresh]").content === "5"`, "the page reloads itself")
}
