package httpctx

import (
	"net/http"
	"testing"
	"time"
)

// answer is a transport that answers each request with a Retry-After.
type answer string

func (a answer) RoundTrip(*http.Request) (*http.Response, error) {
	h := http.Header{}
	if a != "" {
		h.Set("Retry-After", string(a))
	}
	return &http.Response{StatusCode: http.StatusTooManyRequests, Header: h, Body: http.NoBody}, nil
}

// TestCapped: client-go sees a pause only within the bound, and only as a number of seconds.
func TestCapped(t *testing.T) {
	for _, c := range []struct{ sent, want, reason string }{
		{"", "", "the server names none"},
		{"3", "3", "a short pause stays"},
		{"5", "5", "the bound itself"},
		{"6", "5", "more than the bound"},
		{"31536000", "5", "a year"},
		{"9223372036854775807", "5", "the largest number"},
		{"9223372036854775808", "", "beyond all numbers"},
		{"-1", "", "a negative pause"},
		{"Fri, 31 Dec 9999 23:59:59 GMT", "", "a date"},
		{"NaN", "", "no number"},
	} {
		client := Capped(&http.Client{Transport: answer(c.sent)}, 5*time.Second)
		resp, err := client.Get("http://localhost")
		if err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close()
		if got := resp.Header.Get("Retry-After"); got != c.want {
			t.Errorf("%s: %q, want %q", c.reason, got, c.want)
		}
	}
}
