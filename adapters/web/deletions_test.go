package web

import (
	"context"
	"fmt"
	"html/template"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/adapters/memory"
	"github.com/ownergraph/ownergraph/engine"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/policy"
)

// TestDeletions: the page has the root of each deletion with its counts and its one blocker, and names codes
// in JSON.
func TestDeletions(t *testing.T) {
	r := newRig(t, shop+"; job/shop/j@j1; task/shop/t@t1[x.io/f] -> job/shop/j@j1", Config{})
	r.contains(r.get("deletions"), 200, "No deletion is under way.")
	r.delete("deploy/shop/web@d1", graph.Foreground)
	r.delete("job/shop/j@j1", graph.Background)
	list := decode[deletionList](r, "deletions")
	if list.Schema != "ownergraph/deletions/v1" || list.Total != 2 || len(list.Deletions) != 2 || list.Cut || list.Next != "" {
		t.Fatalf("%+v", list)
	}
	for i, want := range []deletion{{Root: jsonKey{Name: "web"}, Known: 4, Gone: 1, Left: 3, Held: 1, Blocked: 2}, {Root: jsonKey{Name: "j"}, Known: 2, Gone: 1, Left: 1, Held: 1}} {
		got := list.Deletions[i]
		if got.Root.Name != want.Root.Name || got.Known != want.Known || got.Gone != want.Gone || got.Left != want.Left || got.Held != want.Held || got.Blocked != want.Blocked || got.Growing || got.Since.IsZero() {
			t.Errorf("%+v, want %+v", got, want)
		}
		if b := got.Blocker; b == nil || b.Reason != policy.NeedFinalizers || b.Status != "pending" || len(b.Detail) != 1 || b.Detail[0] != "x.io/f" {
			t.Errorf("the blocker is %+v", b)
		}
	}
	r.contains(r.json("deletions"), 200, `"reason": "NeedFinalizers"`)
	r.contains(r.get("deletions"), 200, `<progress max="4" value="1"`, "1 of 4 gone", `href="cascade?key=deploy%2Fshop%2Fweb&amp;uid=d1"`, `href="object?key=pod%2Fshop%2Fa&amp;uid=p1"`, "finalizers hold it")
	r.release("pod/shop/a@p1")
	if list := decode[deletionList](r, "deletions"); list.Total != 1 || list.Deletions[0].Root.Name != "j" {
		t.Errorf("after the end of one: %+v", list)
	}
}

// TestDeletionsPages: the pages together have each deletion once.
func TestDeletionsPages(t *testing.T) {
	text := ""
	for i := range 2*maxDeletionRows + 5 {
		text += fmt.Sprintf("pod/s/p%03d@u%d[x.io/f]; ", i, i)
	}
	r := newRig(t, text+"node/n1@n1", Config{})
	for i := range 2*maxDeletionRows + 5 {
		if err := r.store.Delete(t.Context(), r.key(fmt.Sprintf("pod/s/p%03d@u%d", i, i)), graph.DeleteOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	r.idle()
	seen, pages := map[string]bool{}, 0
	for next := "deletions"; next != ""; pages++ {
		list := decode[deletionList](r, next)
		for _, d := range list.Deletions {
			seen[d.Link] = true
		}
		next = list.Next
	}
	if len(seen) != 2*maxDeletionRows+5 || pages != 3 {
		t.Errorf("%d deletions on %d pages", len(seen), pages)
	}
	r.contains(r.get("deletions?from=-1"), 400, "no number")
	r.contains(r.get(""), 200, "Show 105 deletions")
}

// stalling is a store whose deletes wait.
type stalling struct{ *memory.Store }

func (s stalling) Unwrap() ownergraph.Store { return s.Store }

func (s stalling) Delete(ctx context.Context, _ graph.Key, _ graph.DeleteOptions) error {
	<-ctx.Done()
	return ctx.Err()
}

// TestOverviewAtWork: while the collector works on a foreground deletion of 2,501 objects, the first page names it.
func TestOverviewAtWork(t *testing.T) {
	root := graph.Key{Kind: "root", Name: "root", UID: "root"}
	m := memory.Config{Objects: []graph.Object{{Key: root}}}
	for i := range 2500 {
		m.Objects = append(m.Objects, graph.Object{Key: graph.Key{Kind: "pod", Name: fmt.Sprintf("p%04d", i), UID: graph.UID(fmt.Sprintf("u%04d", i))}, Owners: []graph.Owner{{Key: root, Block: true}}})
	}
	store, err := memory.New(m)
	if err != nil {
		t.Fatal(err)
	}
	c, err := ownergraph.New(stalling{store}, ownergraph.Config{})
	if err != nil {
		t.Fatal(err)
	}
	h, err := New(c, Config{})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- c.Run(ctx) }()
	defer func() { cancel(); <-ended }()
	if err := c.Synced(ctx); err != nil {
		t.Fatal(err)
	}
	if err := store.Delete(ctx, root, graph.DeleteOptions{Propagation: graph.Foreground}); err != nil {
		t.Fatal(err)
	}
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for c.Stats().InFlight == 0 {
		<-tick.C
	}
	r := &rig{t, store, c, h, cancel}
	if o := decode[overview](r, ""); len(o.Deletions) != 1 || o.Deletions[0].Left != 2501 || o.Deletions[0].Root.Name != "root" {
		t.Errorf("%+v", o.Deletions)
	}
	if body := r.get("").Body.String(); strings.Contains(body, "is under way.") {
		t.Error("the page says that nothing is under way")
	}
}

// TestEventsChanged: a page gets an event at once, after a change, and at rest once in ten seconds.
func TestEventsChanged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, err := New(quiet{}, Config{})
		if err != nil {
			t.Fatal(err)
		}
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest("GET", "http://localhost/events", nil))
		if n := strings.Count(w.Body.String(), "event: changed"); n < int(longest/rest) || n > int(longest/rest)+1 || len(h.streams) > 0 {
			t.Errorf("%d events in %v of rest, %d streams left", n, longest, len(h.streams))
		}
	})
	r := newRig(t, shop, Config{})
	_, s := r.listen(t.Context(), r.serve(), "events")
	for i := range 2 {
		if name, data := event(s); name != "changed" || !strings.Contains(data, `"at":"20`) {
			t.Fatalf("%q with %q", name, data)
		}
		if i == 0 {
			r.delete("node/n1@n1", graph.Background)
		}
	}
}

// TestPaces: the rate of a deletion is that of the last seconds, and before that of all its time.
func TestPaces(t *testing.T) {
	at := func(s int) time.Time { return time.Unix(int64(1000+s), 0) }
	var p paces
	for _, c := range []struct {
		at, gone int
		want     float64
		reason   string
	}{
		{10, 100, 10, "since the beginning"}, {15, 200, 200. / 15, "too soon for a sample"}, {20, 300, 20, "since the first sample"},
		{30, 300, 0, "nothing went since the last sample"},
	} {
		if got := p.of(engine.Deletion{Since: at(0), Gone: c.gone}, at(c.at)); got != c.want {
			t.Errorf("at %d: %v, want %v: %s", c.at, got, c.want, c.reason)
		}
	}
	for i := range 3 * maxPaces {
		p.of(engine.Deletion{Root: graph.Key{Name: fmt.Sprint(i)}}, at(0))
	}
	if len(p.samples) > maxPaces {
		t.Errorf("%d deletions have samples", len(p.samples))
	}
}

// TestLinked: words that name an object are links, and no other text becomes HTML.
func TestLinked(t *testing.T) {
	n := names{}
	n.add(graph.Key{Kind: "pod", Scope: "s", Name: "a", UID: "u"}, graph.Key{Kind: "apps/Set", Name: "b", UID: "v"}, graph.Key{})
	const a, b = `<a href="object?key=pod%2Fs%2Fa&amp;uid=u">`, `<a href="object?key=%22apps%2FSet%22%2Fb&amp;uid=v">`
	for _, c := range []struct{ text, want, reason string }{
		{"- pod/s/a@u: waits", "- " + a + "pod/s/a@u</a>: waits\n", "a key"},
		{"(pod/s/a), Set.apps/b", "(" + a + "pod/s/a</a>), " + b + "Set.apps/b</a>\n", "places in a sentence"},
		{"owner pod/s/a@u^!: solid", "owner " + a + "pod/s/a@u</a>^!: solid\n", "a reference with its marks"},
		{"pod/s/ab <b>", "pod/s/ab &lt;b&gt;\n", "another object, and markup"},
	} {
		if got := n.linked(c.text); got != template.HTML(c.want) {
			t.Errorf("%q, want %q: %s", got, c.want, c.reason)
		}
	}
}

// TestCauses: a cause that names an object is a link, and a finalizer that looks like a key is none.
func TestCauses(t *testing.T) {
	for _, c := range []struct {
		why        policy.Reason
		text, link string
		reason     string
	}{
		{policy.NeedDependents, "pod/s/a@u", "object?key=pod%2Fs%2Fa&uid=u", "a dependent"},
		{policy.OwnerUnknown, "pod/s/a@u^!", "object?key=pod%2Fs%2Fa&uid=u", "a reference to an owner"},
		{policy.NeedFinalizers, "pod/s/a@u", "", "a finalizer"},
		{policy.NeedDependents, "some words", "", "no key"},
		{policy.OwnerUnknown, "validate", "", "a bare word"},
		{policy.Braked, "cascade pod/s/a@u: more than 40 objects", "object?key=pod%2Fs%2Fa&uid=u", "a root in a sentence"},
	} {
		if got := causesOf(c.why, []string{c.text}); len(got) != 1 || got[0].Link != c.link {
			t.Errorf("%q becomes %+v, want the link %q: %s", c.text, got, c.link, c.reason)
		}
	}
}

// TestSearchChips: a search has filters by kind, the largest kinds first.
func TestSearchChips(t *testing.T) {
	r := newRig(t, shop, Config{})
	r.contains(r.get("search?name=a&scope=shop"), 200, `<a href="search?name=a&amp;scope=shop" aria-current="true">All kinds</a>`, `href="search?kind=pod&amp;name=a&amp;scope=shop"`)
	w := r.get("search?kind=pods")
	r.contains(w, 200, `<a href="search?kind=pod" aria-current="true"><bdi>pod</bdi>`)
	if body := w.Body.String(); strings.Index(body, `search?kind=pod"`) > strings.Index(body, `search?kind=node"`) {
		t.Error("a small kind comes before a large one")
	}
}
