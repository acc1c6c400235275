package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/proof/storefaults/judge"
)

// round is one run of users, collectors and faults on an empty database.
type round struct {
	site   site
	seed   uint64
	only   string        // the one fault, or empty for all
	within time.Duration // for the rest
	bug    string        // the planted mistake, or empty
	former string        // a program of a former version, which is one more collector; or empty
	extent extent
	out    io.Writer // of the progress of a long round, or nil
	dir    string    // of the processes
	work   *workers
	writer *writers // of a long round
	user   *crowd
	until  time.Time // the end of a long round's faults

	mu     sync.Mutex
	counts map[string]int // of each fault
}

// result is the result of a round.
type result struct {
	counts   map[string]int // of faults
	outcomes map[judge.Outcome]int
	objects  int // that were created
	changes  int // that the database committed
	rest     time.Duration
	breaches []judge.Breach
	calls    []*judge.Call
	content  *judge.Content
}

// history returns every call and every change, a line each.
func (r *result) history() string {
	var text strings.Builder
	for _, c := range r.calls {
		text.WriteString(c.String() + "\n")
	}
	for _, c := range r.content.Changes {
		if c.Gone {
			text.WriteString("gone " + c.Object.Key.String() + "\n")
		} else {
			text.WriteString("put " + c.Object.String() + "\n")
		}
	}
	return text.String()
}

// run returns an error if the round could not be judged.
func (r *round) run(ctx context.Context) (res *result, err error) {
	if r.dir, err = os.MkdirTemp("", "storefaults-round"); err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(r.dir)) }()
	if err := r.site.fresh(ctx, r.seed); err != nil {
		return nil, fmt.Errorf("make an empty database: %w", err)
	}
	defer func() { err = errors.Join(err, r.site.end()) }()
	of := r.target(r.strict())
	store, err := of.open()
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, store.close()) }()
	r.user = &crowd{store: mistaken(store, r.bug), history: &judge.History{}, timeout: 2 * time.Second, policies: of.Policies, grace: of.Grace}
	r.counts = map[string]int{}
	if r.extent.lasts > 0 {
		if err := r.lengthen(ctx, of); err != nil {
			return nil, err
		}
		defer func() { err = errors.Join(err, r.writer.stop()) }()
	}
	return r.play(ctx)
}

// target is the database as a program opens it.
func (r *round) target(strict bool) target {
	t := r.site.target()
	return t.of(r.seed, strict)
}

// strict reports whether the store of the users is of level 3.
func (r *round) strict() bool { return r.seed%2 == 1 && r.site.target().Store != "etcd" }

// hasPolicies reports whether the references of a round have policies.
func hasPolicies(seed uint64) bool { return seed%3 == 0 }

func (r *round) play(ctx context.Context) (_ *result, err error) {
	rnd := rand.New(rand.NewPCG(r.seed, 1))
	r.user.fill(ctx, r.seed, 80+rnd.IntN(160))
	drawn := 1 + rnd.IntN(2)
	strict := r.strict() && hasPolicies(r.seed) // otherwise only users add references, and only they need level 3
	if r.work, err = startWorkers(ctx, r.target(strict), r.dir, r.bug, r.former, cmp.Or(r.extent.collectors, drawn)); err != nil {
		return nil, err
	}
	err = r.storm(ctx, rnd)
	began := time.Now()
	var waiting []string
	if err == nil {
		waiting, err = r.rest(ctx)
	}
	took := time.Since(began)
	logs := r.logs()
	if err = errors.Join(err, r.work.stop()); err != nil {
		return nil, fmt.Errorf("%w\n%s", err, logs)
	}
	res, err := r.judge(ctx)
	if err != nil {
		return nil, err
	}
	res.rest = took
	if len(res.breaches) == 0 && r.target(strict).Archive {
		if res.breaches, err = r.restores(ctx, rnd); err != nil {
			return nil, fmt.Errorf("restore: %w", err)
		}
	}
	if len(waiting) > 0 {
		res.breaches = append(res.breaches, judge.Breach{Rule: "waiting", Text: fmt.Sprintf("not at rest after %s: %s\n%s", took.Round(time.Second), waiting[0], logs)})
	}
	return res, nil
}

// storm lets users work while faults come and go.
func (r *round) storm(ctx context.Context, rnd *rand.Rand) error {
	stop := make(chan struct{})
	var working sync.WaitGroup
	for i := range cmp.Or(r.extent.writers, 3) {
		own := rand.New(rand.NewPCG(r.seed, uint64(100+i)))
		working.Go(func() { r.user.work(ctx, own, stop) })
	}
	working.Go(func() { r.user.burst(ctx, rand.New(rand.NewPCG(r.seed, 99))) })
	if hasGrace(r.seed) {
		working.Go(func() { r.agents(ctx, stop) })
	}
	if r.extent.lasts > 0 {
		working.Go(func() { r.keep(ctx, rand.New(rand.NewPCG(r.seed, 98)), stop) })
	}
	lists := r.tracks()
	errs := make([]error, len(lists))
	var tracks sync.WaitGroup
	for i, list := range lists {
		own := rand.New(rand.NewPCG(r.seed, uint64(200+i)))
		if list, _ = only(list, r.only); len(list) > 0 { // main has checked the name
			tracks.Go(func() { errs[i] = r.track(ctx, list, own) })
		}
	}
	tracks.Wait()
	pause(ctx, rnd, 50)
	close(stop)
	working.Wait()
	return errors.Join(errs...)
}

// track begins and ends faults of a list, one after another.
func (r *round) track(ctx context.Context, list []fault, rnd *rand.Rand) error {
	drawn := 1 + rnd.IntN(3)
	calm, length := r.pauses()
	for n := 0; r.goesOn(ctx, n, drawn); n++ {
		pause(ctx, rnd, calm)
		f := list[rnd.IntN(len(list))]
		mid := f.name == killCollector && r.cascades(ctx)
		end, err := f.begin(ctx, rnd)
		if err != nil {
			return fmt.Errorf("fault %s: begin: %w", f.name, err)
		}
		r.mu.Lock()
		r.counts[f.name]++
		if mid {
			r.counts[killCollector+"-in-cascade"]++
		}
		r.mu.Unlock()
		pause(ctx, rnd, length)
		if err := end(ctx); err != nil {
			return fmt.Errorf("fault %s: end: %w", f.name, err)
		}
	}
	return nil
}

// cascades reports whether the database shows work for a collector. A database that does
// not answer shows none.
func (r *round) cascades(ctx context.Context) bool {
	ctx, cancel := context.WithTimeout(ctx, 200*time.Millisecond)
	defer cancel()
	objects, err := r.site.objects(ctx)
	return err == nil && len(judge.Waiting(objects)) > 0
}

// pause is the length of a calm or of a fault, in milliseconds.
func pause(ctx context.Context, rnd *rand.Rand, most int) {
	t := time.NewTimer(time.Duration(10+rnd.IntN(most)) * time.Millisecond)
	defer t.Stop()
	select {
	case <-ctx.Done():
	case <-t.C:
	}
}

// rest removes the users' finalizers, deletes the objects that restrict a deletion, and waits until
// the database is at rest. It returns the objects that still wait at the deadline.
func (r *round) rest(ctx context.Context) (waiting []string, err error) {
	ctx, cancel := context.WithTimeout(ctx, cmp.Or(r.within, r.extent.restWithin()))
	defer cancel()
	tick := time.NewTicker(60 * time.Millisecond)
	defer tick.Stop()
	for {
		objects, err := r.site.objects(ctx)
		if err == nil {
			r.releaseAll(ctx, objects)
			r.user.endPeriods(ctx, objects)
			for _, key := range judge.Restricting(objects) {
				r.user.deleteOne(ctx, key, graph.Background)
			}
			if waiting = judge.Waiting(objects); len(waiting) == 0 {
				return nil, nil
			}
		}
		if bad := r.work.check(); bad != nil {
			return nil, bad
		}
		select {
		case <-ctx.Done():
			if waiting == nil {
				return nil, fmt.Errorf("read the database: %w", err)
			}
			return waiting, nil
		case <-tick.C:
		}
	}
}

func (r *round) releaseAll(ctx context.Context, objects []graph.Object) {
	for _, o := range objects {
		if o.HasFinalizer(judge.FinalizerHold) {
			r.user.releaseOne(ctx, o.Key)
		}
	}
}

func (r *round) logs() (text string) {
	for _, p := range r.work.list {
		text += p.Tail() + "\n"
	}
	return text
}

func (r *round) judge(ctx context.Context) (*result, error) {
	content, err := r.site.content(ctx)
	if err != nil {
		return nil, fmt.Errorf("read the database: %w", err)
	}
	content.Strict, content.Archive, content.Agents = r.strict(), r.target(r.strict()).Archive, hasGrace(r.seed)
	content.Worked = map[graph.UID]bool{}
	files, err := os.ReadDir(r.work.work)
	if err != nil {
		return nil, err
	}
	for _, f := range files {
		content.Worked[graph.UID(f.Name())] = true
	}
	res := &result{counts: r.counts, outcomes: map[judge.Outcome]int{}, changes: len(content.Changes), calls: r.user.history.Calls(), content: content}
	for _, c := range res.calls {
		res.outcomes[c.Outcome]++
		if c.Verb == judge.Create && c.Outcome == judge.Done {
			res.objects++
		}
	}
	res.breaches = judge.Judge(r.user.history, content)
	return res, nil
}
