package web

import (
	"encoding/json"
	"fmt"
	"html"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/ownergraph/ownergraph/adapters/memory"
	"github.com/ownergraph/ownergraph/engine"
	"github.com/ownergraph/ownergraph/graph"
)

// hostile are names that would do harm on a careless page.
func hostile() []string {
	return []string{
		`<script>alert(1)</script>`, `"><img src=x onerror=alert(1)>`, `' onfocus=alert(1) autofocus='`, "javascript:alert(1)", "//evil.example/x", "{{.}}",
		"a\u202eb\u2066c\u200e", "line\r\nSet-Cookie: x=1\x00", "\xff\xfe", strings.Repeat("<b>", 350_000),
	}
}

// TestHostile: no name breaks out of its place on any page, and no page grows with a name. Each
// object has a link that leads to its page.
func TestHostile(t *testing.T) {
	m := memory.Config{Limits: graph.Limits{Text: 4 << 20}}
	for i, name := range hostile() {
		o := graph.Object{Key: graph.Key{Kind: "pod", Scope: "s", Name: name, UID: graph.UID(fmt.Sprint("u", i))}, Finalizers: []string{"x.io/" + strings.ReplaceAll(name, "\xff\xfe", "")}}
		if i > 0 {
			o.Owners = []graph.Owner{{Key: m.Objects[0].Key}}
		}
		m.Objects = append(m.Objects, o)
	}
	r := newRigOf(t, m, Config{})
	r.delete(`pod/s/"<script>alert(1)</script>"@u0`, graph.Foreground)
	targets := []string{"", "deletions", "held", "search", "search?name=%3Cb%3E", "search?kind=%3Cscript%3E"}
	for i := range hostile() {
		for _, p := range []string{"object", "plan", "cascade", "tree.svg", "plan.svg"} {
			targets = append(targets, fmt.Sprintf("%s?uid=u%d", p, i))
		}
	}
	seen := map[string]bool{}
	for _, target := range targets {
		w := r.get(target)
		body := w.Body.String()
		if w.Code != 200 || len(body) > 400_000 {
			t.Errorf("%s: status %d with %d bytes", target, w.Code, len(body))
		}
		if w := r.json(target); w.Code != 200 && !(w.Code == 406 && strings.HasPrefix(target, "plan")) || w.Code == 200 && !strings.Contains(target, ".svg") && !json.Valid(w.Body.Bytes()) {
			t.Errorf("%s: JSON has status %d: %s", target, w.Code, clean(w.Body.String()))
		}
		for _, wrong := range []string{"<script>", "<img src=x", "<b>", "' onfocus", "\u202e", "\u2066", "\u200e", "\x00", `href="javascript:`, `href="//`, "\xff"} {
			if i := strings.Index(body, wrong); i >= 0 {
				t.Errorf("%s has %q: %q", target, wrong, body[max(i-60, 0):min(i+60, len(body))])
			}
		}
		for _, m := range regexp.MustCompile(`href="(object\?[^"]*)"`).FindAllStringSubmatch(body, -1) {
			link, _, _ := strings.Cut(html.UnescapeString(m[1]), "#")
			if !seen[link] && r.get(link).Code != 200 {
				t.Errorf("%s has the link %s, which leads to status %d", target, link, r.get(link).Code)
			}
			seen[link] = true
		}
	}
}

// TestHostileMany: no list grows with the length of many names, in no form. Such a plan has no
// JSON.
func TestHostileMany(t *testing.T) {
	m, big := memory.Config{Limits: graph.Limits{Text: 1 << 20}}, strings.Repeat("<b>", 250_000)
	for i := range 20 {
		o := graph.Object{Key: graph.Key{Kind: "pod", Scope: big, Name: fmt.Sprint(big, i), UID: graph.UID(fmt.Sprint("u", i))}, Finalizers: []string{"x.io/f"}}
		if i > 0 {
			o.Owners = []graph.Owner{{Key: m.Objects[0].Key, Block: true}}
		}
		m.Objects = append(m.Objects, o)
	}
	r := newRigOf(t, m, Config{})
	if err := r.store.Delete(t.Context(), m.Objects[0].Key, graph.DeleteOptions{Propagation: graph.Foreground}); err != nil {
		t.Fatal(err)
	}
	r.idle()
	for _, p := range []string{"", "deletions", "held", "search", "plan?uid=u0", "cascade?uid=u0", "object?uid=u0"} {
		if w := r.get(p); w.Code != 200 || w.Body.Len() > 400_000 {
			t.Errorf("%q: status %d with %d bytes", p, w.Code, w.Body.Len())
		}
	}
	for _, p := range []string{"held", "search", "cascade?uid=u0"} {
		w := r.json(p)
		if r.contains(w, 200, `"cut": true`, `"link": "object?uid=u`); w.Body.Len() > 1_000_000 {
			t.Errorf("%q: JSON has %d bytes", p, w.Body.Len())
		}
	}
	for _, p := range []string{"plan?uid=u0", "object?uid=u0"} {
		r.contains(r.json(p), 406, "too long for JSON")
	}
}

// faulty is a source with a fault of the program.
type faulty struct{ Source }

func (faulty) HeldReasons() []engine.HeldReason { panic("a fault") }

// TestPanic: an answer that panics gives its place back. The server recovers from the panic.
func TestPanic(t *testing.T) {
	r := newRig(t, "a", Config{Timeout: time.Second})
	r.handler.source = faulty{r.collector}
	for range maxWork {
		func() {
			defer func() {
				if recover() == nil {
					t.Error("the overview has an answer")
				}
			}()
			r.get("")
		}()
	}
	r.contains(r.get("search"), 200, "a")
}

// TestBusy: an answer that finds no place in time is refused, and says when to come back.
func TestBusy(t *testing.T) {
	r := newRig(t, "a", Config{Timeout: 20 * time.Millisecond})
	for range maxWork {
		r.handler.work <- struct{}{}
	}
	w := r.get("search")
	if r.contains(w, 503, "takes too long"); w.Header().Get("Retry-After") != "5" {
		t.Errorf("Retry-After %q", w.Header().Get("Retry-After"))
	}
	r.contains(r.get("style.css"), 200, "body")
	<-r.handler.work
	r.contains(r.get("search"), 200, "a")
	r.handler.plans <- struct{}{}
	r.contains(r.get("plan?key=a/a"), 503, "takes too long")
	r.contains(r.get("search"), 200, "a")
}
