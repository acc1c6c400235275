package plan

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/guard"
)

func cutBy(t interface {
	Helper()
	Fatal(args ...any)
}, delimiter string, suffix bool) *Plan {
	t.Helper()
	return mustPlan(t, guard.Sweep{
		Finalizer: "x.io/t", Holder: "tenant", Members: []guard.Members{{By: guard.ByName, Delimiter: delimiter, Suffix: suffix}},
	})
}

// claimedBy counts the claims of an object, and all bytes of their names.
func claimedBy(p *Plan, o graph.Object) (claims, bytes int, last Claim) {
	for c := range p.Claims(o) {
		claims, bytes, last = claims+1, bytes+len(c.Name), c
	}
	return claims, bytes, last
}

// TestClaimsAreBounded: the claims of a name do not grow with its length or with the
// number of its delimiters.
func TestClaimsAreBounded(t *testing.T) {
	for _, suffix := range []bool{false, true} {
		p := cutBy(t, "-", suffix)
		for _, tc := range []struct {
			name, reason string
			claims       int
		}{
			{"a-b", "one delimiter, one name", 1},
			{"a-b-c", "and a shadow", 2},
			{strings.Repeat("a", 1<<20) + "-" + strings.Repeat("b", 1<<20), "one name, however long, and the rest", 2},
			{strings.Repeat("a-", 31) + "a", "31 delimiters are looked at", 31},
			{strings.Repeat("a-", 64) + "a", "32 names and the rest", 33},
			{strings.Repeat("a-", 1<<19) + "a", "the same, of a megabyte", 33},
			{strings.Repeat("-", 1<<20), "delimiters alone", 32},
			{strings.Repeat(strings.Repeat("a", 600)+"-", 40) + strings.Repeat("a", 600), "its shadows are too long", 2},
		} {
			claims, bytes, last := claimedBy(p, graph.Object{Key: graph.Key{Kind: "pod", Name: tc.name, UID: "1"}})
			if claims != tc.claims {
				t.Errorf("suffix %t: %d claims, want %d: %s", suffix, claims, tc.claims, tc.reason)
			}
			if bytes > len(tc.name)+maxCuts*maxShadow {
				t.Errorf("suffix %t: names of %d bytes are looked up for a text of %d: %s", suffix, bytes, len(tc.name), tc.reason)
			}
			if len(tc.name) > 2*maxShadow && !last.Rest {
				t.Errorf("suffix %t: nothing stands for the rest: %s", suffix, tc.reason)
			}
		}
	}
}

// TestClaimsExact: an object names exactly the holders whose names begin or end its own,
// up to a delimiter. It is a member of the first one. The claims with Rest name only such
// holders.
func TestClaimsExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := rapid.SampledFrom([]string{"-", "--", ".", "aa"}).Draw(t, "delimiter")
		suffix := rapid.Bool().Draw(t, "suffix")
		p := cutBy(t, d, suffix)
		part := rapid.SampledFrom([]string{d, d + "a", "b" + d, "ab", "-", strings.Repeat("c", 400)})
		text := ""
		for range rapid.IntRange(1, 4).Draw(t, "parts") {
			text += strings.Repeat(part.Draw(t, "part"), rapid.SampledFrom([]int{1, 2, 3, 33, 80}).Draw(t, "times"))
		}
		size := rapid.IntRange(1, len(text)).Draw(t, "size")
		holder := graph.Object{Key: graph.Key{Kind: "tenant", Name: text[:size], UID: "t"}}
		if suffix {
			holder.Name = text[len(text)-size:]
		}
		o := graph.Object{Key: graph.Key{Kind: "pod", Name: text, UID: "1"}}
		m := p.members(0)
		named, first := strings.HasPrefix(text, holder.Name+d), size == m.next(text, 0)
		if suffix {
			named = strings.HasSuffix(text, d+holder.Name)
		}
		if got := contests(p, holder, o); got != named {
			t.Fatalf("%q contests %q: %t, want %t", holder.Name, text, got, named)
		}
		if got := member(p, holder, o); got != (named && first) {
			t.Fatalf("%q is %q's: %t, want %t", text, holder.Name, got, named && first)
		}
		byName := false
		for c := range p.Claims(o) {
			byName = byName || c.Name == holder.Name
		}
		if named && byName == p.NamedByRest(holder) {
			t.Fatalf("%q has a claim by its name: %t, and by the rest: %t", holder.Name, byName, p.NamedByRest(holder))
		}
	})
}
