package clientgo

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/lint"
)

// Dump lists each kind once, without a watch, and returns the objects as data. It takes the
// right to list alone. At most Config.Listings kinds are listed at once.
//
// The result names each kind that could not be listed, with the reason, such as "cannot list
// secrets: forbidden". The owners of such a kind are unknown. If fallback is not "", Dump
// lists a forbidden kind in that namespace alone, and names the kind all the same.
//
// The listings are of different instants. A reference may be newer than the listing of its
// owner's kind, so a missing owner is not proven absent before Reread.
//
// Errors: those of discovery, and the context's own.
//
//test:by TestDump TestDumpFaults TestDumpFallback
func (s *Store) Dump(ctx context.Context, fallback string) (lint.Input, error) {
	c, err := s.discover(ctx, time.Now())
	if err != nil {
		return lint.Input{}, err
	}
	in := lint.Input{Now: time.Now(), Kubernetes: true}
	versions := c.servedVersions()
	lists := make([][][]lint.Object, len(c.infos)) // pages by kind
	in.Kinds = make([]lint.Kind, len(c.infos))
	var all errgroup.Group
	all.SetLimit(s.config.Listings)
	for i, info := range c.infos {
		in.Kinds[i] = lint.Kind{KindInfo: info, Versions: versions[info.Kind]}
		all.Go(func() error {
			d := dumping{store: s, catalog: c, kind: &in.Kinds[i], fallback: fallback}
			lists[i] = d.list(ctx)
			return ctx.Err()
		})
	}
	if err := all.Wait(); err != nil {
		return lint.Input{}, err
	}
	in.Objects = slices.Concat(slices.Concat(lists...)...)
	return in, nil
}

// servedVersions returns the versions of each kind, in order.
func (c *catalog) servedVersions() map[graph.Kind][]string {
	out := map[graph.Kind][]string{}
	for gvk, m := range c.meanings {
		if m.known {
			out[m.kind] = append(out[m.kind], gvk.Version)
		}
	}
	for _, list := range out {
		slices.Sort(list)
	}
	return out
}

// dumping is the listing of one kind.
type dumping struct {
	store    *Store
	catalog  *catalog
	kind     *lint.Kind
	fallback string
}

// list lists the kind, or says why it is not listed.
func (d *dumping) list(ctx context.Context) [][]lint.Object {
	r, watched := d.catalog.kinds[d.kind.Kind]
	switch why := d.catalog.sick[d.kind.Kind]; {
	case why != "":
		d.kind.Reason = why
		return nil
	case !watched:
		d.kind.Reason = "not watched"
		return nil
	}
	objects, err := d.pages(ctx, r, "")
	if err == nil {
		d.kind.Listed = true
		return objects
	}
	d.kind.Reason = cannotList(r.at, err)
	if apierrors.IsServiceUnavailable(err) {
		d.kind.Reason += d.catalog.serviceNote(r.at.GroupVersion())
	}
	if !forbidden(err) || d.fallback == "" || !r.scoped {
		return nil
	}
	if objects, err = d.pages(ctx, r, d.fallback); err != nil {
		return nil
	}
	d.kind.ListedIn = d.fallback
	d.kind.Reason = fmt.Sprintf("cannot list %s outside of the namespace %s: forbidden", r.at.GroupResource(), d.fallback)
	return objects
}

// cannotList says why a listing failed.
func cannotList(at schema.GroupVersionResource, err error) string {
	cause := withText(err).Error()
	switch {
	case forbidden(err):
		cause = "forbidden"
	case notServed(err):
		cause = "the server does not serve them"
	}
	return fmt.Sprintf("cannot list %s: %s", at.GroupResource(), cause)
}

const (
	dumpTries = 3                      // of one listing
	dumpPause = 300 * time.Millisecond // after the first failure; doubles
	dumpPage  = 30 * time.Second       // of one page; a kind that takes longer counts as not listed
	maxWait   = 5 * time.Second        // the longest pause that a server may ask for
)

// pages lists the kind, in one namespace or in all. A listing whose version the server has
// forgotten begins anew, because the pages of two versions make no listing.
func (d *dumping) pages(ctx context.Context, r resource, scope string) (objects [][]lint.Object, err error) {
	for try := range dumpTries {
		if objects, err = d.pagesOnce(ctx, r, scope); err == nil || forbidden(err) || notServed(err) || errors.Is(err, context.DeadlineExceeded) {
			return objects, err
		}
		pause := min(dumpPause<<try, maxWait)
		if l, ok := withDelay(err).(*retryLater); ok {
			pause = min(max(pause, l.after), maxWait)
		}
		if expired(err) {
			pause = 0
		}
		if try+1 < dumpTries && !wait(ctx, pause) {
			return nil, ctx.Err()
		}
	}
	return nil, err
}

// wait waits, and reports whether the context goes on.
func wait(ctx context.Context, pause time.Duration) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(pause):
		return true
	}
}

func (d *dumping) pagesOnce(ctx context.Context, r resource, scope string) (out [][]lint.Object, err error) {
	for next := ""; ; {
		page, err := d.page(ctx, r, scope, next)
		if err != nil {
			return nil, err
		}
		objects, err := d.objects(page.Items)
		if err != nil {
			return nil, err
		}
		out = append(out, objects)
		if next = page.Continue; next == "" {
			return out, nil
		}
	}
}

func (d *dumping) page(ctx context.Context, r resource, scope, next string) (*metav1.PartialObjectMetadataList, error) {
	ctx, cancel := context.WithTimeout(ctx, dumpPage)
	defer cancel()
	return d.store.client.listIn(ctx, r.at, scope, metav1.ListOptions{Limit: int64(d.store.config.PageSize), Continue: next})
}

// objects returns the objects of a page.
func (d *dumping) objects(items []metav1.PartialObjectMetadata) ([]lint.Object, error) {
	out := make([]lint.Object, len(items))
	for i := range items {
		m := &items[i]
		if !identified(m) {
			return nil, fmt.Errorf("%q: %w: no name, UID or version", m.Name, errNoMetadata)
		}
		out[i] = d.catalog.dumped(d.kind.Kind, m)
	}
	return out, nil
}

// dumped returns an object with the facts that package lint needs.
func (c *catalog) dumped(kind graph.Kind, m *metav1.PartialObjectMetadata) lint.Object {
	o := lint.Object{Object: c.objectWith(unshared, kind, m)}
	if m.DeletionTimestamp != nil { // the end of the server's own grace period
		o.MarkedAt = m.DeletionTimestamp.Add(-time.Duration(min(max(ownGrace(m), 0), 1<<31)) * time.Second)
	}
	if len(o.Owners) == 0 {
		return o
	}
	o.OwnerVersions = make([]string, 0, len(o.Owners))
	for i := range m.OwnerReferences {
		o.OwnerVersions = append(o.OwnerVersions, versionIn(m.OwnerReferences[i].APIVersion))
	}
	refs, _ := annotated(kind, m) // o has the fault of a value
	for i := range refs {
		o.OwnerVersions = append(o.OwnerVersions, versionIn(refs[i].APIVersion))
	}
	return o
}

// versionIn returns the version of an apiVersion.
func versionIn(apiVersion string) string {
	return apiVersion[strings.LastIndexByte(apiVersion, '/')+1:]
}

// unshared leaves a text as it is. Sharing takes a third of the time of a dump, and a dump
// lives shortly.
func unshared(s string) string { return s }
