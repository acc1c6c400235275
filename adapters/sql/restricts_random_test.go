package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/ownergraph/ownergraph/finalizer"
	"github.com/ownergraph/ownergraph/graph"
)

var (
	restrictSeed  = flag.Uint64("restrict.seed", 1, "the seed of TestRestrictRandom; 0 draws one")
	restrictSteps = flag.Int("restrict.steps", 150, "the steps of TestRestrictRandom")
)

// restrictUser writes at random.
type restrictUser struct {
	h *handle
	r *rand.Rand
	n int
}

// TestRestrictRandom: after each random write the rows of restricting objects are those that the bodies
// demand. At level 3 a deletion is refused exactly if an object restricts it.
func TestRestrictRandom(t *testing.T) {
	seed := *restrictSeed
	if seed == 0 {
		seed = rand.Uint64()
	}
	t.Logf("-restrict.seed=%d", seed)
	onEach(t, func(t *testing.T, d *database) {
		for i, strict := range []bool{false, true} {
			h := d.mustHandle(t, func(c *Config) { c.Policies, c.Strict = true, strict })
			u := &restrictUser{h: h, r: rand.New(rand.NewPCG(seed, uint64(i)))}
			refused := 0
			for step := range *restrictSteps {
				before := h.contentOf(t)
				key, err := u.step(t, before)
				var restricted *graph.RestrictedError
				switch live, there := before[key]; {
				case errors.As(err, &restricted):
					refused++
					if want := restricting(before, key); !strict || live.Deleting || !slices.Equal(restricted.Dependents, want) {
						t.Fatalf("step %d: %v, restricting are %v", step, err, want)
					}
				case there && strict && !live.Deleting && len(restricting(before, key)) > 0:
					if now := h.contentOf(t)[key]; now.Deleting || now.UID != key.UID {
						t.Fatalf("step %d: the restricted %v is now %v", step, live, now)
					}
				}
				h.checkRestricts(t, step)
			}
			if strict == (refused == 0) {
				t.Errorf("strict %t: %d deletions were refused", strict, refused)
			}
		}
	})
}

// restricting returns the objects that restrict the object with the key.
func restricting(all map[graph.Key]graph.Object, key graph.Key) (by []graph.Key) {
	for _, o := range all {
		if finalizer.Restricts(o, all[key]) {
			by = append(by, o.Key)
		}
	}
	slices.SortFunc(by, graph.Key.Compare)
	return by
}

// checkRestricts compares the rows with the bodies.
func (h *handle) checkRestricts(t *testing.T, step int) {
	t.Helper()
	want, got := map[string]bool{}, map[string]bool{}
	for _, o := range h.contentOf(t) {
		for _, owner := range restrictedBy(&o) {
			want[owner+" "+string(o.UID)] = true
		}
	}
	c := conn{s: h.Store}
	err := c.each(t.Context(), h.conf.names().Replace(`SELECT owner, uid FROM {restricts}`), nil, func(rows *sql.Rows) error {
		var owner, uid string
		err := rows.Scan(&owner, &uid)
		got[owner+" "+uid] = true
		return err
	})
	if err != nil || !maps.Equal(got, want) {
		t.Fatalf("step %d: the rows are %v, want %v, %v", step, slices.Sorted(maps.Keys(got)), slices.Sorted(maps.Keys(want)), err)
	}
	if h.conf.Dialect == Postgres {
		var n int
		if err := h.db.QueryRowContext(t.Context(), h.conf.names().Replace(`SELECT count(*) FROM {restricts} w JOIN {objects} o ON o.uid = w.owner WHERE NOT o.restricted`)).Scan(&n); err != nil || n != 0 {
			t.Fatalf("step %d: %d restricted objects do not know it, %v", step, n, err)
		}
	}
}

// step writes once, and returns the object of a deletion.
func (u *restrictUser) step(t *testing.T, all map[graph.Key]graph.Object) (key graph.Key, err error) {
	ctx, h := t.Context(), u.h
	keys := slices.SortedFunc(maps.Keys(all), graph.Key.Compare)
	if len(keys) < 4 {
		_, err = h.Create(ctx, u.object(keys))
		return key, err
	}
	pick := func() graph.Object { return all[keys[u.r.IntN(len(keys))]] }
	o := pick()
	switch u.r.IntN(9) {
	case 0, 1:
		_, err = h.Create(ctx, u.object(keys))
	case 2:
		list := []graph.Object{u.object(keys), u.object(keys)}
		err = h.inTx(t, func(tx *Tx) error { _, err := tx.CreateAll(ctx, list); return err })
	case 3:
		_, err = h.Update(ctx, graph.Object{Key: o.Key, Owners: u.refs(keys), Finalizers: o.Finalizers})
	case 4:
		ref := u.refs(keys)[0]
		change := graph.Change{AddOwner: &ref, DropOwners: o.Owners}
		err = h.patchTogether(ctx, o, pick(), change)
	case 5:
		if len(o.Finalizers) > 0 {
			err = h.Patch(ctx, o.Key, graph.Precondition{}, graph.Change{DropFinalizer: o.Finalizers[u.r.IntN(len(o.Finalizers))]})
		}
	default:
		p := graph.Propagation(1 + u.r.IntN(3))
		ways := h.deletions(t, p)
		return o.Key, ways[slices.Sorted(maps.Keys(ways))[u.r.IntN(len(ways))]](o)
	}
	if err != nil && !isResult(err) {
		t.Fatal(err)
	}
	return graph.Key{}, err
}

// patchTogether patches two objects in one batch, or one alone.
func (h *handle) patchTogether(ctx context.Context, o, other graph.Object, change graph.Change) error {
	list := []graph.Write{{Type: graph.WritePatch, Key: o.Key, Change: change}}
	if o.Key != other.Key {
		list = append(list, graph.Write{Type: graph.WritePatch, Key: other.Key, Change: graph.Change{DropOwners: other.Owners}})
	}
	results, err := h.Batch(ctx, list)
	return errors.Join(append(results, err)...)
}

func (u *restrictUser) object(keys []graph.Key) graph.Object {
	u.n++
	o := object("photo", "one", fmt.Sprint("p", u.n, u.h.conf.Strict))
	if len(keys) > 1 {
		o.Owners = u.refs(keys)
	}
	for _, f := range []string{"x/y", graph.FinalizerHold} {
		if u.r.IntN(4) == 0 {
			o.Finalizers = append(o.Finalizers, f)
		}
	}
	return o
}

// refs returns one to three references, with different owners.
func (u *restrictUser) refs(keys []graph.Key) (refs []graph.Owner) {
	for _, i := range u.r.Perm(len(keys))[:1+u.r.IntN(min(3, len(keys)))] {
		ref := graph.Owner{Key: keys[i], OnDelete: graph.OnDelete(u.r.IntN(5) % 4)}
		if u.r.IntN(3) == 0 {
			ref.OnDelete = graph.OnDeleteRestrict
		}
		if u.r.IntN(6) == 0 {
			ref.Kind = "outside"
		}
		refs = append(refs, ref)
	}
	return refs
}
