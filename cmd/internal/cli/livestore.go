package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"strings"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/adapters/clientgo"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/offline"
	"github.com/ownergraph/ownergraph/internal/printing"
	"github.com/ownergraph/ownergraph/internal/terminal"
	"github.com/ownergraph/ownergraph/plan"
)

// liveOrigin returns the origin of a subcommand that needs a live store.
func (a *app) liveOrigin() (origin, error) {
	switch {
	case a.source.store.url != "" && a.cluster.Names():
		return 0, printing.UsageError("--context, --kubeconfig and --server name a cluster: want it, or --store")
	case a.source.store.url != "":
		return ofStore, nil
	case a.name == Plugin || a.cluster.Names():
		return ofCluster, nil
	}
	return 0, printing.UsageError("--store is missing: want a store with --store, or a cluster with --context")
}

// openLive opens the store or the cluster of the flags.
func (a *app) openLive(ctx context.Context, in clientgo.Config) (*opened, error) {
	from, err := a.liveOrigin()
	switch {
	case err != nil:
		return nil, err
	case from == ofStore:
		return a.source.store.open(ctx)
	}
	s, _, err := a.open(in)
	if err != nil {
		return nil, err
	}
	return &opened{Store: s, close: func() {}, isCluster: true}, nil
}

// onStore opens the store or the cluster, runs a collector on it until every kind is listed, and
// calls do. The arguments name objects. The collector only observes. The settings may add to it.
// On a cluster, the error wraps errUnlisted if a kind is not listed in time.
//
//test:by TestNotListedInTime
func (a *app) onStore(ctx context.Context, args []string, set settings, do func(context.Context, *site) error) error {
	if _, err := a.liveOrigin(); err != nil {
		return err
	}
	opening, cancel, err := a.patient(ctx)
	if err != nil {
		return err
	}
	defer cancel()
	s, err := a.openLive(opening, clientgo.Config{})
	if err != nil {
		return err
	}
	defer s.close()
	at := &site{app: a, store: s}
	if len(args) > 0 {
		if at.objects, err = a.findLive(opening, s, args); err != nil {
			return err
		}
	}
	cfg := ownergraph.Config{ObserveOnly: true, Policies: a.source.policies}
	if set != nil {
		set(&cfg, at.objects)
	}
	return offline.Collect(ctx, s.Store, cfg, func(ctx context.Context, c *ownergraph.Collector) error {
		if err := s.synced(opening, c); err != nil {
			return err
		}
		at.Collector = c
		return do(ctx, at)
	})
}

// patient bounds the wait for answers by --timeout, and in a cluster also by --request-timeout.
func (a *app) patient(ctx context.Context) (context.Context, context.CancelFunc, error) {
	if a.source.store.url != "" {
		ctx, cancel := a.source.deadline(ctx)
		return ctx, cancel, nil
	}
	ctx, cancel, err := a.deadline(ctx)
	if err != nil {
		return nil, nil, err
	}
	ctx, also := a.source.deadline(ctx)
	return ctx, func() { also(); cancel() }, nil
}

// findLive returns the objects that the arguments name. A cluster is asked for each, and a store is
// listed.
func (a *app) findLive(ctx context.Context, s *opened, args []string) (list []graph.Object, err error) {
	if !s.isCluster {
		c, err := a.listStore(ctx, s)
		if err != nil {
			return nil, err
		}
		return c.find(args, a.scope())
	}
	targets, err := a.resolve(args)
	if err != nil {
		return nil, err
	}
	for _, t := range targets {
		o, err := s.Get(ctx, t.key)
		if err != nil {
			return nil, timely(ctx, err)
		}
		list = append(list, o)
	}
	return list, nil
}

// synced waits until every kind is listed.
func (s *opened) synced(ctx context.Context, c *ownergraph.Collector) error {
	if s.isCluster {
		return synced(ctx, c)
	}
	return timely(ctx, c.Synced(ctx))
}

// settings changes the settings of a collector for the objects that the user names.
type settings func(cfg *ownergraph.Config, objects []graph.Object)

// site is a live store with a collector of this command.
type site struct {
	*ownergraph.Collector
	app     *app
	store   *opened
	acting  *ownergraph.Collector // of delete --act, or nil
	objects []graph.Object        // of the arguments, as they were listed
}

// askNumber is the number of objects from which on a user types the number, and not only "yes".
const askNumber = 100

// confirmPlan asks for the word yes, or for the number of the objects that change if they are many.
//
//test:by TestQuestions TestInterruptedQuestion
func (a *app) confirmPlan(ctx context.Context, yes bool, question string, made *plan.Plan) error {
	if !yes {
		fmt.Fprintf(a.stderr, "The place is %s.\n", terminal.Printable(a.place()))
	}
	text, word, n := question+" "+made.Sum()+".", "yes", changed(made)
	if n >= askNumber {
		word = strconv.Itoa(n)
	}
	if n >= askNumber && n != made.Goes() {
		text += fmt.Sprintf(" The deletion changes %d objects.", n)
	}
	return a.confirmBy(ctx, yes, text, word)
}

// changed returns the number of objects that a deletion removes, marks or takes references from.
func changed(made *plan.Plan) (n int) {
	for _, t := range made.Totals {
		n += t.Removed + t.Held + t.Orphaned + t.Trimmed
	}
	return n
}

// place names the store or the cluster of the flags, without a password.
func (a *app) place() string {
	if from, err := a.liveOrigin(); err == nil && from == ofStore {
		if u, err := url.Parse(a.source.store.url); err == nil && u.User != nil {
			return "the store " + u.Redacted()
		}
		return "the store " + a.source.store.url
	}
	config, err := a.cluster.Config()
	if err != nil {
		return "the cluster of the flags"
	}
	return "the cluster " + config.Host
}

// confirm asks the user for the word yes.
func (a *app) confirm(ctx context.Context, yes bool, question string) error {
	return a.confirmBy(ctx, yes, question, "yes")
}

// confirmBy asks the user to type a word, unless --yes was given. Without a terminal it needs --yes. An
// interrupt ends the question.
//
//test:by TestInterruptedQuestion
func (a *app) confirmBy(ctx context.Context, yes bool, question, word string) error {
	if yes {
		return nil
	}
	fmt.Fprintf(a.stderr, "%s Type %s to go on: ", terminal.Printable(question), word)
	reply := make(chan error, 1)
	go func() { reply <- a.readWord(word) }()
	select {
	case err := <-reply:
		return err
	case <-ctx.Done():
		fmt.Fprintln(a.stderr)
		return fmt.Errorf("interrupted: nothing is changed: %w", context.Cause(ctx))
	}
}

func (a *app) readWord(word string) error {
	line, err := bufio.NewReader(a.stdin).ReadString('\n')
	switch {
	case strings.TrimSpace(line) == word:
		return nil
	case err != nil && line == "":
		fmt.Fprintln(a.stderr)
		return printing.UsageError("no answer: give --yes where no user can answer")
	}
	return errDeclined
}

var errDeclined = errors.New("not confirmed: nothing is changed")
