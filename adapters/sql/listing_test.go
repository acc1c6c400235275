package sqlstore

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/ownergraph/ownergraph/graph"
)

// createMany creates objects in transactions of many.
func (h *handle) createMany(t *testing.T, list []graph.Object) (made []graph.Object) {
	t.Helper()
	for len(list) > 0 {
		n := min(len(list), 5000)
		tx, err := h.db.BeginTx(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		some, err := h.Tx(tx).CreateAll(t.Context(), list[:n])
		if err == nil {
			err = tx.Commit()
		}
		if err != nil {
			t.Fatal(err)
		}
		made, list = append(made, some...), list[n:]
	}
	h.Wake()
	return made
}

func numbered(n int) (list []graph.Object) {
	for i := range n {
		list = append(list, object("photo", "one", fmt.Sprintf("p%05d", i)))
	}
	return list
}

// TestListingWhileObjectsComeAndGo lists more objects than fit on two pages. The sink pauses
// the watch after each batch, while users create, change, remove and create again.
func TestListingWhileObjectsComeAndGo(t *testing.T) {
	onEach(t, func(t *testing.T, d *database) {
		h := d.mustHandle(t, nil)
		made := h.createMany(t, numbered(2*pageSize+100))
		stop := make(chan struct{})
		w := h.watchStopped(t, stop)
		for i := range 30 {
			stop <- struct{}{}
			early, late := made[i], made[len(made)-1-i]
			for _, o := range []graph.Object{early, late} {
				if i%2 == 0 {
					if err := h.Delete(t.Context(), o.Key, graph.DeleteOptions{}); err != nil {
						t.Fatal(err)
					}
					if i%4 == 0 {
						h.mustCreate(t, graph.Object{Key: o.Key.Place()})
					}
					continue
				}
				if _, err := h.Update(t.Context(), graph.Object{Key: o.Key, Finalizers: []string{"x/y"}}); err != nil {
					t.Fatal(err)
				}
			}
			h.mustCreate(t, object("photo", "two", fmt.Sprint(i)))
		}
		close(stop)
		want := h.contentOf(t)
		events := w.until(t, "the watch knows every object as it is", func(events []graph.Event) bool {
			return listed(events) && agree(replayed(events), want)
		})
		rises(t, h.Store, events)
	})
}

// contentOf reads all objects from the table.
func (h *handle) contentOf(t *testing.T) map[graph.Key]graph.Object {
	t.Helper()
	all := map[graph.Key]graph.Object{}
	ses, err := h.reading(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	kinds, err := h.readKinds(t.Context(), &ses.c)
	if err != nil {
		t.Fatal(err)
	}
	err = h.tables.page(t.Context(), &ses.c, 0, 0, nil, 1<<30, func(r *row) error {
		r.object.Kind = kinds.byID[r.kind].info.Kind
		all[r.object.Key] = r.object
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func agree(a, b map[graph.Key]graph.Object) bool {
	if len(a) != len(b) {
		return false
	}
	for key, o := range a {
		if !o.Equal(b[key]) {
			return false
		}
	}
	return true
}

// TestSlowWatchBehindCompaction pauses a watch, writes, and cuts the log to a few changes.
// The watch lists anew, and knows everything.
func TestSlowWatchBehindCompaction(t *testing.T) {
	onEach(t, func(t *testing.T, d *database) {
		h := d.mustHandle(t, func(c *Config) { c.LogSize = 5 })
		gone, kept := h.mustCreate(t, object("team", "", "gone")), h.mustCreate(t, object("team", "", "kept"))
		stop := make(chan struct{})
		w := h.watchStopped(t, stop)
		for !listed(w.reported()) {
			select {
			case stop <- struct{}{}:
			case <-time.After(time.Millisecond): // the last batch may be there, and not noted yet
			case <-t.Context().Done():
				t.Fatal("not listed")
			}
		}
		before := count(w.reported(), graph.ListBegun)
		if _, err := h.Update(t.Context(), graph.Object{Key: kept.Key, Finalizers: []string{"x/first"}}); err != nil {
			t.Fatal(err)
		}
		eventually(t, "the watch has read the first change, and is stopped", w.stopped.Load)
		if err := h.Delete(t.Context(), gone.Key, graph.DeleteOptions{}); err != nil {
			t.Fatal(err)
		}
		for i := range 20 {
			if _, err := h.Update(t.Context(), graph.Object{Key: kept.Key, Finalizers: []string{fmt.Sprintf("x/%d", i)}}); err != nil {
				t.Fatal(err)
			}
		}
		h.compactAll(t)
		close(stop)
		want := h.contentOf(t)
		w.until(t, "the watch knows the content after a new listing", func(events []graph.Event) bool {
			return agree(replayed(events), want) && count(events, graph.ListBegun) > before
		})
	})
}

// compactAll compacts until the log has its size. A running transaction of another test may
// keep a change for a while.
func (h *handle) compactAll(t *testing.T) {
	t.Helper()
	eventually(t, "the log is cut", func() bool {
		if err := h.Compact(t.Context()); err != nil {
			t.Fatal(err)
		}
		return h.logSize(t) <= int64(h.conf.LogSize)+1
	})
}

func (h *handle) logSize(t *testing.T) (n int64) {
	t.Helper()
	if err := h.db.QueryRowContext(t.Context(), h.conf.names().Replace(`SELECT count(*) FROM {log}`)).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

// TestCompactKeepsTheSize checks both limits of the log.
func TestCompactKeepsTheSize(t *testing.T) {
	onEach(t, func(t *testing.T, d *database) {
		h := d.mustHandle(t, func(c *Config) { c.LogSize = 10 })
		for i := range 40 {
			h.mustCreate(t, object("team", "", fmt.Sprint(i)))
		}
		h.compactAll(t)
		if n := h.logSize(t); n < 9 {
			t.Errorf("%d changes are left, want about 10: the size is a limit, and no aim", n)
		}
		old := d.mustHandle(t, func(c *Config) { c.LogAge = time.Nanosecond })
		eventually(t, "old changes are cut", func() bool {
			return old.Compact(context.WithoutCancel(t.Context())) == nil && old.logSize(t) <= 1
		})
	})
}

// TestListingsEndLate makes and removes an object after a listing has begun, and before its
// pages are read. The log brings the object afterwards. The listing, which does not have it,
// ends after that, so that the watch never goes back.
func TestListingsEndLate(t *testing.T) {
	onEach(t, func(t *testing.T, d *database) {
		h := d.mustHandle(t, nil)
		ctx, end := context.WithCancel(t.Context())
		defer end()
		var events []graph.Event
		begun := 0
		err := h.Watch(ctx, func(batch []graph.Event) error {
			events = append(events, batch...)
			for _, e := range batch {
				switch {
				case e.Kind != "team":
				case e.Type == graph.ListBegun:
					if begun++; begun == 2 {
						o := h.mustCreate(t, object("team", "", "short"))
						if err := h.Delete(ctx, o.Key, graph.DeleteOptions{}); err != nil {
							t.Error(err)
						}
					}
				case e.Type == graph.ListEnded && begun == 1:
					if err := h.List(ctx, "team"); err != nil {
						t.Error(err)
					}
				case e.Type == graph.ListEnded:
					end()
				}
			}
			return nil
		})
		if !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
		var order []string
		for _, e := range events[slices.IndexFunc(events, func(e graph.Event) bool { return e.Type == graph.ListEnded && e.Kind == "team" })+1:] {
			if e.Of() == "team" && e.Type != graph.Progress {
				order = append(order, e.Type.String())
			}
		}
		if want := []string{"list-begun", "put", "gone", "list-ended"}; !slices.Equal(order, want) {
			t.Errorf("the second listing is %q, want %q", order, want)
		}
	})
}

// TestKindDuringListing: a kind is added between the look at the log and the pages that are judged by it,
// and a fence began before. The listing goes on, the watch lists the kind after it, and the fence passes.
func TestKindDuringListing(t *testing.T) {
	onEach(t, func(t *testing.T, d *database) {
		h := d.mustHandle(t, nil)
		h.mustCreate(t, object("team", "", "a"))
		stop := make(chan struct{})
		w := h.watchStopped(t, stop)
		eventually(t, "the sink has the beginning of the listing", w.stopped.Load)
		token, err := h.Fence(t.Context())
		if err == nil {
			err = h.AddKind(t.Context(), graph.KindInfo{Kind: "added"})
		}
		if err != nil {
			t.Fatal(err)
		}
		close(stop)
		w.until(t, "the fence has passed", passed(token))
		ended := func(e graph.Event) bool { return e.Type == graph.ListEnded && e.Kind == "added" }
		if events := w.reported(); !reported("a")(events) || !slices.ContainsFunc(events, ended) || count(events, graph.ListBegun) != len(kindsOfTests())+1 {
			t.Errorf("the watch reported %v", events)
		}
	})
}
