package web

import (
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/ownergraph/ownergraph/engine"
	"github.com/ownergraph/ownergraph/graph"
)

func TestClean(t *testing.T) {
	long := strings.Repeat("x", 2*maxWord)
	for _, c := range []struct{ in, want, reason string }{
		{"web-1", "web-1", "common text"},
		{"größe 漢字 😀", "größe 漢字 😀", "other alphabets"},
		{"<b>&", "<b>&", "the templates escape HTML"},
		{"a\u202eb\u2066c", `a\u202eb\u2066c`, "marks that turn the direction of writing"},
		{"a\nb\tc\x00", `a\nb\tc\x00`, "control characters"},
		{"a\xffb", `a\xffb`, "text that is not UTF-8"},
		{"a\u200bb\ufeff", `a\u200bb\ufeff`, "characters without a width"},
		{long, long[:maxWord*3/4] + "…" + long[:maxWord/4], "long text loses its middle"},
	} {
		if got := clean(c.in); got != c.want {
			t.Errorf("clean(%q) is %q, want %q: %s", c.in, got, c.want, c.reason)
		}
	}
}

func TestWords(t *testing.T) {
	for _, c := range []struct{ got, want, reason string }{
		{age(-time.Second), "0 s", "a clock that went back"},
		{age(59*time.Second + 999*time.Millisecond), "59 s", "it is rounded down"},
		{age(time.Hour - 1), "59 min", "minutes"},
		{age(25*time.Hour - 1), "1 d 0 h", "days"},
		{age(3*time.Hour + 5*time.Minute), "3 h 5 min", "hours"},
		{count(0), "0", "zero"}, {count(999), "999", "no comma"}, {count(uint64(1000)), "1,000", "one comma"}, {count(1234567), "1,234,567", "two commas"},
		{things(1, "object"), "1 object", "one"}, {things(0, "object"), "0 objects", "none"}, {things(2000, "object"), "2,000 objects", "many"},
		{rateText(0.25), "0.25", "small"}, {rateText(12.34), "12.3", "two digits"}, {rateText(1234.6), "1,235", "large"},
		{pre("a\x00\nb"), "a\\x00\nb\n", "lines stay"},
	} {
		if c.got != c.want {
			t.Errorf("got %q, want %q: %s", c.got, c.want, c.reason)
		}
	}
	if got := pre(strings.Repeat("line\n", maxPre)); len(got) > maxPre+100 || !strings.HasSuffix(got, "…\n") {
		t.Errorf("a long text has %d bytes", len(got))
	}
}

// TestLinks: a link is read back as the key. One that is too long names the object by its UID.
func TestLinks(t *testing.T) {
	long := strings.Repeat("n", maxLink)
	for _, c := range []struct {
		key, want graph.Key
		reason    string
	}{
		{graph.Key{Kind: "pod", Scope: "shop", Name: "a", UID: "u1"}, graph.Key{Kind: "pod", Scope: "shop", Name: "a", UID: "u1"}, "a common key"},
		{graph.Key{Kind: "apps/Deployment", Name: "a/b c&d#e?f\"", UID: "%2f&uid=x"}, graph.Key{Kind: "apps/Deployment", Name: "a/b c&d#e?f\"", UID: "%2f&uid=x"}, "all that an address could mistake"},
		{graph.Key{Kind: "pod", Name: "\xff\u202e\n", UID: "u"}, graph.Key{Kind: "pod", Name: "\xff\u202e\n", UID: "u"}, "odd characters"},
		{graph.Key{Kind: "pod", Name: "a"}, graph.Key{Kind: "pod", Name: "a"}, "no UID"},
		{graph.Key{Kind: "pod", Name: long, UID: "u1"}, graph.Key{UID: "u1"}, "a long name"},
	} {
		text := objectLink(c.key)
		got, err := objectIn(httptest.NewRequest("GET", "http://localhost/"+text, nil))
		if got != c.want || err != nil || len(text) > maxLink {
			t.Errorf("%q is read as %v (%v), want %v: %s", text, got, err, c.want, c.reason)
		}
	}
	if got := objectLink(graph.Key{Kind: "pod", Name: "a", UID: graph.UID(long)}); got != "" {
		t.Errorf("a long UID has the link %q", got)
	}
	for _, c := range []struct{ query, reason string }{
		{"", "no object"}, {"key=pod", "no place"}, {"key=pod/a@u", "a UID in the place"}, {"key=" + url.QueryEscape("pod/a b"), "no quotes"},
	} {
		if _, err := objectIn(httptest.NewRequest("GET", "http://localhost/object?"+c.query, nil)); statusOf(err) != 400 {
			t.Errorf("%q: error %v: %s", c.query, err, c.reason)
		}
	}
}

func TestWantsJSON(t *testing.T) {
	for _, c := range []struct {
		accept string
		want   bool
		reason string
	}{
		{"", false, "no wish"},
		{"*/*", false, "everything, as curl asks"},
		{"application/json", true, "JSON alone"},
		{"application/json, */*", false, "a draw"},
		{"application/json, */*;q=0.9", true, "JSON first"},
		{"text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", false, "a browser"},
		{"text/html;q=0.5, application/json;q=0.8", true, "JSON has the larger weight"},
		{"APPLICATION/JSON; charset=utf-8", true, "upper case and a parameter"},
		{"application/json;q=0", false, "JSON is refused"},
		{"application/json;q=x", false, "a weight that is no number"},
		{"application/json;Q=0.1, text/html;q=0.5", false, "a weight in upper case"},
		{"text/html;q=0, */*", true, "HTML is refused"},
		{"application/json;q=0, */*", false, "JSON is refused, and all else is not"},
		{"text/*;q=0.9, text/html;q=0.1, application/json;q=0.5", true, "a more exact range lowers the weight of HTML"},
		{"application/*, application/json;q=0.1, text/html;q=0.5", false, "a more exact range lowers the weight of JSON"},
		{"application/json, text/html;q=0.5, */*", true, "the range of everything raises no exact weight"},
	} {
		if got := wantsJSON([]string{c.accept}); got != c.want {
			t.Errorf("%q: %t, want %t: %s", c.accept, got, c.want, c.reason)
		}
	}
}

// TestRates: rates are averages of the last minute, and need a second.
func TestRates(t *testing.T) {
	at := func(s int) time.Time { return time.Unix(int64(s), 0) }
	events := func(n uint64) (s engine.Stats) { s.Events = n; return s }
	r := newRates(at(0), events(100))
	for _, c := range []struct {
		at           int
		events       uint64
		seconds, per float64
		reason       string
	}{
		{0, 200, 0, 0, "no time has passed"},
		{10, 200, 10, 10, "since the beginning"},
		{40, 500, 40, 10, "the beginning is less than a minute ago"},
		{70, 800, 60, 10, "a minute later the first sample is dropped"},
		{200, 2100, 130, 10, "without a sample of the last minute the newest older one counts"},
		{201, 2100, 131, 1300. / 131, "no new sample so soon"},
		{261, 700, 61, 0, "an answer that measured before the sample of another one"},
	} {
		if got := r.since(at(c.at), events(c.events)); got.Seconds != c.seconds || got.Events != c.per {
			t.Errorf("at %d: %v events/s in %v s, want %v in %v: %s", c.at, got.Events, got.Seconds, c.per, c.seconds, c.reason)
		}
	}
	for i := range 1000 {
		r.since(at(1000+2*i), events(0))
	}
	if len(r.samples) > maxSamples {
		t.Errorf("%d samples", len(r.samples))
	}
}

// TestSweepWords: the words about a sweep say that a holder in a scope has no members outside of it.
func TestSweepWords(t *testing.T) {
	for _, c := range []struct {
		sweep  sweep
		want   string
		reason string
	}{
		{sweep{Members: 5, Gone: 2}, "2 of 5 members are gone", "a holder without a scope"},
		{sweep{Holder: jsonKey{Scope: "a"}, Members: 5, Gone: 2}, "2 of 5 members are gone; members outside its scope are not covered", "a holder in a scope"},
		{sweep{Holder: jsonKey{Scope: "a"}, Halted: true}, "halted", "a sweep that deletes nothing"},
	} {
		if got := c.sweep.Words(); got != c.want {
			t.Errorf("%q, want %q: %s", got, c.want, c.reason)
		}
	}
}
