package selector_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/selector"
)

func TestMatches(t *testing.T) {
	const web = "app=web,tier=gold"
	for _, tc := range []struct {
		selector, labels string
		want             bool
		reason           string
	}{
		{"app", web, true, "it is there"},
		{"keep", web, false, "it is not there"},
		{"!keep", web, true, "it is not there"},
		{"! app", web, false, "it is there"},
		{"app=web", web, true, "the same value"},
		{" app == web ", web, true, "blanks do not count"},
		{"app=we", web, false, "another value"},
		{"app=", web, false, "another value"},
		{"app=", "app=", true, "the empty value"},
		{"app!=web", web, false, "the same value"},
		{"app!=db", web, true, "another value"},
		{"keep!=x", web, true, "without the label there is no such value"},
		{"tier in (gold, silver)", web, true, "one of them"},
		{"tier in (lead)", web, false, "none of them"},
		{"keep in (gold)", web, false, "without the label"},
		{"tier notin (gold,silver)", web, false, "one of them"},
		{"keep notin (gold)", web, true, "without the label"},
		{"app=web,tier in (gold),!keep", web, true, "all match"},
		{"app=web,tier in (lead),!keep", web, false, "one does not match"},
		{"x.io/app=Web.1_2-3", "x.io/app=Web.1_2-3", true, "a domain, and all that a value may have"},
		{"in in (in)", "in=in", true, "words are words where they stand"},
	} {
		s, err := selector.Parse(tc.selector)
		if err != nil {
			t.Errorf("%q: %v", tc.selector, err)
		} else if got := s.Matches(labelsOf(tc.labels)); got != tc.want {
			t.Errorf("%q matches %q: %t, want %t: %s", tc.selector, tc.labels, got, tc.want, tc.reason)
		}
	}
}

func labelsOf(text string) map[string]string {
	out := map[string]string{}
	for _, l := range strings.Split(text, ",") {
		name, value, _ := strings.Cut(l, "=")
		out[name] = value
	}
	return out
}

func TestParseRefuses(t *testing.T) {
	for _, tc := range []struct{ selector, want, reason string }{
		{"", `"": empty`, "it would match everything"},
		{"app,", `"": empty`, "something is missing"},
		{"app=web,,tier", `"": empty`, "something is missing"},
		{"-app", `"-app" is no label`, "a letter or digit has to be first"},
		{"/app", `"/app" is no label`, "an empty domain"},
		{"X.io/app", `"X.io/app" is no label`, "domains are in lower case"},
		{"a b", `"a b" is no label`, "a blank"},
		{"app=w b", `"w b" is no label's value`, "a blank"},
		{"app=" + strings.Repeat("w", 64), "is no label's value", "too long"},
		{"n>1", "numbers are not compared", "not supported"},
		{"tier in gold", `"tier in gold" is no label`, "no parentheses"},
		{"tier on (gold)", `"on" is neither in nor notin`, "no such word"},
		{"tier in (gold", `is no label`, "not closed"},
		{"tier in ((gold))", `"(gold)" is no label's value`, "twice"},
		{"(gold)", `not of the form "key in (a,b)"`, "no key"},
		{strings.Repeat("a,", 10_000), "longer than 16384 bytes", "bounded"},
	} {
		if _, err := selector.Parse(tc.selector); !errors.Is(err, graph.ErrInvalid) || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%.40q: %v, want %q: %s", tc.selector, err, tc.want, tc.reason)
		}
	}
}

// TestRoundTrip: the text of a selector is read as the same selector. A selector
// matches the labels that all of its requirements match.
func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		key, value := rapid.SampledFrom([]string{"a", "b", "x.io/c"}), rapid.SampledFrom([]string{"", "1", "2", "3"})
		parts := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) string {
			k, v, w := key.Draw(t, "key"), value.Draw(t, "value"), value.Draw(t, "value")
			return rapid.SampledFrom([]string{
				k, "!" + k, k + "=" + v, k + "==" + v, k + "!=" + v,
				fmt.Sprintf("%s in (%s,%s)", k, v, w), fmt.Sprintf("%s notin (%s, %s)", k, v, w),
			}).Draw(t, "part")
		}), 1, 4).Draw(t, "parts")
		labels := rapid.MapOf(key, value).Draw(t, "labels")
		text := strings.Join(parts, ",")
		s, err := selector.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		again, err := selector.Parse(s.String())
		if err != nil || again.String() != s.String() {
			t.Fatalf("%q prints as %q, and that as %q, %v", text, s, again, err)
		}
		want := true
		for _, p := range parts {
			one, err := selector.Parse(p)
			if err != nil {
				t.Fatal(err)
			}
			want = want && one.Matches(labels)
		}
		if got := s.Matches(labels); got != want || again.Matches(labels) != want {
			t.Fatalf("%q matches %v: %t, want %t", text, labels, got, want)
		}
	})
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{"app=web,tier in (a,b),!z", "a notin ()", "a!=b", "((", "a in (b", ",", "!", "a=b=c"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		s, err := selector.Parse(text)
		if err != nil {
			if !errors.Is(err, graph.ErrInvalid) || s.String() != "" {
				t.Fatalf("%q: %v, %q", text, err, s)
			}
			return
		}
		again, err := selector.Parse(s.String())
		if err != nil || again.String() != s.String() {
			t.Fatalf("%q prints as %q, and that as %q, %v", text, s, again, err)
		}
	})
}

// TestValidName: names and values of labels, at the edge of each bound.
func TestValidName(t *testing.T) {
	long := strings.Repeat("n", 63)
	domain := strings.Repeat("d.", 126) + "d" // 253
	for _, tc := range []struct {
		text        string
		name, value bool
		reason      string
	}{
		{"app", true, true, "letters"},
		{"", false, true, "a value may be empty"},
		{long, true, true, "as long as may be"},
		{long + "n", false, false, "one longer"},
		{"x.io/app", true, false, "a name may have a domain"},
		{domain + "/" + long, true, false, "both as long as may be"},
		{"d" + domain + "/app", false, false, "a domain that is one longer"},
		{"x.io/" + long + "n", false, false, "a name that is one longer"},
		{"/app", false, false, "no domain before the slash"},
		{"x.io/", false, false, "no name behind it"},
		{"X.io/app", false, false, "a domain is in lower case"},
		{"x..io/app", false, false, "a part of it is empty"},
		{"A-b_c.1", true, true, "all that may be in between"},
		{"-a", false, false, "not at the beginning"},
		{"a.", false, false, "nor at the end"},
		{"a b", false, false, "a blank"},
	} {
		if got := selector.ValidName(tc.text); got != tc.name {
			t.Errorf("name %q: %t, want %t: %s", tc.text, got, tc.name, tc.reason)
		}
		if got := selector.ValidValue(tc.text); got != tc.value {
			t.Errorf("value %q: %t, want %t: %s", tc.text, got, tc.value, tc.reason)
		}
	}
}

// TestImpossible: a selector that rules out all values of a label names the label.
func TestImpossible(t *testing.T) {
	for _, tc := range []struct{ selector, want, reason string }{
		{"app", "", "any value will do"},
		{"app in (a,b)", "", "two values will do"},
		{"app,!app", "app", "the label has to be there and absent"},
		{"tier,app=a,app=b", "app", "one label has one value"},
		{"app in (a,b),app notin (a)", "", "the other value will do"},
		{"app in (a,b),app notin (a,b)", "app", "both values are ruled out"},
		{"app,app notin (a)", "", "every other value will do"},
	} {
		s, err := selector.Parse(tc.selector)
		if err != nil {
			t.Fatalf("%s: %v", tc.selector, err)
		}
		if got := s.Impossible(); got != tc.want {
			t.Errorf("%s: %q is impossible, want %q: %s", tc.selector, got, tc.want, tc.reason)
		}
	}
}
