package sqlstore

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/archive"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/proof/identity"
	"github.com/ownergraph/ownergraph/restore"
)

// TestRestoreIsTheIdentity: after the deletion of a root and its restore the database has the objects of before with their
// rows, up to UIDs and versions. Each case has a scope of its own in one database.
func TestRestoreIsTheIdentity(t *testing.T) {
	onEach(t, func(t *testing.T, d *database) {
		h := d.withRows(t, `n text`)
		c, err := ownergraph.New(h.Store, ownergraph.Config{Policies: true})
		if err != nil {
			t.Fatal(err)
		}
		ctx, stop := context.WithTimeout(t.Context(), 5*time.Minute)
		done := make(chan error, 1)
		go func() { done <- c.Run(ctx) }()
		defer func() { stop(); <-done }()
		cases := 0
		rapid.Check(t, func(r *rapid.T) {
			policies := []graph.OnDelete{0, 0, graph.OnDeleteCascade, graph.OnDeleteRelease}
			early := rapid.Bool().Draw(r, "early") // the restore begins while the cascade runs
			if !early {
				policies = append(policies, graph.OnDeleteRestrict)
			}
			cases++
			w := identityCase{h: h, c: c, scope: fmt.Sprint("case-", cases), early: early}
			w.by = rapid.SampledFrom([]graph.Propagation{graph.Background, graph.Foreground, graph.Orphan}).Draw(r, "by")
			if cause := w.run(ctx, t, identity.Draw(r, policies...)); cause != "" {
				r.Fatalf("delete a %s, and restore it: %s", w.by, cause)
			}
		})
	})
}

// identityCase is one world, its deletion and its restore.
type identityCase struct {
	h     *handle
	c     *ownergraph.Collector
	scope string
	by    graph.Propagation
	early bool
}

func (w *identityCase) run(ctx context.Context, t *testing.T, world []graph.Object) string {
	made := map[graph.UID]graph.Key{}
	for _, o := range world {
		for i, p := range o.Owners {
			o.Owners[i].Key = made[p.UID]
		}
		uid := o.UID
		o.Key = graph.Key{Kind: "photo", Scope: w.scope, Name: o.Name}
		now := w.h.mustCreate(t, o)
		w.h.run(t, w.h.db, fmt.Sprintf(`INSERT INTO %s VALUES (%s, NULL, %s)`, w.h.photos(), quoteText(string(now.UID)), quoteText(o.Name)))
		made[uid] = now.Key
	}
	before := identity.References(w.objects(ctx, t))
	err := w.h.Delete(ctx, made["a"], graph.DeleteOptions{Propagation: w.by})
	if errors.Is(err, graph.ErrRestricted) {
		return ""
	}
	if err == nil && !w.early {
		if _, err = w.c.WaitIdle(ctx); err == nil && w.isStuck(ctx, t) {
			return ""
		}
	}
	for err == nil { // the root has no entry before its end
		var refused *archive.RefusedError
		if _, err = restore.Run(ctx, w.c, archive.Request{Roots: []graph.UID{made["a"].UID}}, nil); err == nil || !errors.As(err, &refused) || refused.Refused[0].Why != archive.NotEnded {
			break
		}
		_, err = w.c.WaitIdle(ctx)
	}
	if err == nil {
		_, err = w.c.WaitIdle(ctx)
	}
	if err != nil {
		return err.Error()
	}
	after := w.objects(ctx, t)
	if cause := identity.Fault(before, identity.References(after), w.by); cause != "" {
		return fmt.Sprintf("%s; the store has %v", cause, after)
	}
	for _, o := range after {
		if row := w.h.rowOf(t, o.UID, "n"); !strings.Contains(row, o.Name) {
			return fmt.Sprintf("%s has the row %s", o.Key, row)
		}
	}
	return ""
}

func (w *identityCase) objects(ctx context.Context, t *testing.T) (out []graph.Object) {
	t.Helper()
	for _, name := range []string{"a", "b", "c", "d", "e", "f"} {
		switch o, err := w.h.Get(ctx, graph.Key{Kind: "photo", Scope: w.scope, Name: name}); {
		case err == nil:
			out = append(out, o)
		case !errors.Is(err, graph.ErrNotFound):
			t.Fatal(err)
		}
	}
	return out
}

// isStuck reports whether a restriction keeps a marked object.
func (w *identityCase) isStuck(ctx context.Context, t *testing.T) bool {
	for _, o := range w.objects(ctx, t) {
		if o.Deleting {
			return true
		}
	}
	return false
}
