package sqlstore

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/ownergraph/ownergraph/graph"
)

const (
	// standAfter is the time for which a watch waits for a transaction before it reports that. It
	// also bounds a read of the watch, which may wait for a lock.
	standAfter = 10 * time.Second
	// describeWithin bounds the question for the transaction.
	describeWithin = 2 * time.Second
)

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
//test:by TestStandingWatch TestStandingPrepared
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
	who, err := s.who(ctx, func(ctx context.Context, c *conn) (string, error) { return s.tables.describe(ctx, c, of) })
	if err != nil {
		who = fmt.Sprintf("more is unknown: %v", err)
	}
	return fmt.Sprintf("the watch waits for the end of transaction %d, which may write to the log: %s", of.xid, who)
}

// await carries out a read of the watch. A read that takes longer than Store.standAfter is broken
// off, so that the watch has no connection while it reports, and begins anew. If a transaction
// locks the tables, or if that cannot be found out, every kind is sick, with the reason. The next
// look ends that. Without such a transaction the next try gets twice the time, so that it ends on
// a slow database.
//
//test:by TestBlockedWatch TestSlowRead
func (w *watch) await(ctx context.Context, read func(context.Context) error) error {
	t, ok := w.s.tables.(*postgresTables)
	if !ok { // a reader of SQLite waits for busy_timeout at most
		return w.s.retry(ctx, func() error { return read(ctx) })
	}
	if err := w.s.retry(ctx, func() error { return w.s.ready(ctx) }); err != nil { // it may begin an epoch, which takes its time
		return err
	}
	for within := w.s.standAfter; ; {
		bounded, end := context.WithTimeout(ctx, within)
		err := w.s.retry(bounded, func() error { return read(bounded) })
		expired := bounded.Err() != nil && ctx.Err() == nil
		end()
		if err == nil || !expired {
			return err
		}
		who, unknown := w.s.who(ctx, t.blocker)
		if unknown != nil || who == "" {
			within *= 2
		}
		if unknown != nil {
			who = fmt.Sprintf("a read of the watch has no answer, for an unknown reason: %v", unknown)
		}
		if err := w.standBlocked(who); err != nil {
			return err
		}
	}
}

// standBlocked reports that a read is delayed, if who is not empty.
func (w *watch) standBlocked(who string) error {
	if who == "" || who == w.stands.sick || len(w.kinds) == 0 {
		return nil
	}
	w.stands.sick, w.stands.named = who, false // the reason of a writer may follow
	w.reportAll(graph.KindSick, who)
	return w.out.flush()
}

// who asks for the transaction for which a watch waits. The question is bounded in time.
func (s *Store) who(ctx context.Context, ask func(context.Context, *conn) (string, error)) (who string, err error) {
	ctx, end := context.WithTimeout(ctx, describeWithin)
	defer end()
	err = s.retry(ctx, func() error {
		ses, err := s.reading(ctx)
		if err == nil {
			who, err = ask(ctx, &ses.c)
		}
		return err
	})
	return who, err
}
