package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/dump"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/offline"
	"github.com/ownergraph/ownergraph/internal/printing"
	"github.com/ownergraph/ownergraph/internal/terminal"
	"github.com/ownergraph/ownergraph/lint"
	"github.com/ownergraph/ownergraph/lint/live"
)

// source has the flags that name the input.
type source struct {
	file    string
	partial []string
	at      string
	store   storeFlags
	timeout time.Duration
	// policies lets the policies of references act, as the collectors of the store do.
	policies bool
}

// content is an input: a dump, or the listing of a live store.
type content struct {
	dump.Content
	lint    lint.Input
	partial map[graph.Kind]string // kinds of which objects may be missing, with the reason
	level   ownergraph.Level
	live    bool // a store, and no dump
	// policies lets the policies of references act (--policies).
	policies bool
}

// addSource adds the flags of a subcommand that reads a dump or a store.
func (a *app) addSource(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVarP(&a.source.file, "filename", "f", "", `read a dump from this file; "-" is standard input`)
	f.StringSliceVar(&a.source.partial, "partial", nil, `kinds of which the dump may lack objects, such as apps/ReplicaSet; "all" for every kind`)
	a.addStore(cmd)
}

// load reads the dump, or lists the store, whichever the flags name. It writes nothing to a store.
func (a *app) load(ctx context.Context) (content, error) {
	if a.source.file == "" {
		return a.openAndList(ctx)
	}
	c, err := a.readDump()
	if err != nil {
		return content{}, err
	}
	c, full, err := a.source.listed(c)
	if err != nil {
		return content{}, err
	}
	partial, err := partialKinds(c, a.source.partial, full)
	if err != nil {
		return content{}, err
	}
	now, err := a.source.now()
	if err != nil {
		return content{}, err
	}
	out := content{Content: c, lint: c.Lint(now, partial), partial: map[graph.Kind]string{}, level: ownergraph.Level2, policies: a.source.policies}
	for _, k := range partial {
		out.partial[k] = "the dump has a part of its objects"
	}
	return out, nil
}

// now returns the instant of the dump, or the zero time.
func (s *source) now() (time.Time, error) {
	if s.at == "" {
		return time.Time{}, nil
	}
	at, err := time.Parse(time.RFC3339, s.at)
	if err != nil {
		return at, printing.UsageError(fmt.Sprintf("--at %q: want a time such as 2026-01-02T15:04:05Z", s.at))
	}
	return at, nil
}

func (a *app) readDump() (dump.Content, error) {
	name, r := "standard input", a.stdin
	if a.source.file != "-" {
		f, err := os.Open(a.source.file)
		if err != nil {
			return dump.Content{}, err
		}
		defer f.Close()
		name, r = a.source.file, f
	}
	return dump.Read(detect(r), name)
}

// detect returns a reader of JSON for a reader of JSON or YAML.
func detect(r io.Reader) io.Reader {
	buffered := bufio.NewReaderSize(r, 64<<10)
	head, _ := buffered.Peek(4096) // an error comes again with the first read
	if isJSON(head) {
		return buffered
	}
	return newYAMLReader(buffered)
}

// listed adds the kinds of --kind and --global-kind to a dump, and returns them. The dump lists
// them in full, also where it has no object of them.
//
//test:by TestUnlistedKinds
func (s *source) listed(c dump.Content) (dump.Content, []graph.KindInfo, error) {
	kinds := s.store.kindInfos()
	for i, k := range kinds {
		for _, u := range c.Unlisted {
			if string(k.Kind) == u.Kind.Text() {
				kinds[i].Kind = u.Kind
			}
		}
	}
	if len(kinds) == 0 {
		return c, nil, nil
	}
	out, err := c.WithListed(kinds)
	if err != nil {
		return c, nil, printing.UsageError(fmt.Sprintf("--kind and --global-kind: %v", err))
	}
	return out, kinds, nil
}

// partialKinds returns the kinds that the names of --partial mean. A kind without an object is
// not listed in any case, unless it is among the full ones.
func partialKinds(c dump.Content, names []string, full []graph.KindInfo) (list []graph.Kind, err error) {
	for _, name := range names {
		means := func(k graph.KindInfo) bool {
			return name == "all" || name == string(k.Kind) || name == k.Kind.Text()
		}
		found := name == "all" || slices.ContainsFunc(c.Unlisted, means)
		for _, k := range c.Kinds {
			whole := slices.ContainsFunc(full, func(f graph.KindInfo) bool { return f.Kind == k.Kind })
			switch {
			case means(k) && whole && name != "all":
				return nil, printing.UsageError(fmt.Sprintf("--partial %q: --kind or --global-kind says that the dump lists it in full", name))
			case means(k) && !whole:
				list = append(list, k.Kind)
			}
			found = found || means(k)
		}
		if !found {
			return nil, printing.UsageError(fmt.Sprintf("--partial %q: no object has that kind, and no reference names it", name))
		}
	}
	slices.Sort(list)
	return slices.Compact(list), nil
}

// openAndList returns the objects of a live store.
func (a *app) openAndList(ctx context.Context) (content, error) {
	if len(a.source.partial) > 0 {
		return content{}, printing.UsageError("--partial: a store tells itself which kinds it can list")
	}
	ctx, cancel := a.source.deadline(ctx)
	defer cancel()
	s, err := a.source.store.open(ctx)
	if err != nil {
		return content{}, err
	}
	defer s.close()
	return a.listStore(ctx, s)
}

// timely returns an error with the cause of the end of its context, such as the time of --timeout.
func timely(ctx context.Context, err error) error {
	if cause := context.Cause(ctx); err != nil && ctx.Err() != nil && !errors.Is(err, cause) {
		return fmt.Errorf("%w: %w", cause, err)
	}
	return err
}

// listStore lists a store. A kind that cannot be listed is named on standard error, because
// its objects are in no answer.
//
//test:by TestUnlistedKind
func (a *app) listStore(ctx context.Context, s *opened) (content, error) {
	in, err := live.Observe(ctx, s.Store)
	if err != nil {
		return content{}, timely(ctx, err)
	}
	in.Now, in.Constraints = time.Now(), a.constraints(ctx, s)
	out := content{lint: in, partial: map[graph.Kind]string{}, level: ownergraph.LevelOf(s.Store), live: true, policies: a.source.policies}
	for _, k := range in.Kinds {
		out.Kinds = append(out.Kinds, k.KindInfo)
		if !k.Listed {
			out.partial[k.Kind] = k.Reason
			fmt.Fprintf(a.stderr, "not known: the objects of the kind %s, which could not be listed: %s\n",
				terminal.Printable(k.Kind.Text()), terminal.Printable(k.Reason))
		}
	}
	for _, o := range in.Objects {
		out.Objects = append(out.Objects, o.Object)
	}
	slices.SortFunc(out.Objects, func(a, b graph.Object) int { return a.Compare(b.Key) })
	return out, nil
}

// constraints returns the rules of the store's database. Without an answer it says so on standard
// error.
func (a *app) constraints(ctx context.Context, s *opened) []graph.Constraint {
	rules, ok := ownergraph.As[ownergraph.Constrainer](s.Store)
	if !ok {
		return nil
	}
	list, err := rules.Constraints(ctx)
	if err != nil {
		fmt.Fprintf(a.stderr, "not known: the foreign keys of the database: %s\n", terminal.Printable(err.Error()))
	}
	return list
}

// deadline bounds the wait for a store.
func (s *source) deadline(ctx context.Context) (context.Context, context.CancelFunc) {
	if s.timeout <= 0 {
		return context.WithCancel(ctx)
	}
	return context.WithTimeoutCause(ctx, s.timeout, fmt.Errorf("no answer within --timeout %s", s.timeout))
}

// offline returns the content for answers on a copy.
func (c *content) offline() *offline.Content {
	return &offline.Content{Kinds: c.Kinds, Objects: c.Objects, Partial: c.partial, Unlisted: c.Unlisted, Level: c.level, Constraints: c.lint.Constraints, Policies: c.policies}
}
