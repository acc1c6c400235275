package sqlstore

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/ownergraph/ownergraph/graph"
)

// standAfter is the time for which a watch waits for a transaction before it reports that.
const standAfter = 10 * time.Second

// standing is the transaction for which a watch waits.
type standing struct {
	writer writer
	since  time.Time
	named  bool   // in the reason of the kinds
	sick   string // the reason with which the kinds are reported, or ""
}

// stand reports every kind as sick if the watch waits for one transaction of another program
// for long, and something waits for the watch. The reason names the transaction. The kinds
// recover when the watch goes on. Nothing is missed, so no listing follows.
//
// Held by TestStandingWatch and TestStandingPrepared.
func (w *watch) stand(ctx context.Context, l *look, fences []fence) {
	st := &w.stands
	late := func(f fence) bool { return f.moment.compare(w.next) > 0 }
	waits := l.writer != (writer{}) && w.next == l.moment && (l.beyond || len(w.ending) > 0 || slices.ContainsFunc(fences, late))
	if !waits || st.writer != l.writer {
		if st.sick != "" && len(w.ending) == 0 { // an open listing has its own end
			w.reportAll(graph.KindRecovered, "")
			st.sick = ""
		}
		*st = standing{writer: l.writer, since: time.Now(), sick: st.sick}
	}
	if !waits || st.named || time.Since(st.since) < w.s.standAfter {
		return
	}
	st.named, st.sick = true, w.s.describe(ctx, l.writer)
	w.reportAll(graph.KindSick, st.sick)
}

func (w *watch) reportAll(what graph.EventType, reason string) {
	for _, kind := range sortedKinds(w.kinds) {
		w.out.add(graph.Event{Type: what, Kind: kind, Reason: reason})
	}
}

// describe returns the reason of a watch that waits for a transaction. A role without rights on
// the views of the transactions gets the number, and the error.
func (s *Store) describe(ctx context.Context, of writer) string {
	var who string
	err := s.retry(ctx, func() error {
		ses, err := s.reading(ctx)
		if err == nil {
			who, err = s.tables.describe(ctx, &ses.c, of)
		}
		return err
	})
	if err != nil {
		who = fmt.Sprintf("more is unknown: %v", err)
	}
	return fmt.Sprintf("the watch waits for the end of transaction %d, which may write to the log: %s", of.xid, who)
}
