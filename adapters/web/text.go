package web

import (
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/ownergraph/ownergraph/graph"
)

const (
	maxWord = 512  // bytes of a shown text
	maxLine = 4096 // bytes of a line of a longer text
	maxLink = 2048 // bytes of a link
)

// clean returns a text that cannot turn the direction of writing or break a line. Such
// characters become the escapes of Go. A longer text than maxWord loses its middle.
//
//test:by TestClean
func clean(s string) string { return cleanTo(s, maxWord) }

// kindText spells a kind as the texts of the commands do: KIND[.GROUP].
func kindText(k graph.Kind) string { return clean(k.Text()) }

func cleanTo(s string, limit int) string {
	s = shortened(s, limit)
	if !strings.ContainsFunc(s, odd) {
		return s
	}
	var b strings.Builder
	for len(s) > 0 {
		r, n := utf8.DecodeRuneInString(s)
		if odd(r) {
			quoted := strconv.Quote(s[:n])
			b.WriteString(quoted[1 : len(quoted)-1])
		} else {
			b.WriteString(s[:n])
		}
		s = s[n:]
	}
	return b.String()
}

// shortened returns the text. A longer one than the limit loses its middle.
func shortened(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	head, tail := s[:limit*3/4], s[len(s)-limit/4:]
	return strings.ToValidUTF8(head, "") + "…" + strings.ToValidUTF8(tail, "")
}

// odd reports whether a character shows as an escape. A replacement character may stand for
// broken text.
func odd(r rune) bool { return r == utf8.RuneError || !unicode.IsPrint(r) }

// age returns a duration in one or two units, rounded down.
func age(d time.Duration) string {
	s := int64(max(d, 0) / time.Second)
	switch {
	case s < 60:
		return fmt.Sprintf("%d s", s)
	case s < 60*60:
		return fmt.Sprintf("%d min", s/60)
	case s < 24*60*60:
		return fmt.Sprintf("%d h %d min", s/3600, s/60%60)
	}
	return fmt.Sprintf("%d d %d h", s/86400, s/3600%24)
}

// count returns a number with commas between thousands.
func count(n any) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// things returns a number with a noun, as "1 object" and "2 objects".
func things(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return count(n) + " " + noun
}

// objectLink returns the relative link to the page of an object. A name that is too long for a
// link is left out, and the UID alone stands for the object. The link is empty if that is too
// long as well.
//
//test:by TestLinks
func objectLink(k graph.Key) string { return link("object", k, nil) }

func link(page string, k graph.Key, more url.Values) string {
	q := keyQuery(k, "key", "uid")
	maps.Copy(q, more)
	if text := page + "?" + q.Encode(); len(text) <= maxLink {
		return text
	}
	q.Del("key")
	if text := page + "?" + q.Encode(); k.UID != "" && len(text) <= maxLink {
		return text
	}
	return ""
}

// keyQuery returns the parameters that name an object: its place and its UID.
func keyQuery(k graph.Key, place, uid string) url.Values {
	q := url.Values{place: {k.PlaceString()}}
	if k.UID != "" {
		q.Set(uid, string(k.UID))
	}
	return q
}

// keyIn reads the parameters that name an object. The zero key stands for none.
func keyIn(q url.Values, place, uid string) (k graph.Key, err error) {
	if text := q.Get(place); text != "" {
		if k, err = graph.ParsePlace(text); err != nil {
			return k, &statusError{http.StatusBadRequest, "the address has no sound key: " + clean(err.Error())}
		}
	}
	k.UID = graph.UID(q.Get(uid))
	return k, nil
}

// objectIn reads the object of a request.
func objectIn(r *http.Request) (graph.Key, error) {
	k, err := keyIn(r.URL.Query(), "key", "uid")
	if err == nil && k == (graph.Key{}) {
		err = &statusError{http.StatusBadRequest, "the address names no object: it takes key=KIND/SCOPE/NAME, uid=UID or both"}
	}
	return k, err
}
