package browser

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"github.com/ownergraph/ownergraph/adapters/web"
	"github.com/ownergraph/ownergraph/graph"
)

// tab is a tab of a headless Chromium on the pages of a source.
type tab struct {
	*testing.T
	ctx  context.Context
	base string // the address of the pages

	mu       sync.Mutex
	problems []string // of the console: errors of scripts and refusals of the policy
}

// open serves the pages below a prefix, and opens a tab.
func open(t *testing.T, source web.Source, c web.Config) *tab {
	t.Helper()
	pages, err := web.New(source, c)
	if err != nil {
		t.Fatal(err)
	}
	mux := http.NewServeMux()
	mux.Handle("/admin/graph/", pages)
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.NoSandbox, chromedp.Flag("font-render-hinting", "none"))
	all, end := chromedp.NewExecAllocator(context.Background(), options...)
	t.Cleanup(end)
	ctx, cancel := chromedp.NewContext(all)
	t.Cleanup(cancel)
	b := &tab{T: t, ctx: ctx, base: server.URL + "/admin/graph/"}
	chromedp.ListenTarget(ctx, b.note)
	b.do(log.Enable())
	return b
}

func (b *tab) note(event any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch e := event.(type) {
	case *log.EventEntryAdded:
		b.problems = append(b.problems, fmt.Sprintf("%s: %s (%s)", e.Entry.Level, e.Entry.Text, e.Entry.URL))
	case *runtime.EventExceptionThrown:
		b.problems = append(b.problems, e.ExceptionDetails.Error())
	}
}

// calm checks that the console has no problem, and forgets those that it has.
func (b *tab) calm(where string) {
	b.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, p := range b.problems {
		b.Errorf("%s: console: %s", where, p)
	}
	b.problems = nil
}

// do runs actions, and ends the test if they fail or take too long.
func (b *tab) do(actions ...chromedp.Action) {
	b.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, 20*time.Second)
	defer cancel()
	if b.ctx.Err() == nil && chromedp.FromContext(b.ctx).Target == nil { // the first call starts the browser
		ctx = b.ctx
	}
	if err := chromedp.Run(ctx, actions...); err != nil {
		b.Fatal(err)
	}
}

// still leaves out the stream of changes, so that no page changes during a check.
func (b *tab) still() {
	b.Helper()
	b.do(chromedp.ActionFunc(func(ctx context.Context) error {
		_, err := page.AddScriptToEvaluateOnNewDocument(`(() => {
			const real = window.EventSource;
			window.EventSource = function (address) { return address === "events" ? { addEventListener() {}, close() {} } : new real(address); };
			window.EventSource.CLOSED = 2;
		})()`).Do(ctx)
		return err
	}))
}

// visit loads a page.
func (b *tab) visit(address string) {
	b.Helper()
	b.do(chromedp.Navigate(b.base + address))
}

// value evaluates a script.
func value[T any](b *tab, script string) (v T) {
	b.Helper()
	b.do(chromedp.Evaluate(script, &v))
	return v
}

// until waits for a script to become true. A page that is being left has no value.
func (b *tab) until(script, reason string) {
	b.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, 20*time.Second)
	defer cancel()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		is := false
		err := chromedp.Run(ctx, chromedp.Evaluate("Boolean("+script+")", &is))
		if is && err == nil {
			return
		}
		if ctx.Err() != nil {
			b.Fatalf("%s: never true: %s (%v)", reason, script, err)
		}
		<-tick.C
	}
}

// look sets the size of the window and the preferred colours.
func (b *tab) look(width int64, scheme string) {
	b.Helper()
	height := int64(900)
	if width < 600 {
		height = 640
	}
	b.do(emulation.SetDeviceMetricsOverride(width, height, 1, false),
		emulation.SetEmulatedMedia().WithFeatures([]*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}))
}

// address is the relative address of a page about an object.
func address(page string, k graph.Key, more ...string) string {
	q := url.Values{"key": {k.PlaceString()}, "uid": {string(k.UID)}}
	for i := 0; i < len(more); i += 2 {
		q.Set(more[i], more[i+1])
	}
	return page + "?" + q.Encode()
}

// find returns the key of an object of the world.
func (w *world) find(b *tab, name string) graph.Key {
	b.Helper()
	for _, o := range w.Objects() {
		if o.Name == name || strings.HasPrefix(name, string(o.Kind)+"/") && strings.HasSuffix(name, "/"+o.Name) {
			return o.Key
		}
	}
	b.Fatalf("no object %s", name)
	return graph.Key{}
}
