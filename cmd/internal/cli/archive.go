package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/adapters/clientgo"
	"github.com/ownergraph/ownergraph/archive"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/printing"
	"github.com/ownergraph/ownergraph/internal/spell"
)

func (a *app) archiveCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "archive",
		Short: "Read and change the archive of a store, which has the deleted objects",
		Long: `Read and change the archive of a live store. An archive has an entry of each object that ended, with its payload.
"restore" brings objects back. No command prints a payload.

A program turns the archive of its database on (Config.Archive). The database keeps the settings, so each command of this
program writes the entries of its deletions, too.

An archive may seal the payloads of some kinds. Then a removal of such an object needs --recipients, and "restore" needs
--identity. "reseal" gives old entries new recipients.

ENTRY is the UID of the object that ended, or KIND/[SCOPE/]NAME@UID as texts of the library have it.`,
		Example: a.examples("archive ls --store sqlite:app.db --explicit", "archive show --store sqlite:app.db 6f1c...",
			"", "archive ls --store postgres://localhost/app --explicit"),
		Args: a.noCommand,
		RunE: func(*cobra.Command, []string) error {
			return printing.UsageError("want ls, show, hold, end-hold, purge or reseal behind archive")
		},
	}
	cmd.SuggestionsMinimumDistance = 2 // letters
	cmd.AddCommand(a.archiveListCommand(), a.archiveShowCommand(), a.archiveHoldCommand(), a.archiveEndHoldCommand(), a.archivePurgeCommand(), a.archiveResealCommand())
	return cmd
}

// archived is an open store with an archive.
type archived struct {
	archive.Store
	app    *app
	opened *opened
}

// onArchive opens the store of the flags, and calls do with its archive. The time of --timeout bounds all of it.
//
//test:by TestArchiveErrors
func (a *app) onArchive(ctx context.Context, do func(context.Context, *archived) error) error {
	return a.openArchive(ctx, func(ctx context.Context, s *archived) error {
		return s.within(ctx, func(ctx context.Context) error { return do(ctx, s) })
	})
}

// openArchive is onArchive for a command that asks a question. The time of --timeout bounds the opening alone.
func (a *app) openArchive(ctx context.Context, do func(context.Context, *archived) error) error {
	if err := a.wantsStore(); err != nil {
		return err
	}
	opening, cancel := a.source.deadline(ctx)
	defer cancel()
	s, err := a.openLive(opening, clientgo.Config{})
	if err != nil {
		return timely(opening, err)
	}
	defer s.close()
	at, err := a.archiveOf(s)
	if err != nil {
		return err
	}
	return do(ctx, at)
}

// within bounds a part of a command by the time of --timeout.
func (s *archived) within(ctx context.Context, do func(context.Context) error) error {
	ctx, cancel := s.app.source.deadline(ctx)
	defer cancel()
	return timely(ctx, do(ctx))
}

// wantsStore refuses a cluster, which has no archive.
func (a *app) wantsStore() error {
	switch from, err := a.liveOrigin(); {
	case err == nil && from == ofCluster:
		return printing.UsageError("a cluster has no archive: want a store with --store")
	case a.source.store.url == "":
		return printing.UsageError("--store is missing: an archive is in a store")
	default:
		return err
	}
}

func (a *app) archiveOf(s *opened) (*archived, error) {
	power, ok := ownergraph.As[archive.Store](s.Store)
	if !ok || !power.HasArchive() {
		return nil, errors.New("the store has no archive: its program turns it on with Config.Archive")
	}
	return &archived{power, a, s}, nil
}

// maxNamesakes bounds the entries of one name that a command reads.
const maxNamesakes = 10_000

// all calls do with the entries of a query, page by page, until do returns false.
func (s *archived) all(ctx context.Context, q archive.Query, do func(*archive.Entry) bool) error {
	for {
		page, err := s.Entries(ctx, q)
		if err != nil {
			return err
		}
		for i := range page.Entries {
			if !do(&page.Entries[i]) {
				return nil
			}
		}
		if page.More == "" {
			return nil
		}
		q.After = page.More
	}
}

// read returns the entry with a UID, or nil.
func (s *archived) read(ctx context.Context, uid graph.UID) (*archive.Entry, error) {
	page, err := s.Entries(ctx, archive.Query{UIDs: []graph.UID{uid}})
	if err != nil || len(page.Entries) == 0 {
		return nil, err
	}
	return &page.Entries[0], nil
}

// parseEntry returns the key of UID or KEY@UID. The key of a UID has nothing else.
func parseEntry(arg string) (graph.Key, error) {
	if !strings.ContainsAny(arg, `/"`) {
		if arg == "" {
			return graph.Key{}, printing.UsageError("the UID is empty")
		}
		return graph.Key{UID: graph.UID(arg)}, nil
	}
	k, err := graph.ParseKey(arg)
	if err != nil || !strings.Contains(arg, "@") {
		return k, printing.UsageError(fmt.Sprintf("%s: want UID or KIND/[SCOPE/]NAME@UID", spell.Clip(arg)))
	}
	return k, nil
}

// find returns the entry that UID or KEY@UID names. The error wraps graph.ErrNotFound if there is none.
//
//test:by TestArchiveErrors
func (s *archived) find(ctx context.Context, arg string) (*archive.Entry, error) {
	k, err := parseEntry(arg)
	if err != nil {
		return nil, err
	}
	e, err := s.read(ctx, k.UID)
	switch {
	case err != nil:
		return nil, err
	case e == nil:
		return nil, fmt.Errorf("find entry %s: %w: it is purged, or no object with this UID has ended", spell.Clip(arg), graph.ErrNotFound)
	case k.Kind != "" && k != e.Object.Key:
		return nil, fmt.Errorf("find entry %s: this UID is that of %s", spell.Clip(arg), e.Object.Key.Text())
	}
	return e, nil
}

// findNamed also finds the one entry that KIND/[SCOPE/]NAME names. With waiting it prefers one that was not restored. A restored
// one is there for the same command after an interrupt. A name may have an @, too.
//
//test:by TestRestoreNames
func (s *archived) findNamed(ctx context.Context, arg string, waiting bool) (*archive.Entry, error) {
	if k, err := parseEntry(arg); err == nil {
		if e, err := s.find(ctx, arg); k.Kind == "" || !errors.Is(err, graph.ErrNotFound) {
			return e, err
		}
	}
	matches, q, err := s.app.matcher(arg)
	if err != nil {
		return nil, err
	}
	var found, back []archive.Entry
	seen := 0
	err = s.all(ctx, q, func(e *archive.Entry) bool {
		seen++
		switch {
		case !matches(e.Object):
		case waiting && e.IsRestored():
			back = append(back, *e)
		default:
			found = append(found, *e)
		}
		return seen <= maxNamesakes
	})
	switch {
	case err != nil:
		return nil, err
	case seen > maxNamesakes:
		return nil, fmt.Errorf("find entry %s: more than %d entries have this name: give the UID", spell.Clip(arg), maxNamesakes)
	case len(found) == 0 && len(back) == 1:
		return &back[0], nil
	case len(found) == 0 && len(back) > 0:
		return nil, fmt.Errorf("find entry %s: %w: each entry of this name was restored: give the UID of one: %s", spell.Clip(arg), spell.ErrAmbiguous, candidates(back))
	case len(found) == 0:
		return nil, fmt.Errorf("find entry %s: %w: no entry has this name", spell.Clip(arg), graph.ErrNotFound)
	case len(found) > 1:
		return nil, fmt.Errorf("find entry %s: %w: give the UID of one: %s", spell.Clip(arg), spell.ErrAmbiguous, candidates(found))
	}
	return &found[0], nil
}

// matcher returns the condition of KIND/[SCOPE/]NAME, and a query that selects at least its entries.
func (a *app) matcher(arg string) (func(graph.Object) bool, archive.Query, error) {
	if strings.Contains(arg, `"`) {
		k, err := graph.ParsePlace(arg)
		if err != nil {
			return nil, archive.Query{}, printing.UsageError(err.Error())
		}
		return func(o graph.Object) bool { return o.Place() == k }, archive.Query{Kind: k.Kind, Name: k.Name}, nil
	}
	t, err := spell.ParseTarget(arg)
	if err != nil {
		return nil, archive.Query{}, printing.UsageError(err.Error())
	}
	if t.Scope == "" {
		t.Scope = a.scope()
	}
	matches := func(o graph.Object) bool {
		_, err := spell.Find([]graph.Object{o}, t)
		return err == nil
	}
	return matches, archive.Query{Scope: t.Scope, Name: t.Name}, nil
}

// candidates names entries with their UIDs and ends, the newest first.
func candidates(list []archive.Entry) string {
	var names []string
	for i := range list {
		e := &list[i]
		names = append(names, fmt.Sprintf("%s (%s, ended %s)", e.Object.UID, e.Object.Key.Text(), at(e.At)))
	}
	return spell.Some(names)
}

// at returns a time in seconds.
func at(t time.Time) string { return t.UTC().Format(time.RFC3339) }

// completeEntry returns the UIDs of entries, each with its object. Restore takes those that were not restored.
//
//test:by TestCompleteEntries
func (a *app) completeEntry(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
	ctx, cancel := context.WithTimeout(cmd.Context(), completeFor)
	defer cancel()
	var list []string
	err := a.onArchive(ctx, func(ctx context.Context, s *archived) error {
		return s.all(ctx, archive.Query{}, func(e *archive.Entry) bool {
			uid := string(e.Object.UID)
			if strings.HasPrefix(uid, typed) && !slices.Contains(args, uid) && !(cmd.Name() == "restore" && e.IsRestored()) {
				list = append(list, uid+"\t"+spell.Line(e.Object.Key.Text()+", ended "+at(e.At)))
			}
			return len(list) < maxCompleted
		})
	})
	if err != nil || len(args) > 0 && !strings.Contains(cmd.Use, "...") {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return list, cobra.ShellCompDirectiveNoFileComp
}
