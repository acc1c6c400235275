package run

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ownergraph/ownergraph/share"
)

// TestHandling: a run ends with the share, also one that begins after its object has left. The end
// of a run forgets it.
func TestHandling(t *testing.T) {
	var h Handling
	first, end := h.begin(t.Context(), "aaa")
	h.SetShare(share.All(), time.Time{})
	if first.Err() != nil {
		t.Errorf("the run ended with %v in a share of all", context.Cause(first))
	}
	h.SetShare(share.None(), time.Time{})
	second, endSecond := h.begin(t.Context(), "bbb")
	for _, ctx := range []context.Context{first, second} {
		if !hasLeft(ctx) {
			t.Errorf("the cause is %v, want the share", context.Cause(ctx))
		}
	}
	end()
	endSecond()
	if len(h.runs) != 0 {
		t.Errorf("%d runs are left", len(h.runs))
	}
	third, end := h.begin(t.Context(), "aaa")
	end()
	if third.Err() == nil {
		t.Error("the context of an ended run goes on")
	}
}

// TestHandlingEnds: the runs end with the share, and each renewal puts its end off.
func TestHandlingEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var h Handling
		ctx, end := h.begin(t.Context(), "aaa")
		defer end()
		for range 3 {
			h.SetShare(share.All(), time.Now().Add(time.Second))
			<-time.After(time.Second - 1)
			if synctest.Wait(); ctx.Err() != nil {
				t.Fatalf("the run ended with %v before the share", context.Cause(ctx))
			}
		}
		<-time.After(1)
		if synctest.Wait(); !hasLeft(ctx) {
			t.Error("the run goes on after the end of the share")
		}
		h.SetShare(share.All(), time.Now().Add(time.Second))
		h.SetShare(share.All(), time.Time{})
		<-time.After(time.Hour)
		if after, end := h.begin(t.Context(), "aaa"); after.Err() != nil {
			t.Errorf("the run ended with %v in a share without an end", context.Cause(after))
		} else {
			end()
		}
	})
}
