package web

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/adapters/memory"
	"github.com/ownergraph/ownergraph/engine"
	"github.com/ownergraph/ownergraph/explain"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/policy"
)

var update = flag.Bool("update", false, "write the golden files instead of comparing with them")

// changing are the parts of JSON that differ from run to run.
var changing = regexp.MustCompile(`"20\d\d-\d\d-\d\dT[^"]*"|"(?:eventsPerSecond|seconds|gonePerSecond)": [\d.e-]+|"fingerprint": "\w+"`)

// TestGolden: the JSON of each page is stable, apart from times and rates.
func TestGolden(t *testing.T) {
	r := newArchive(t)
	r.delete("deploy/shop/web@d1", graph.Foreground)
	for name, page := range map[string]string{
		"archive":  "archive",
		"overview": "", "deletions": "deletions", "held": "held", "search": "search?kind=pod", "object": "object?key=rs/shop/web-1", "plan": "plan?key=rs/shop/web-1",
		"cascade": "cascade?key=deploy/shop/web", "error": "object?key=pod/shop/none",
	} {
		got := changing.ReplaceAllString(r.json(page).Body.String(), `"changes"`)
		file := filepath.Join("testdata", name+".json")
		if *update {
			if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(file)
		if err != nil || got != string(want) {
			t.Errorf("%s (%v) is\n%s\nwant\n%s\nwith -update the test writes it", file, err, got, want)
		}
	}
}

// decode reads the JSON of a page.
func decode[T any](r *rig, page string) (v T) {
	r.Helper()
	if err := json.Unmarshal(r.json(page).Body.Bytes(), &v); err != nil {
		r.Fatalf("%q: %v", page, err)
	}
	return v
}

// TestOverview: the first page counts the held objects by reason, and puts the kinds first that
// need a look.
func TestOverview(t *testing.T) {
	r := newRig(t, shop, Config{})
	r.delete("deploy/shop/web@d1", graph.Foreground)
	o := decode[overview](r, "")
	held := map[policy.Reason]int{}
	for _, h := range o.Held {
		held[h.Reason] = h.Objects
	}
	if o.Objects != 4 || len(held) != 2 || held[policy.NeedDependents] != 2 || held[policy.NeedFinalizers] != 1 || len(o.Kinds) != 4 {
		t.Errorf("%d objects, held %v, kinds %v", o.Objects, held, o.Kinds)
	}
	r.contains(r.get(""), 200, `href="held?reason=NeedFinalizers"`, `href="reasons#NeedFinalizers"`, `href="search?kind=pod"`)
	if o.Unfinished != nil {
		t.Errorf("%+v is unfinished, though all are held", o.Unfinished)
	}
	kinds, unwell := healths(nil)
	if kinds == nil || unwell != 0 {
		t.Errorf("no kinds: %v, %d", kinds, unwell)
	}
}

// stalled is a source with an unfinished object.
type stalled struct {
	Source
	since time.Time
}

func (s stalled) Stats() engine.Stats {
	x := s.Source.Stats()
	x.Unfinished = engine.UnfinishedStats{Objects: 2, Oldest: graph.Key{Kind: "pod", Scope: "shop", Name: "<a>", UID: "u"}, Since: s.since}
	return x
}

// TestOverviewUnfinished: the overview names the oldest unfinished object and its age.
func TestOverviewUnfinished(t *testing.T) {
	r := newRig(t, shop, Config{})
	now := time.Now()
	r.handler.config.Now = func() time.Time { return now }
	r.handler.source = stalled{r.collector, now.Add(-2 * time.Hour)}
	if u := decode[overview](r, "").Unfinished; u == nil || u.Objects != 2 || u.Oldest.Name != "<a>" || !u.Since.Equal(now.Add(-2*time.Hour)) {
		t.Errorf("%+v", u)
	}
	r.contains(r.get(""), 200, "Unfinished and not held: 2 objects.", "&lt;a&gt;", ">2 h 0 min<")
}

// TestHeldPage: the list takes one reason, and names the roots of the deletion.
func TestHeldPage(t *testing.T) {
	r := newRig(t, shop, Config{})
	r.delete("deploy/shop/web@d1", graph.Foreground)
	if all := decode[heldList](r, "held"); len(all.Objects) != 3 {
		t.Errorf("%d objects, want 3", len(all.Objects))
	}
	one := decode[heldList](r, "held?reason=NeedFinalizers")
	if len(one.Objects) != 1 || one.Objects[0].Key.Name != "a" || one.Objects[0].Detail[0] != "x.io/f" || len(one.Objects[0].Roots) != 1 || one.Objects[0].Roots[0].Name != "web" {
		t.Errorf("held for finalizers: %+v", one.Objects)
	}
	r.contains(r.get("held?reason=OwnerUnknown"), 200, "No object is held for this reason.")
	r.contains(r.get("held?reason=none"), 400, "no reason")
}

// TestHeldMany: a list that leaves out objects does not look like one that is complete.
func TestHeldMany(t *testing.T) {
	text := ""
	for i := range maxHeldRows + 9 {
		text += fmt.Sprintf("pod/s/p%03d@u%d[x.io/f] -> node/n1@n1; ", i, i)
	}
	r := newRig(t, text+"node/n1@n1", Config{})
	r.delete("node/n1@n1", graph.Background)
	if all := decode[heldList](r, "held"); len(all.Objects) != maxHeldRows || all.Total != maxHeldRows+9 || all.Next == "" {
		t.Errorf("%d of %d objects, next %q", len(all.Objects), all.Total, all.Next)
	}
	r.contains(r.get("held"), 200, "Listed: 100 objects, by key, of 109 held.", `rel="next"`)
}

// TestSearch: pages by kind, scope and name, with a link to the next page.
func TestSearch(t *testing.T) {
	text := "node/n1@n1"
	for i := range 2*maxFound + 5 {
		text += fmt.Sprintf("; \"apps/Deployment\"/s/web-%03d@u%d", i, i)
	}
	r := newRig(t, text, Config{})
	for _, c := range []struct {
		query  string
		want   int
		reason string
	}{
		{"", maxFound, "a page"}, {"kind=node", 1, "a kind"}, {"kind=deployments", maxFound, "a plural"}, {"kind=Deployment.apps", maxFound, "a kind with its group"},
		{"kind=apps/deployment&name=WEB-00", 10, "a part of the name, in upper case"}, {"kind=none", 0, "an unknown kind"}, {"scope=s&name=104", 1, "a scope"},
		{"scope=t", 0, "another scope"}, {"name=n1", 1, "an object without a scope"},
	} {
		if f := decode[found](r, "search?"+c.query); len(f.Objects) != c.want {
			t.Errorf("%q finds %d, want %d: %s", c.query, len(f.Objects), c.want, c.reason)
		}
	}
	seen, pages := map[string]bool{}, 0
	for next := "search?kind=deployment"; next != ""; pages++ {
		f := decode[found](r, next)
		for _, o := range f.Objects {
			seen[o.Key.Name] = true
		}
		r.contains(r.get(next), 200, "web-")
		next = f.Next
	}
	if len(seen) != 2*maxFound+5 || pages != 3 {
		t.Errorf("%d objects on %d pages, want %d on 3", len(seen), pages, 2*maxFound+5)
	}
	r.contains(r.get("search?name="+strings.Repeat("x", maxText+1)), 400, "longer than")
	r.contains(r.get("search?after=pod"), 400, "no sound key")
	r.contains(r.get("search?name=none"), 200, "No object fits")
}

// lost is a source whose Explain fails.
type lost struct {
	Source
	err error
}

func (l lost) Explain(context.Context, graph.Key) (explain.Explanation, error) {
	return explain.Explanation{}, l.err
}

// TestSearchUnknown: a found object whose state is unknown is not said to be gone.
func TestSearchUnknown(t *testing.T) {
	r := newRig(t, "node/n1@n1", Config{})
	for _, c := range []struct {
		err    error
		code   int
		want   string
		reason string
	}{
		{ownergraph.ErrNotFound, 200, "not observed any more", "the engine does not remember its end"},
		{ownergraph.ErrBroken, 503, "broken", "the engine is broken"},
		{context.DeadlineExceeded, 503, "deadline", "the time is over"},
	} {
		r.handler.source = lost{r.collector, c.err}
		w := r.get("search")
		if r.contains(w, c.code, c.want); strings.Contains(w.Body.String(), "has gone") {
			t.Errorf("%v: the page says that the object has gone: %s", c.err, c.reason)
		}
	}
}

// TestUnobserved: pages of a collector that has not run, or that has ended, do not look like the
// state of the store.
func TestUnobserved(t *testing.T) {
	r := newRig(t, shop, Config{})
	targets := []string{"search", "search?name=none", "held", "object?key=pod/shop/a", "object?key=pod/shop/none", "object?uid=none", "plan?key=pod/shop/none"}
	for _, p := range targets {
		if w := r.get(p); strings.Contains(w.Body.String(), "observe") || strings.Contains(r.json(p).Body.String(), "observe") {
			t.Errorf("%q of a collector that runs: %s", p, w.Body)
		}
	}
	r.stop()
	for _, p := range targets {
		for _, w := range []*httptest.ResponseRecorder{r.get(p), r.json(p)} {
			r.contains(w, w.Code, "4 kinds not observed")
		}
	}
	store, err := memory.New(memory.Config{})
	if err != nil {
		t.Fatal(err)
	}
	c, err := ownergraph.New(store, ownergraph.Config{})
	if err != nil {
		t.Fatal(err)
	}
	if r.handler, err = New(c, Config{}); err != nil {
		t.Fatal(err)
	}
	for _, p := range []string{"search", "held", "object?key=pod/shop/none"} {
		r.contains(r.get(p), r.get(p).Code, "observes no kind yet")
	}
}

// TestReasons: the vocabulary has each reason and each doubt with its remedy.
func TestReasons(t *testing.T) {
	r := newRig(t, "a", Config{})
	v, w := decode[reasons](r, "reasons"), r.get("reasons")
	if len(v.Reasons) < 40 || len(v.Doubts) < 5 {
		t.Errorf("%d reasons and %d doubts", len(v.Reasons), len(v.Doubts))
	}
	for _, x := range v.Reasons {
		reason, err := policy.ParseReason(x.Code)
		if a := policy.About(reason); err != nil || x.Remedy != a.Remedy || x.Meaning != a.Meaning || x.Cause != a.Cause || x.Holds != reason.Held() {
			t.Errorf("%s: %+v (%v)", x.Code, x, err)
		}
		r.contains(w, 200, `id="`+x.Code+`"`)
	}
	if next := policy.Reason(len(v.Reasons) + 1); policy.About(next+1) != (policy.Article{}) {
		t.Errorf("the page leaves out %v", next+1)
	}
}
