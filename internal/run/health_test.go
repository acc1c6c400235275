package run_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/ownergraph/ownergraph/internal/run"
)

var start = time.Unix(1000, 0)

// TestHealth: each look returns the changes since the look before it.
func TestHealth(t *testing.T) {
	var h run.Health
	for _, c := range []struct {
		after  time.Duration // since the end of the watch
		kinds  []run.KindHealth
		want   string
		again  bool
		reason string
	}{
		{0, []run.KindHealth{{Kind: "a"}, {Kind: "b"}}, "[] [] []", false, "all are well"},
		{1, []run.KindHealth{{Kind: "a", Sick: "down"}, {Kind: "b", Sick: "down"}}, "[a: down b: down] [] []", false, "two become sick"},
		{2, []run.KindHealth{{Kind: "a", Sick: "down"}, {Kind: "b", Sick: "gone"}}, "[b: gone] [] []", false, "another reason is news"},
		{3, []run.KindHealth{{Kind: "a"}}, "[] [a] [b]", false, "one is well, and one is no longer served"},
		{4, []run.KindHealth{{Kind: "a", Sick: "watch", Doubtful: true}}, "[] [] []", true, "the next watch may list it"},
		{10 * time.Second, []run.KindHealth{{Kind: "a", Sick: "watch", Doubtful: true}}, "[a: watch] [] []", false, "the next watch has not listed it"},
		{10 * time.Second, []run.KindHealth{{Kind: "a", Sick: "watch", Doubtful: true}}, "[] [] []", false, "nothing is new"},
	} {
		if c.after == 0 {
			h.Down(start)
		}
		got := h.Look(start.Add(c.after), c.kinds)
		if text := fmt.Sprint(got.Sick, got.Well, got.Gone); text != c.want {
			t.Errorf("%s: %s, want %s", c.reason, text, c.want)
		}
		if at, _ := h.Due(start); at.IsZero() == c.again {
			t.Errorf("%s: the next look is at %v", c.reason, at)
		}
	}
}

// TestHealthDue: the changes of one second share a look.
func TestHealthDue(t *testing.T) {
	var h run.Health
	if at, due := h.Due(start); due || !at.IsZero() {
		t.Errorf("nothing has changed, and a look is due at %v", at)
	}
	h.Note(start)
	h.Note(start.Add(time.Second / 2))
	for _, c := range []struct {
		after  time.Duration
		due    bool
		reason string
	}{
		{time.Second - 1, false, "other changes may follow"},
		{time.Second, true, "a second after the first change"},
	} {
		if at, due := h.Due(start.Add(c.after)); due != c.due || !at.Equal(start.Add(time.Second)) {
			t.Errorf("%s: due %v at %v", c.reason, due, at)
		}
	}
}
