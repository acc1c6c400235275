package clientgo

import (
	"context"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
)

// openTimeout bounds the time that a server may take to begin a watch.
const openTimeout = 20 * time.Second

// connection is an open watch.
type connection struct {
	watch.Interface
	cancel context.CancelFunc
}

func (c *connection) close() {
	c.cancel()
	c.Stop()
}

// watch opens the kind's watch from a version, or with opts.
func (w *worker) watch(from string, opts *metav1.ListOptions) (*connection, error) {
	if opts == nil {
		opts = &metav1.ListOptions{ResourceVersion: from, AllowWatchBookmarks: true}
	}
	ctx, cancel := context.WithCancel(w.ctx)
	late := time.AfterFunc(openTimeout, cancel)
	i, err := w.run.store.client.watch(ctx, w.at, *opts)
	if !late.Stop() && err == nil {
		i.Stop()
		err = fmt.Errorf("watch %s: no answer within %v", w.at.GroupResource(), openTimeout)
	}
	if err != nil {
		cancel()
		return nil, err
	}
	return &connection{i, cancel}, nil
}

// resume opens a watch at the end of the last one. Before that it reads the server's
// version. If a restored server has not reached the watch's version, it would send no
// event and no error.
func (w *worker) resume() (*connection, error) {
	opts := &metav1.ListOptions{ResourceVersion: w.position, AllowWatchBookmarks: true}
	w.short = w.nextShort
	if w.nextShort {
		w.nextShort = false
		seconds := shortWatch
		opts.TimeoutSeconds = &seconds
		return w.watch("", opts)
	}
	if _, err := w.listPage("", 1); err != nil {
		return nil, err
	}
	return w.watch("", opts)
}

// applyEvent reports one event of the watch.
func (w *worker) applyEvent(e watch.Event) error {
	m, err := metadataOf(e)
	if err != nil {
		return err
	}
	defer w.run.store.client.codec.release(m)
	if w.pageVersion != "" {
		if compare(m.ResourceVersion, w.pageVersion) <= 0 {
			return nil // the page of a fence contained it
		}
		w.pageVersion = ""
	}
	if err := w.observe(m.ResourceVersion, w.position); err != nil {
		return err
	}
	out, err := w.event(e.Type, m)
	if err != nil {
		return err
	}
	if err := w.emit(out); err != nil {
		return err
	}
	w.position = m.ResourceVersion
	return w.passFence()
}

// metadataOf returns the object of a watch's event, or the error that the event is.
func metadataOf(e watch.Event) (*metav1.PartialObjectMetadata, error) {
	if e.Type == watch.Error {
		return nil, apierrors.FromObject(e.Object)
	}
	m, ok := e.Object.(*metav1.PartialObjectMetadata)
	if !ok {
		return nil, fmt.Errorf("%w, but %T", errNoMetadata, e.Object)
	}
	switch e.Type {
	case watch.Added, watch.Modified, watch.Deleted, watch.Bookmark:
		return m, nil
	}
	return nil, fmt.Errorf("%w, but %q", errNoMetadata, e.Type)
}

// forbidden reports whether a right is missing.
func forbidden(err error) bool { return apierrors.IsForbidden(err) || apierrors.IsUnauthorized(err) }
