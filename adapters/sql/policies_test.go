package sqlstore

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/ownergraph/ownergraph/graph"
)

// withPolicy returns a reference to an object with a policy.
func withPolicy(o graph.Object, policy graph.OnDelete) graph.Owner {
	return graph.Owner{Key: o.Key, OnDelete: policy}
}

// acting opens a strict store after the step of policies.
func acting(c *Config) { c.Strict, c.Policies = true, true }

// refers writes a reference beside another one, in each way. It returns the errors.
func (h *handle) refers(t *testing.T, name string, ref graph.Owner) map[string]error {
	t.Helper()
	ctx, beside := t.Context(), h.mustCreate(t, object("team", "", name+"-beside"))
	both := []graph.Owner{{Key: beside.Key}, ref}
	dep := func(how string, refs []graph.Owner) graph.Object {
		o := object("photo", "one", name+"-"+how)
		o.Owners = refs
		return o
	}
	out := map[string]error{}
	_, out["create"] = h.Create(ctx, dep("create", both))
	updated := h.mustCreate(t, dep("update", nil))
	_, out["update"] = h.Update(ctx, graph.Object{Key: updated.Key, Owners: both})
	add := graph.Change{AddOwner: &ref}
	patched, batched, neighbour := h.mustCreate(t, dep("patch", both[:1])), h.mustCreate(t, dep("batch", both[:1])), h.mustCreate(t, dep("neighbour", nil))
	out["patch"] = h.Patch(ctx, patched.Key, graph.Precondition{}, add)
	results, err := h.Batch(ctx, []graph.Write{{Type: graph.WritePatch, Key: batched.Key, Change: add}, deletion(neighbour)})
	if err != nil || results[1] != nil {
		t.Errorf("the batch: %v, %v", results, err)
		return out
	}
	out["batch"] = results[0]
	out["tx"] = h.inTx(t, func(tx *Tx) error { _, err := tx.Create(ctx, dep("tx", both)); return err })
	out["all"] = h.inTx(t, func(tx *Tx) error { _, err := tx.CreateAll(ctx, []graph.Object{dep("all", both)}); return err })
	return out
}

// inTx runs writes in a transaction of the user, and commits it if they pass.
func (h *handle) inTx(t *testing.T, do func(*Tx) error) error {
	t.Helper()
	tx, err := h.db.BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := do(h.Tx(tx)); err != nil {
		return errors.Join(err, tx.Rollback())
	}
	return tx.Commit()
}

// former stores a reference with a policy as a program of a former version did.
func (h *handle) former(t *testing.T, name string, refs ...graph.Owner) graph.Object {
	t.Helper()
	o := object("photo", "one", name)
	for _, ref := range refs {
		ref.OnDelete = graph.OnDeleteUnset
		o.Owners = append(o.Owners, ref)
	}
	o = h.mustCreate(t, o)
	o.Owners = slices.Clone(refs)
	body := encodeBody(&o)
	body[0] = formatReserved
	for _, table := range []string{"{objects}", "{log}"} {
		if _, err := h.db.ExecContext(t.Context(), h.conf.names().Replace(`UPDATE `+table+` SET body = $1 WHERE uid = $2`), body, string(o.UID)); err != nil {
			t.Fatal(err)
		}
	}
	return o
}

// TestPoliciesBeforeStep: before the step no write adds a policy, in any way and on any level. The error
// names the field and the step. A reference of a former program stays as it is.
func TestPoliciesBeforeStep(t *testing.T) {
	onEach(t, func(t *testing.T, d *database) {
		for _, level := range []func(*Config){nil, strict} {
			h := d.mustHandle(t, level)
			h.refusesPolicies(t, fmt.Sprint("strict-", h.conf.Strict))
		}
	})
}

func (h *handle) refusesPolicies(t *testing.T, name string) {
	t.Helper()
	owner := h.mustCreate(t, object("bucket", "one", name))
	for _, policy := range []graph.OnDelete{graph.OnDeleteRelease, graph.OnDeleteRestrict, graph.OnDeleteCascade} {
		for how, err := range h.refers(t, name+policy.String(), withPolicy(owner, policy)) {
			if !errors.Is(err, graph.ErrRefused) || !errors.Is(err, graph.ErrInvalid) || !strings.Contains(err.Error(), "owners[1].onDelete: "+policy.String()) || !strings.Contains(err.Error(), "Migrate makes with Config.Policies") {
				t.Errorf("%s %s with %s: %v, want ErrRefused with the field and the step", name, how, policy, err)
			}
		}
	}
	old := h.former(t, name+"-old", graph.Owner{Key: owner.Key, Block: true, OnDelete: graph.OnDeleteRelease})
	if now, err := h.Get(t.Context(), old.Key); err != nil || !slices.Equal(now.Owners, old.Owners) {
		t.Errorf("%s: %v, %v, want %v", name, now, err, old)
	}
	if _, err := h.Update(t.Context(), graph.Object{Key: old.Key, Owners: old.Owners, Finalizers: []string{"x/y"}}); err != nil {
		t.Errorf("%s: an update that keeps the policy: %v", name, err)
	}
	if err := h.Patch(t.Context(), old.Key, graph.Precondition{}, graph.Change{Unblock: old.Owners}); err != nil {
		t.Errorf("%s: a patch that keeps the policy: %v", name, err)
	}
	if now, err := h.Get(t.Context(), old.Key); err != nil || len(now.Owners) != 1 || now.Owners[0].OnDelete != graph.OnDeleteRelease || now.Owners[0].Block {
		t.Errorf("%s: after the writes %v, %v", name, now, err)
	}
	if _, err := h.Update(t.Context(), graph.Object{Key: old.Key, Owners: []graph.Owner{withPolicy(owner, graph.OnDeleteCascade)}}); !errors.Is(err, graph.ErrRefused) {
		t.Errorf("%s: an update to another policy: %v, want ErrRefused", name, err)
	}
	if _, err := h.Update(t.Context(), graph.Object{Key: old.Key, Owners: refTo(owner)}); err != nil {
		t.Errorf("%s: an update without the policy: %v", name, err)
	}
}

// TestPoliciesStep: former programs have stored policies. Policies counts them. After the step they act,
// for the program that took it and for those that run: these go on with their settings.
func TestPoliciesStep(t *testing.T) {
	onEach(t, func(t *testing.T, d *database) {
		before := d.mustHandle(t, strict)
		owners := map[string]graph.Object{}
		for _, name := range []string{"released", "restricted", "early", "plain"} {
			owners[name] = before.mustCreate(t, object("bucket", "one", name))
		}
		before.former(t, "a", withPolicy(owners["released"], graph.OnDeleteRelease))
		b := before.former(t, "b", withPolicy(owners["restricted"], graph.OnDeleteRestrict), graph.Owner{Key: owners["plain"].Key})
		c := before.former(t, "c", withPolicy(owners["early"], graph.OnDeleteRestrict))
		if err := before.Delete(t.Context(), owners["early"].Key, graph.DeleteOptions{}); err != nil {
			t.Errorf("a deletion before the step: %v", err)
		}
		list, err := before.Policies(t.Context())
		if got := fmt.Sprint(list); err != nil || len(list) != 2 || list[0].References != 1 || list[1].References != 2 || !slices.Equal(list[1].Examples, []graph.Key{b.Key, c.Key}) {
			t.Errorf("the policies before the step: %s, %v", got, err)
		}
		after := d.mustHandle(t, acting)
		if v := after.schema(t); v != policySchema {
			t.Fatalf("the tables have version %d", v)
		}
		again, err := after.Policies(t.Context())
		if err != nil || fmt.Sprint(again) != fmt.Sprint(list) {
			t.Errorf("the policies after the step: %v, %v, want %v", again, err, list)
		}
		for _, h := range []*handle{before, after} {
			err := h.Delete(t.Context(), owners["restricted"].Key, graph.DeleteOptions{})
			var restricted *graph.RestrictedError
			if !errors.As(err, &restricted) || !slices.Equal(restricted.Dependents, []graph.Key{b.Key}) {
				t.Errorf("a deletion after the step: %v, want one that names %v", err, b.Key)
			}
		}
		if err := before.Delete(t.Context(), owners["plain"].Key, graph.DeleteOptions{}); err != nil {
			t.Errorf("a deletion of an owner without a policy: %v", err)
		}
		if err := after.Delete(t.Context(), owners["released"].Key, graph.DeleteOptions{}); err != nil {
			t.Errorf("a deletion of an owner with release: %v", err)
		}
		for how, err := range before.refers(t, "late", withPolicy(owners["restricted"], graph.OnDeleteCascade)) {
			if err != nil {
				t.Errorf("%s of a program that knows the step: %v", how, err)
			}
		}
	})
}

// TestPoliciesExamples: the examples are bounded, and the count is not.
func TestPoliciesExamples(t *testing.T) {
	onEach(t, func(t *testing.T, d *database) {
		h := d.mustHandle(t, acting)
		owner, other := h.mustCreate(t, object("bucket", "one", "a")), h.mustCreate(t, object("bucket", "one", "b"))
		for i := range 12 {
			o := object("photo", "one", fmt.Sprintf("p%02d", 20-i))
			o.Owners = []graph.Owner{withPolicy(owner, graph.OnDeleteCascade), withPolicy(other, graph.OnDeleteCascade)}
			h.mustCreate(t, o)
		}
		list, err := h.Policies(t.Context())
		if err != nil || len(list) != 1 || list[0].References != 24 || len(list[0].Examples) != maxExamples || list[0].Examples[0].Name != "p13" {
			t.Errorf("%v, %v", list, err)
		}
	})
}

// TestPoliciesBesideEachOther: after the step a program without Config.Policies migrates and goes on, and
// the version stays.
func TestPoliciesBesideEachOther(t *testing.T) {
	onEach(t, func(t *testing.T, d *database) {
		d.mustHandle(t, acting)
		h := d.mustHandle(t, nil)
		o := h.mustCreate(t, object("team", "", "a"))
		if v := h.schema(t); v != policySchema {
			t.Errorf("the tables have version %d", v)
		}
		for _, name := range []string{"Get", "Create", "Update", "Patch", "Label", "Tx.Create", "Tx.CreateAll", "AddKind", "WriteRecord", "Fence", "List", "Select", "Compact"} {
			if err := h.callsOf(o)[name](t.Context()); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
	})
}

// formerChange logs a change as a program from before the check of the version does. Each of its writes to
// the objects has such a part.
func (h *handle) formerChange(t *testing.T) error {
	t.Helper()
	columns, values := `pos, mark, at, type, kind, uid, scope, name`, `SELECT max(pos) + 1, 7, 0, 2, 1, 'x', '', 'x' FROM {log}`
	if h.conf.Dialect == Postgres {
		columns, values = columns+`, seq`, `VALUES (1, 7, 0, 2, 1, 'x', '', 'x', nextval('{seq}'))`
	}
	_, err := h.db.ExecContext(t.Context(), h.conf.names().Replace(`INSERT INTO {log} (`+columns+`) `+values))
	return err
}

// TestStepShutsOutFormer: a program of version 2 writes before the step, and not after it. That also holds
// for a program from before the check of the version, which goes on after another upgrade.
func TestStepShutsOutFormer(t *testing.T) {
	onEach(t, func(t *testing.T, d *database) {
		h := d.mustHandle(t, nil)
		h.formerWrite(t, "before")
		if err := h.formerChange(t); err != nil {
			t.Fatal(err)
		}
		d.mustHandle(t, acting)
		if err := h.formerChange(t); answerOf(err) != answerRefused {
			t.Errorf("a change of a former program after the step: %v", err)
		}
		text := h.recordText(`SELECT count(*) FROM {meta} m WHERE m.id = 1 AND ` + formerStamp[h.conf.Dialect])
		var n int
		if err := h.db.QueryRowContext(t.Context(), text).Scan(&n); err != nil || n != 0 {
			t.Errorf("the condition of a former program holds %d times, %v", n, err)
		}
	})
}

// TestStepWaitsForReaders: the step waits for a transaction that has passed the check of the version, and
// only reads until now. Otherwise that would write by the former version after the step.
func TestStepWaitsForReaders(t *testing.T) {
	d := newPostgresDatabase(t)
	h := d.mustHandle(t, nil)
	a := h.mustCreate(t, object("team", "", "a"))
	tx, err := h.db.BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	in := h.Tx(tx)
	if _, err := in.Get(t.Context(), a.Key); err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() {
		_, err := d.handleOn(t, acting)
		done <- err
	}()
	h.waitsFor(t, "{meta}")
	if _, err := in.Create(t.Context(), object("team", "", "b")); err != nil {
		t.Errorf("a write beside the step: %v", err)
	}
	if v := h.schemaIn(t.Context(), t, tx); v != plainSchema {
		t.Errorf("the transaction sees version %d", v)
	}
	if err := tx.Commit(); err != nil {
		t.Fatal(err)
	}
	if err := <-done; err != nil || h.schema(t) != policySchema {
		t.Errorf("the step: %v, version %d", err, h.schema(t))
	}
}

func (h *handle) schemaIn(ctx context.Context, t *testing.T, tx querier) (version int) {
	t.Helper()
	if err := tx.QueryRowContext(ctx, h.conf.names().Replace(`SELECT version FROM {meta}`)).Scan(&version); err != nil {
		t.Fatal(err)
	}
	return version
}
