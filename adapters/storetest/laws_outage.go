package storetest

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
)

const outageReads = "outage/reads"

// lawsOfOutage are about a database that fails as a whole.
func lawsOfOutage() []law {
	list := []law{
		{
			name: outageReads, rests: []string{readFresh, readMarked},
			why: "a busy database has lost nothing: an engine that takes its objects for absent deletes the dependents of every owner",
			run: outagesProveNothing,
		},
		{
			name: "outage/watch", rests: []string{watchComplete, watchReconnect, outageReads},
			why: "a listing that breaks off and looks complete removes every object of the missing part",
			run: outagesCutNoListing,
		},
		{
			name: "outage/writes", rests: append(writesRest(), outageReads, "outage/watch"),
			why: "a write during an outage is done or not done: the engine relies on its answer",
			run: outagesLeaveWritesWhole,
		},
	}
	return withDemand(list, ownergraph.Level1, needOutage)
}

func (t *trial) outage() (end func()) {
	t.Helper()
	return t.begin("Outage", t.Outage)
}

// outagesProveNothing reads a present, a marked and an absent object.
func outagesProveNothing(t *trial) {
	here, marked := t.touch(t.made("here")), t.marked("marked")
	end := t.outage()
	for range 3 {
		for _, o := range []ownergraph.Object{here, marked} {
			now, err := t.get(o.Key)
			switch {
			case err == nil:
				t.wantSame("a read that succeeds during an outage", o, now)
			case definite(err):
				t.broken(fmt.Sprintf("a read of %s during an outage proves nothing", o), err.Error())
			}
		}
	}
	end()
	t.stillThere("after an outage", here)
	t.stillThere("after an outage", marked)
}

func outagesLeaveWritesWhole(t *trial) {
	attempts := t.attempts("")
	answers := make([]error, len(attempts))
	end := t.outage()
	for i, a := range attempts {
		answers[i] = t.do(a.name, a.write)
	}
	end()
	w := t.watch().ready()
	for i, a := range attempts {
		t.wholeOrNot(w, a, answers[i])
	}
}

// outageObjects is the number of objects in a listing that an outage may cut.
const outageObjects = 200

// outagesCutNoListing begins watches and causes outages at random moments.
func outagesCutNoListing(t *trial) {
	want := map[ownergraph.Kind][]ownergraph.Object{}
	for i := range outageObjects {
		want[t.main.Kind] = append(want[t.main.Kind], t.made(fmt.Sprintf("a%03d", i)))
	}
	begun := time.Now()
	t.watch().ready().stop()
	typical := time.Since(begun)
	t.search(func(int) {
		w := t.watch()
		t.wait(randomPart(typical))
		end := t.outage()
		t.wait(randomPart(typical / 4))
		end()
		t.survives(w, want)
	})
}

// wait waits for the time, or until the law ends.
func (t *trial) wait(d time.Duration) {
	ctx, cancel := context.WithTimeout(t.Context(), d)
	defer cancel()
	<-ctx.Done()
}

// survives breaks the law if a watch during an outage has removed an object. The
// watch may have ended.
func (t *trial) survives(w *watcher, want map[ownergraph.Kind][]ownergraph.Object) {
	t.Helper()
	w.sees(func(r *replica) bool { return r.listed() && r.agrees(t.main.Kind, want[t.main.Kind]) })
	events, _ := w.reported()
	t.listingsBring(events, want)
	for _, e := range events {
		if e.Type == graph.Gone || e.Type == graph.KindVanished {
			t.broken("an outage ends no object and no kind", "the watch reported "+formatEvent(e))
		}
	}
	select {
	case <-w.ended:
		if w.err == nil || errors.Is(w.err, context.Canceled) {
			t.broken("a watch that an outage ends returns an error", fmt.Sprint(w.err))
		}
	default:
		if !w.after(events).listed() {
			w.missing("a watch that an outage has not ended goes on after it")
		}
	}
	w.stop()
}
