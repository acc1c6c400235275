package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/adapters/clientgo"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/offline"
	"github.com/ownergraph/ownergraph/internal/printing"
	"github.com/ownergraph/ownergraph/lint"
)

// maxReads bounds the missing owners that are read again. The kinds of the others prove no
// absence.
const maxReads = 2000

const unread = "too many missing owners to read all again"

// reading is one listing of every kind.
type reading struct {
	store  *clientgo.Store
	wholes wholes
	target target       // of a command about one object
	space  *lint.Object // the namespace of the target, read alone, or nil
	in     lint.Input
	// policies lets the policies of references act (--policies).
	policies bool
	content  offline.Content
	made     *offline.Index // of the content, or nil
}

func (r *reading) index() *offline.Index {
	if r.made == nil {
		r.made = r.content.Index()
	}
	return r.made
}

// read lists every kind once. A kind that the user may not list everywhere is listed in the
// namespace of the target.
func (a *app) read(ctx context.Context, namespace string) (*reading, error) {
	store, server, err := a.open(clientgo.Config{})
	if err != nil {
		return nil, err
	}
	in, err := store.Dump(ctx, namespace)
	if err != nil {
		return nil, timely(ctx, err)
	}
	whole, err := newWholes(server)
	if err != nil {
		return nil, fmt.Errorf("read kubeconfig: %w", err)
	}
	r := &reading{store: store, wholes: whole, in: in, policies: a.source.policies}
	r.refresh()
	return r, nil
}

// refresh makes the content of the listing.
func (r *reading) refresh() {
	c := offline.Content{Level: ownergraph.Level2, Partial: map[graph.Kind]string{}, Policies: r.policies}
	for _, k := range r.in.Kinds {
		c.Kinds = append(c.Kinds, k.KindInfo)
		if !k.Listed && !k.Unwatched {
			c.Partial[k.Kind] = k.Reason
		}
	}
	c.Objects = make([]graph.Object, len(r.in.Objects))
	for i := range r.in.Objects {
		c.Objects[i] = r.in.Objects[i].Object
	}
	r.content, r.made = c, nil
}

// find returns the object of a target. An object of a kind that is not listed is read alone.
func (r *reading) find(ctx context.Context, t target) (lint.Object, error) {
	for i := range r.in.Objects {
		if r.in.Objects[i].Place() == t.key {
			return r.in.Objects[i], nil
		}
	}
	i := slices.IndexFunc(r.in.Kinds, func(k lint.Kind) bool { return k.Kind == t.key.Kind })
	if i < 0 {
		return lint.Object{}, fmt.Errorf("%s: objects of this type take no part in ownership: no client can watch them, or they are events or measurements", t)
	}
	if !r.in.Kinds[i].Listed {
		o, err := r.store.Get(ctx, t.key)
		if err == nil {
			r.in.Objects = append(r.in.Objects, lint.Object{Object: o})
			r.refresh()
			return r.in.Objects[len(r.in.Objects)-1], nil
		}
		if !errors.Is(err, graph.ErrNotFound) {
			return lint.Object{}, unreadable(t, r.in.Kinds[i].Reason, err)
		}
	}
	return lint.Object{}, fmt.Errorf("%s: not found", t)
}

// unreadable is the error for an object that is neither listed nor read, for one cause or for two.
//
//test:by TestUnreadable
func unreadable(t target, why string, err error) error {
	_, cause, _ := strings.Cut(why, ": ")
	switch {
	case errors.Is(err, graph.ErrRefused):
		return fmt.Errorf("%s: neither listed nor read: %w", t, err)
	case cause != "" && strings.HasSuffix(err.Error(), ": "+cause):
		return fmt.Errorf("%s: %s", t, why)
	}
	return fmt.Errorf("%s: %s: %w", t, why, err)
}

// proven returns a part of the listing. Each owner that is missing there has been read again,
// and so have those of the objects that came in.
//
//test:by TestOwnerNewerThanItsListing
func (r *reading) proven(ctx context.Context, part func() offline.Content) (offline.Content, error) {
	done := map[graph.Key]bool{}
	for {
		c := part()
		missing := slices.DeleteFunc(c.Missing(), func(k graph.Key) bool { return done[k] })
		if len(missing) == 0 {
			return c, nil
		}
		if over := len(done) + len(missing) - maxReads; over > 0 {
			r.doubt(missing[len(missing)-over:])
			missing = missing[:len(missing)-over]
		}
		if err := r.store.Reread(ctx, &r.in, missing); err != nil {
			return c, timely(ctx, err)
		}
		for _, k := range missing {
			done[k] = true
		}
		r.refresh()
	}
}

// doubt marks the kinds of missing owners as not listed in full.
func (r *reading) doubt(missing []graph.Key) {
	for i := range r.in.Kinds {
		k := &r.in.Kinds[i]
		if k.Listed && slices.ContainsFunc(missing, func(m graph.Key) bool { return m.Kind == k.Kind }) {
			k.Listed, k.Reason = false, unread
		}
	}
}

// onObject lists the cluster, and calls do with the one object that the arguments name.
func (a *app) onObject(ctx context.Context, args []string, do func(context.Context, *reading, graph.Key) error) error {
	targets, err := a.resolve(args)
	if err != nil {
		return err
	}
	if len(targets) != 1 {
		return printing.UsageError("want one object: TYPE/NAME, or TYPE NAME")
	}
	ctx, cancel, err := a.deadline(ctx)
	if err != nil {
		return err
	}
	defer cancel()
	r, err := a.read(ctx, targets[0].scope())
	if err != nil {
		return err
	}
	o, err := r.find(ctx, targets[0])
	if err != nil {
		return err
	}
	r.target = targets[0]
	return do(ctx, r, o.Key)
}

// note writes the unknown facts to standard error, behind a picture.
func (a *app) note(u unknown) { fmt.Fprint(a.stderr, u.text()) }
