package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/proof/storefaults/judge"
)

// extent is the length and the width of a round. Its zero value leaves both to the seed.
type extent struct {
	lasts      time.Duration // of the faults and of the users' work
	collectors int
	writers    int
}

func (e extent) check(store string) error {
	switch {
	case e.lasts < 0:
		return fmt.Errorf("flag -for: %s: want zero or more", e.lasts)
	case e.collectors < 0 || e.writers < 0:
		return fmt.Errorf("flags -collectors and -writers: %d and %d: want zero or more", e.collectors, e.writers)
	case e.lasts > 0 && store != "sqlite" && store != "postgres":
		return fmt.Errorf("flag -for: store %q: want sqlite or postgres", store)
	}
	return nil
}

// arguments returns the flags in the form of the command line, each after a space.
func (e extent) arguments() (text string) {
	if e.lasts > 0 {
		text += " -for " + e.lasts.String()
	}
	if e.collectors > 0 {
		text += fmt.Sprintf(" -collectors %d", e.collectors)
	}
	if e.writers > 0 {
		text += fmt.Sprintf(" -writers %d", e.writers)
	}
	return text
}

// restWithin bounds the time until a database is at rest after the faults, if a round has
// no bound of its own. It is a minute, and five minutes after an hour.
func (e extent) restWithin() time.Duration { return time.Minute + e.lasts/15 }

// faults returns the faults of a database. Long rounds have more of them, because a short
// round of a seed has always the same ones.
func (e extent) faults(s site) []fault {
	list := s.faults()
	if p, ok := s.(*postgresSite); ok && e.lasts > 0 {
		list = append(list, fault{"end-sessions", p.endSessions})
	}
	return list
}

// lengthen starts the writers of a long round. Their users think longer, so that the judge
// gets a few hundred thousand calls of an hour, and they keep about a thousand objects.
func (r *round) lengthen(ctx context.Context, of target) (err error) {
	r.writer, err = startWriters(ctx, r.user.store, of, r.dir, max(r.extent.writers, 3))
	if err != nil {
		return err
	}
	r.user.store, r.user.think, r.user.most = r.writer, 60, 1000
	r.until = time.Now().Add(r.extent.lasts)
	return nil
}

// tracks returns the lists of faults that come and go side by side.
func (r *round) tracks() [][]fault {
	lists := [][]fault{r.extent.faults(r.site), r.work.faults()}
	if r.writer != nil {
		lists = append(lists, r.writer.faults())
	}
	return lists
}

// goesOn reports whether a track has a further fault after n of them.
func (r *round) goesOn(ctx context.Context, n, drawn int) bool {
	if r.extent.lasts == 0 {
		return n < drawn
	}
	return ctx.Err() == nil && time.Now().Before(r.until)
}

// pauses are the longest calm and the longest fault of a track, in milliseconds. A long
// round has room for cascades between its faults.
func (r *round) pauses() (calm, length int) {
	if r.extent.lasts == 0 {
		return 250, 500
	}
	return 6000, 2000
}

// keep gives the users of a long round the objects that are there, deletes several roots now
// and then, and prints the progress. It ends with stop.
func (r *round) keep(ctx context.Context, rnd *rand.Rand, stop <-chan struct{}) {
	tick := time.NewTicker(5 * time.Second)
	defer tick.Stop()
	began, printed := time.Now(), 0
	for {
		select {
		case <-stop:
			return
		case <-tick.C:
		}
		before := r.user.hears()
		live, err := r.readSoon(ctx)
		if err == nil {
			r.user.learn(live, before)
		}
		if minute := int(time.Since(began).Minutes()); minute > printed && r.out != nil {
			printed = minute
			r.progress(minute, len(live), err)
		}
		r.user.burst(ctx, rnd)
	}
}

func (r *round) readSoon(ctx context.Context) ([]graph.Object, error) {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	return r.site.objects(ctx)
}

func (r *round) progress(minute, live int, err error) {
	there := fmt.Sprintf("%d objects", live)
	if err != nil {
		there = "the database does not answer"
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	fmt.Fprintf(r.out, "seed %d: minute %d: %s, %s\n", r.seed, minute, there, counted(r.counts))
}

func (u *crowd) full() bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.most > 0 && len(u.known) >= u.most
}

// hears returns the number of objects that ever were known.
func (u *crowd) hears() int {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.heard
}

// learn takes the objects that the database shows. The users know those of unknown
// creations from then on. They forget those that were known before the read and are gone.
func (u *crowd) learn(live []graph.Object, before int) {
	there := map[graph.Key]bool{}
	for _, o := range live {
		there[o.Key] = true
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	u.known = slices.DeleteFunc(u.known, func(k known) bool { return k.heard <= before && !there[k.key] })
	for _, o := range live {
		k := known{key: o.Key, hold: o.HasFinalizer(judge.FinalizerHold)}
		if o.Deleting {
			if k.deleted = o.Propagation(); k.deleted == graph.Unset {
				k.deleted = graph.Background
			}
		}
		u.hear(k)
	}
}
