package web

import (
	"errors"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
)

const shop = "deploy/shop/web@d1; rs/shop/web-1@r1 -> deploy/shop/web@d1!; pod/shop/a@p1[x.io/f] -> rs/shop/web-1@r1!; pod/shop/b@p2 -> rs/shop/web-1@r1!; node/n1@n1"

// pages are all pages about the objects of shop.
func pages() []string {
	return []string{"", "deletions", "held", "held?reason=NeedFinalizers", "search", "search?kind=pod&scope=shop&name=a", "object?key=pod/shop/a&uid=p1",
		"object?key=deploy/shop/web", "object?uid=p1", "plan?key=rs/shop/web-1", "plan?uid=r1&propagation=orphan", "cascade?key=deploy/shop/web", "reasons"}
}

// TestPages: each page answers in HTML and in JSON, with its type.
func TestPages(t *testing.T) {
	r := newRig(t, shop, Config{})
	r.delete("deploy/shop/web@d1", graph.Foreground)
	for _, p := range pages() {
		w := r.get(p)
		if r.contains(w, 200, "<!doctype html>", "<h1>", "</html>"); w.Header().Get("Content-Type") != "text/html; charset=utf-8" {
			t.Errorf("%q: type %q", p, w.Header().Get("Content-Type"))
		}
		for _, wrong := range []string{"ZgotmplZ", "%!", "<no value>"} {
			if strings.Contains(w.Body.String(), wrong) {
				t.Errorf("%q has %q:\n%s", p, wrong, w.Body)
			}
		}
		if w = r.json(p); w.Code != 200 || w.Header().Get("Content-Type") != "application/json" || !strings.Contains(w.Body.String(), `"schema": `) {
			t.Errorf("%q: JSON has status %d, type %q:\n%s", p, w.Code, w.Header().Get("Content-Type"), w.Body)
		}
	}
}

// TestPrefix: the handler works below any prefix. Without the slash behind the prefix it sends the
// browser there, since relative links need the slash.
func TestPrefix(t *testing.T) {
	r := newRig(t, shop, Config{})
	mux := http.NewServeMux()
	mux.Handle("/own/", r.handler)
	mux.Handle("/deep/", http.StripPrefix("/deep/er", r.handler))
	for _, c := range []struct {
		path     string
		code     int
		location string
		reason   string
	}{
		{"/own/", 200, "", "the first page"},
		{"/own/search", 200, "", "another page"},
		{"/own/style.css", 200, "", "a file"},
		{"/own/none", 404, "", "no page"},
		{"/own", 307, "/own/", "the mux adds the slash"},
		{"/deep/er/", 200, "", "a stripped prefix"},
		{"/deep/er/reasons", 200, "", "a page below it"},
		{"/deep/er", 308, "./er/", "the handler adds the slash"},
		{"/deep/er?x=//evil.example", 308, "./er/", "a query is no part of the target"},
	} {
		w := through(mux, c.path)
		if w.Code != c.code && !(c.code == 307 && w.Code == 301) || w.Header().Get("Location") != c.location {
			t.Errorf("%s: status %d to %q, want %d to %q: %s", c.path, w.Code, w.Header().Get("Location"), c.code, c.location, c.reason)
		}
	}
	for _, p := range pages() {
		if found := regexp.MustCompile(`(href|src|action|data-events)="(/|http)[^"]*"`).FindString(r.get(p).Body.String()); found != "" {
			t.Errorf("%q has the absolute link %q", p, found)
		}
	}
}

// TestMethods: the pages only read.
func TestMethods(t *testing.T) {
	r := newRig(t, shop, Config{})
	for _, p := range append(pages(), "events?key=deploy/shop/web", "style.css", "none") {
		for _, m := range []string{"POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "BREW"} {
			if w := r.ask(m, "http://localhost/"+p); w.Code != 405 || w.Header().Get("Allow") != "GET, HEAD" {
				t.Errorf("%s %q: status %d, Allow %q", m, p, w.Code, w.Header().Get("Allow"))
			}
		}
	}
	if w := r.ask("HEAD", "http://localhost/events?key=deploy/shop/web"); w.Code != 200 || w.Header().Get("Content-Type") != "text/event-stream" || w.Body.Len() > 0 {
		t.Errorf("HEAD of a stream: status %d, type %q, %d bytes", w.Code, w.Header().Get("Content-Type"), w.Body.Len())
	}
}

// TestHosts: a name that is not on the list gets no answer, because its DNS may be another site's.
func TestHosts(t *testing.T) {
	open, listed, all := newRig(t, "a", Config{}), newRig(t, "a", Config{Hosts: []string{"Graph.Example."}}), newRig(t, "a", Config{Hosts: []string{"*"}})
	for _, c := range []struct {
		host              string
		open, listed, all bool
		reason            string
	}{
		{"localhost", true, true, true, "the machine itself"},
		{"LOCALHOST:8080", true, true, true, "with a port, in upper case"},
		{"app.localhost:80", true, true, true, "a name below localhost"},
		{"127.0.0.1:8080", true, true, true, "an address"},
		{"[::1]:8080", true, true, true, "an address of version 6"},
		{"[fe80::1]", true, true, true, "without a port"},
		{"10.1.2.3", true, true, true, "another address"},
		{"graph.example", false, true, true, "a name on the list"},
		{"graph.example.:443", false, true, true, "with a dot and a port"},
		{"evil.example", false, false, true, "a name that is not on the list"},
		{"graph.example.evil.example", false, false, true, "a longer name"},
		{"evil.example:localhost", false, false, true, "no port"},
		{"localhost.evil.example", false, false, true, "a name that begins with localhost"},
		{"evillocalhost", false, false, true, "a name that ends with localhost"},
		{"127.0.0.1.evil.example", false, false, true, "a name that begins with an address"},
		{"", false, false, true, "no name"},
	} {
		for _, x := range []struct {
			*rig
			want bool
		}{{open, c.open}, {listed, c.listed}, {all, c.all}} {
			for _, p := range []string{"", "style.css", "events?key=a/a"} {
				w := x.askHost(c.host, p)
				if ok := w.Code != http.StatusMisdirectedRequest; ok != x.want || !ok && strings.Contains(w.Body.String(), "observed") {
					t.Errorf("%q for %q with %q: status %d, want an answer %t: %s", c.host, p, x.handler.config.Hosts, w.Code, x.want, c.reason)
				}
			}
		}
	}
}

// TestForeign: another site may link to a page, and may load none, nor open a stream.
func TestForeign(t *testing.T) {
	r := newRig(t, shop, Config{})
	for _, c := range []struct {
		site, mode, dest string
		code             int
		reason           string
	}{
		{"", "", "", 200, "a client that is no browser"}, {"none", "navigate", "document", 200, "a typed address"},
		{"same-origin", "cors", "empty", 200, "the page's own stream"}, {"same-origin", "no-cors", "image", 200, "the page's own picture"},
		{"cross-site", "navigate", "document", 200, "a link on another site"}, {"cross-site", "navigate", "", 200, "a browser that tells no use"},
		{"cross-site", "no-cors", "image", 403, "a picture on another site"}, {"cross-site", "cors", "empty", 403, "a stream of another site"},
		{"same-site", "cors", "empty", 403, "a sibling of the site"}, {"cross-site", "navigate", "iframe", 403, "a frame on another site"},
		{"same-site", "navigate", "object", 403, "an embedded page on a sibling"},
	} {
		for _, p := range []string{"", "tree.svg?key=deploy/shop/web", "style.css"} {
			if w := r.get(p, "Sec-Fetch-Site", c.site, "Sec-Fetch-Mode", c.mode, "Sec-Fetch-Dest", c.dest); w.Code != c.code {
				t.Errorf("%q from %s, %s, %s: status %d, want %d: %s", p, c.site, c.mode, c.dest, w.Code, c.code, c.reason)
			}
		}
	}
}

// TestHeaders: every answer forbids everything but the handler's own files, also an error. A
// browser keeps a file alone, and only by the address of its content.
func TestHeaders(t *testing.T) {
	r := newRig(t, shop, Config{})
	kept := map[string]bool{}
	for name, a := range r.handler.assets {
		kept[name+"?v="+a.hash] = true
		r.contains(r.get("cascade?key=deploy/shop/web"), 200, name+"?v="+a.hash)
	}
	for _, p := range slices.AppendSeq(append(pages(), "none", "object", "style.css", "cascade.js?v=old", "icon.svg", "tree.svg?key=deploy/shop/web", "events?key=none/x"), maps.Keys(kept)) {
		w := r.get(p)
		for name, want := range map[string]string{
			"X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer", "Cross-Origin-Resource-Policy": "same-origin", "Cross-Origin-Opener-Policy": "same-origin",
		} {
			if got := w.Header().Get(name); got != want {
				t.Errorf("%q: %s is %q, want %q", p, name, got, want)
			}
		}
		policy := w.Header().Get("Content-Security-Policy")
		if !strings.HasPrefix(policy, "default-src 'none'; style-src ") || !strings.Contains(policy, "frame-ancestors 'none'") || strings.Contains(policy, "script-src 'unsafe") {
			t.Errorf("%q: policy %q", p, policy)
		}
		want := "no-store"
		if kept[p] {
			want = "public, max-age=31536000, immutable"
		}
		if got := w.Header().Get("Cache-Control"); got != want {
			t.Errorf("%q: Cache-Control %q, want %q", p, got, want)
		}
	}
	for _, p := range pages() {
		for _, wrong := range []string{" style=", "<style", " onclick", "<script>", "javascript:"} {
			if strings.Contains(r.get(p).Body.String(), wrong) {
				t.Errorf("%q has %q, which the policy forbids", p, wrong)
			}
		}
	}
}

// TestConfig: a wrong Config is an error that names the setting.
func TestConfig(t *testing.T) {
	c := newRig(t, "a", Config{}).collector
	for _, x := range []struct {
		source Source
		c      Config
		want   string
		reason string
	}{
		{nil, Config{}, "configure web: source: nil: invalid", "there is no source"},
		{c, Config{Timeout: -1}, "configure web: Timeout: negative: invalid", "a negative time"},
		{c, Config{MaxStreams: -1}, "configure web: MaxStreams: negative: invalid", "a negative number of streams"},
		{c, Config{MaxPlan: -1}, "configure web: MaxPlan: negative: invalid", "a negative number of objects"},
		{c, Config{Hosts: []string{"a", "b:80"}}, `configure web: Hosts[1]: "b:80" is not the name of a host: invalid`, "a port"},
		{c, Config{Hosts: []string{""}}, `configure web: Hosts[0]: "" is not the name of a host: invalid`, "no name"},
	} {
		if _, err := New(x.source, x.c); !errors.Is(err, ownergraph.ErrInvalid) || err.Error() != x.want {
			t.Errorf("error %v, want %q: %s", err, x.want, x.reason)
		}
	}
}
