package processes

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/share"
)

// Proof is a proof under way. Use Begin. One goroutine uses it.
type Proof struct {
	t    testing.TB
	ctx  context.Context
	site Site
	size Size

	owner, dependent graph.Kind
	scope            string
	keeper           graph.Object // it lives, and so do its dependents
	made             int          // cascades
	cascades         []*cascade
	deleted          int // of the cascades
	processes        map[string]*Process
	stops            map[string]stop
	ended            []string
}

// Begin makes the cascades of a proof. The processes end with the test.
func Begin(t testing.TB, s Site, z Size) *Proof {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 3*z.Patience)
	t.Cleanup(cancel)
	p := &Proof{t: t, ctx: ctx, site: s, size: z, processes: map[string]*Process{}, stops: map[string]stop{}}
	p.owner, p.dependent, p.scope = s.Kinds()
	var err error
	if p.keeper, err = s.Create(ctx, graph.Object{Key: graph.Key{Kind: p.owner, Scope: p.scope, Name: "keeper"}}); err != nil {
		t.Fatal(err)
	}
	p.cascades = p.createCascades(z.Cascades)
	if err := s.Mark(ctx); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		for _, x := range p.processes {
			x.Stop()
		}
	})
	return p
}

// until asks again and again, until there is no error. A wait takes no longer than the patience of
// the proof. A question that takes long is asked less often.
func (p *Proof) until(what string, ask func(context.Context) error) {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, p.size.Patience)
	defer cancel()
	for {
		begun := time.Now()
		err := ask(ctx)
		if err == nil {
			return
		}
		again := time.NewTimer(max(20*time.Millisecond, 5*time.Since(begun)))
		select {
		case <-again.C:
		case <-ctx.Done():
			again.Stop()
			p.t.Fatalf("wait until %s: %v\n%s", what, err, p.logs())
		}
	}
}

var errNotYet = errors.New("not yet")

// Start starts processes of a role, and returns when they serve.
func (p *Proof) Start(r Role, names ...string) {
	p.t.Helper()
	for _, name := range names {
		x, err := p.site.Start(p.ctx, name, r, p.size)
		if err != nil {
			p.t.Fatal(err)
		}
		x.role = r
		p.processes[name] = x
	}
	for _, name := range names {
		p.until(name+" serves", func(ctx context.Context) error { _, err := p.ask(ctx, name); return err })
	}
}

// ask returns the status of a process.
func (p *Proof) ask(ctx context.Context, name string) (Status, error) {
	x := p.processes[name]
	if !x.Alive() {
		return Status{}, fmt.Errorf("%s has ended", name)
	}
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	s, err := x.Ask(ctx)
	if err == nil {
		x.last = s
	}
	return s, err
}

// Divided waits until exactly these members divide all UIDs.
func (p *Proof) Divided(names ...string) {
	p.t.Helper()
	p.until(fmt.Sprintf("%v divide all UIDs", names), func(ctx context.Context) error { return p.divided(ctx, names) })
}

func (p *Proof) divided(ctx context.Context, names []string) error {
	slots := 0
	for _, name := range names {
		s, err := p.ask(ctx, name)
		if err != nil || s.Members != len(names) || s.Gap != 0 {
			return fmt.Errorf("%s: %+v: %w", name, s, errors.Join(errNotYet, err))
		}
		slots += s.Slots
	}
	if slots != share.Slots {
		return fmt.Errorf("%d slots: %w", slots, errNotYet)
	}
	return nil
}

// Synced waits until processes without a group could write.
func (p *Proof) Synced(names ...string) {
	p.t.Helper()
	for _, name := range names {
		p.until(name+" is synced", func(ctx context.Context) error {
			s, err := p.ask(ctx, name)
			if err == nil && !s.Synced {
				err = errNotYet
			}
			return err
		})
	}
}

// Delete begins to delete the next n cascades. The function returned waits until all owners are
// deleted, as a user sees it.
func (p *Proof) Delete(n int) (wait func()) {
	p.t.Helper()
	list := p.cascades[p.deleted : p.deleted+n]
	p.deleted += n
	return p.begin(list)
}

func (p *Proof) begin(list []*cascade) (wait func()) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		for c := range slices.Values(list) {
			if err := p.site.Delete(p.ctx, c.owner.Key, c.how); err != nil {
				p.t.Errorf("delete %s: %v", c.owner.Key, err)
			}
		}
	}()
	return func() { <-done }
}

// DeleteInWork is Delete. It returns while some processes are in the middle of the cascades: they
// have begun further writes.
func (p *Proof) DeleteInWork(n int, names ...string) (wait func()) {
	p.t.Helper()
	before := p.written(names...)
	wait = p.Delete(n)
	p.until(fmt.Sprintf("%v write", names), func(ctx context.Context) error {
		now, err := p.askWritten(ctx, names)
		if err == nil && now <= before {
			err = errNotYet
		}
		return err
	})
	return wait
}

// written returns the number of writes that some processes have begun.
func (p *Proof) written(names ...string) (n int) {
	p.t.Helper()
	p.until(fmt.Sprintf("%v answer", names), func(ctx context.Context) (err error) {
		n, err = p.askWritten(ctx, names)
		return err
	})
	return n
}

func (p *Proof) askWritten(ctx context.Context, names []string) (n int, err error) {
	for _, name := range names {
		s, err := p.ask(ctx, name)
		if err != nil {
			return 0, err
		}
		n += s.Written
	}
	return n, nil
}

// Settled waits until all deleted cascades are over.
func (p *Proof) Settled() {
	p.t.Helper()
	p.settled(p.cascades[:p.deleted])
}

func (p *Proof) settled(list []*cascade) {
	p.t.Helper()
	p.until("the cascades are over", func(ctx context.Context) error {
		live, err := p.live(ctx)
		if err != nil {
			return err
		}
		for _, c := range list {
			if fault := c.fault(p.keeper.UID, live); fault != "" {
				return errors.New(fault)
			}
		}
		return nil
	})
}

func (p *Proof) live(ctx context.Context) (map[graph.UID]graph.Object, error) {
	list, err := p.site.List(ctx)
	live := map[graph.UID]graph.Object{}
	for _, o := range list {
		live[o.UID] = o
	}
	return live, err
}

// logs returns the ends of the logs of all processes.
func (p *Proof) logs() (text string) {
	for _, name := range slices.Sorted(maps.Keys(p.processes)) {
		text += p.processes[name].Tail() + "\n"
	}
	return text
}
