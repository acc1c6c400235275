package web

import (
	"context"
	"errors"
	"fmt"
	"html/template"
	"net/http"
	"strings"

	"github.com/ownergraph/ownergraph/graph"
)

// maxWork bounds the answers that are made at one time, apart from plans and streams. Others wait.
const maxWork = 4

// pagePolicy is the Content-Security-Policy of the pages.
const pagePolicy = "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; connect-src 'self'; " +
	"base-uri 'none'; frame-ancestors 'none'; form-action 'self'"

// picturePolicy is that of a picture, which has its styles inside. A browser that opens it as a
// page gives it no origin.
const picturePolicy = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'; sandbox"

// Handler serves the pages of one Source. Use New. It is safe for concurrent use.
type Handler struct {
	config  Config
	source  Source
	assets  map[string]asset
	pages   map[string]*template.Template
	rates   *rates
	paces   paces
	work    chan struct{} // a place for each answer under way
	plans   chan struct{} // the same for plans
	streams chan struct{}
}

// New returns a handler for the pages of a collector. It makes no request and starts no
// goroutine. The error wraps graph.ErrInvalid for a wrong Config and for no Source.
func New(source Source, c Config) (*Handler, error) {
	c, err := c.filled()
	if err != nil {
		return nil, err
	}
	if source == nil {
		return nil, fmt.Errorf("configure web: source: nil: %w", graph.ErrInvalid)
	}
	h := &Handler{
		config: c, source: source, rates: newRates(c.Now(), source.Stats()),
		work: make(chan struct{}, maxWork), plans: make(chan struct{}, 1), streams: make(chan struct{}, c.MaxStreams),
	}
	if h.assets, err = readAssets(); err != nil {
		return nil, fmt.Errorf("configure web: %w", err)
	}
	if h.pages, err = readPages(h.assets, c); err != nil {
		return nil, fmt.Errorf("configure web: %w", err)
	}
	return h, nil
}

// ServeHTTP answers one request. The last segment of the path names the page, so the handler
// works below any prefix, with or without http.StripPrefix.
//
//test:by TestPages TestPrefix TestMethods TestHosts TestForeign TestHeaders
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	setHeaders(w.Header())
	name := r.URL.Path[strings.LastIndexByte(r.URL.Path, '/')+1:]
	switch {
	case !h.config.allows(r.Host):
		h.fail(w, r, &statusError{http.StatusMisdirectedRequest,
			fmt.Sprintf("the host %s is not allowed: open the page by an IP address or by localhost, or add the name to Config.Hosts", clean(r.Host))})
	case isForeign(r.Header):
		h.fail(w, r, &statusError{http.StatusForbidden, "another site may link to these pages, and may not load them"})
	case r.Method != http.MethodGet && r.Method != http.MethodHead:
		w.Header().Set("Allow", "GET, HEAD")
		h.fail(w, r, &statusError{http.StatusMethodNotAllowed, "this page only reads: use GET or HEAD"})
	case r.URL.Path == "": // behind http.StripPrefix: relative links need a slash at the end
		slash(w, r)
	case h.assets[name].text != nil:
		h.assets[name].serve(w, r.URL.Query().Get("v"))
	case name == "events":
		h.events(w, r)
	default:
		h.answer(w, r, name)
	}
}

// isForeign reports whether a page of another site asks, except for a user who follows a link. The
// other site cannot read the answer, and could still take the places of streams and of answers. A
// frame of another site is no link that a user follows.
func isForeign(h http.Header) bool {
	site, dest := h.Get("Sec-Fetch-Site"), h.Get("Sec-Fetch-Dest")
	return (site == "cross-site" || site == "same-site") && (h.Get("Sec-Fetch-Mode") != "navigate" || dest != "" && dest != "document")
}

func setHeaders(to http.Header) {
	to.Set("Content-Security-Policy", pagePolicy)
	to.Set("X-Content-Type-Options", "nosniff")
	to.Set("Referrer-Policy", "no-referrer")
	to.Set("Cross-Origin-Opener-Policy", "same-origin")
	to.Set("Cross-Origin-Resource-Policy", "same-origin")
	to.Set("Cache-Control", "no-store")
	to.Set("Vary", "Accept")
}

// slash sends the browser to the same path with a slash. The target is relative, because the
// handler does not see the stripped prefix in the path.
func slash(w http.ResponseWriter, r *http.Request) {
	path, _, _ := strings.Cut(r.RequestURI, "?")
	last := path[strings.LastIndexByte(path, '/')+1:]
	w.Header().Set("Location", "./"+last+"/")
	w.WriteHeader(http.StatusPermanentRedirect)
}

// answer makes the page of a name, within the time and beside few others.
//
//test:by TestBusy TestPanic
func (h *Handler) answer(w http.ResponseWriter, r *http.Request, name string) {
	page := map[string]func(context.Context, *http.Request) (content, error){
		"": h.overview, "search": h.search, "held": h.held, "object": h.object, "plan": h.plan,
		"cascade": h.cascade, "deletions": h.deletions, "reasons": h.reasons, "archive": h.archive, "tree.svg": h.treePicture, "plan.svg": h.planPicture,
	}[name]
	if page == nil {
		h.fail(w, r, &statusError{http.StatusNotFound, "there is no such page"})
		return
	}
	ctx, cancel := context.WithTimeoutCause(r.Context(), h.config.Timeout, errTooLong)
	defer cancel()
	places := h.work
	if strings.HasPrefix(name, "plan") { // plans that wait delay no other answer
		places = h.plans
	}
	c, err := content(nil), error(nil)
	select {
	case places <- struct{}{}:
		func() {
			defer func() { <-places }() // also after a panic, from which the server recovers
			c, err = page(ctx, r)
		}()
	case <-ctx.Done():
		err = context.Cause(ctx)
	}
	if err != nil {
		h.fail(w, r, err)
		return
	}
	c.write(w, r, h)
}

var errTooLong = errors.New("the answer takes too long")

// content is an answer that is ready to be written.
type content interface {
	write(w http.ResponseWriter, r *http.Request, h *Handler)
}
