package sqlstore

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/archive"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/restore"
)

// sealedOf and setSealed read and write the sealed payload of an entry, as a person with rights on the table does.
func (h *handle) sealedOf(tb interface {
	Context() context.Context
	Fatal(...any)
}, uid graph.UID) (b []byte) {
	if err := h.db.QueryRowContext(tb.Context(), h.archiveText(`SELECT sealed FROM {archive} WHERE uid = $1`), string(uid)).Scan(&b); err != nil {
		tb.Fatal(err)
	}
	return b
}

func (h *handle) setSealed(tb interface {
	Context() context.Context
	Fatal(...any)
}, uid graph.UID, b []byte) {
	if _, err := h.db.ExecContext(tb.Context(), h.archiveText(`UPDATE {archive} SET sealed = $1 WHERE uid = $2`), b, string(uid)); err != nil {
		tb.Fatal(err)
	}
}

// TestSealedRefused: a payload that is forged, cut, of another entry, of a later version, in the clear, or sealed for others
// makes the entry unreadable. The restore is refused before its first write, and names the entry and the cause.
func TestSealedRefused(t *testing.T) {
	onEach(t, func(t *testing.T, d *database) {
		h := d.withRows(t, `n text`, sealing("photo"))
		a, b := h.withRow(t, "a", nil, quoteText("of a")), h.withRow(t, "b", nil, quoteText("of b"))
		h.batchOf(t, deletion(a), deletion(b))
		good, other := h.sealedOf(t, a.UID), h.sealedOf(t, b.UID)
		changed := func(edit func(b []byte) []byte) []byte { return edit(bytes.Clone(good)) }
		foreign, err := sealingWith(2).SealPayload(t.Context(), a.Key, (&openPayload{labels: "{}"}).encode())
		if err != nil {
			t.Fatal(err)
		}
		shape, err := sealingWith(1).SealPayload(t.Context(), a.Key, (&openPayload{labels: ""}).encode())
		if err != nil {
			t.Fatal(err)
		}
		rest, err := sealingWith(1).SealPayload(t.Context(), a.Key, []byte{200})
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range []struct {
			sealed []byte
			want   string
			reason string
		}{
			{other, "was sealed for uid", "the payload of another entry"},
			{changed(func(b []byte) []byte { return b[:len(b)-1] }), "authentication failed", "a cut payload"},
			{changed(func(b []byte) []byte { b[len(b)/2] ^= 1; return b }), "authentication failed", "a forged payload"},
			{changed(func(b []byte) []byte { b[0] = 2; return b }), "format 2", "a later version"},
			{foreign, archive.ErrIdentity.Error(), "a payload for others"},
			{shape, "the columns", "a payload with other columns"},
			{rest, "not readable", "a payload that is none"},
			{nil, "in the clear", "no sealed payload"},
		} {
			h.setSealed(t, a.UID, c.sealed)
			h.refusesRestore(t, a, c.want, c.reason)
		}
		h.setSealed(t, a.UID, good)
		closed := d.mustHandle(t, func(conf *Config) {
			archiving(conf)
			conf.Archive.Tables = h.conf.Archive.Tables
			sealing("photo")(conf)
			conf.Archive.Sealing.Open = nil
		})
		closed.refusesRestore(t, a, "Sealing.Open is nil", "a program without an identity")
		if got := h.rowOf(t, h.mustRestore(t, item(a))[0].UID, "n"); !strings.Contains(got, "of a") {
			t.Errorf("the row is %s", got)
		}
	})
}

// refusesRestore checks that an entry and each restore of it name the cause, and that nothing comes back.
func (h *handle) refusesRestore(t *testing.T, o graph.Object, want, reason string) {
	t.Helper()
	objects := h.rowsIn(t, `{objects}`)
	if e := h.entry(t, o.UID); !strings.Contains(e.Unreadable, want) {
		t.Errorf("%s: the entry is unreadable because %q, want %q", reason, e.Unreadable, want)
	}
	_, direct := h.RestoreEntries(t.Context(), []archive.Item{item(o)})
	c, err := ownergraph.New(h.Store, ownergraph.Config{Policies: true, ObserveOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- c.Run(ctx) }()
	defer func() { stop(); <-done }()
	_, run := restore.Run(ctx, c, archive.Request{Roots: []graph.UID{o.UID}}, nil)
	var refused *archive.RefusedError
	if !errors.As(run, &refused) || refused.Refused[0].Why != archive.PayloadUnreadable {
		t.Errorf("%s: a restore: %v, want a RefusedError", reason, run)
	}
	for _, err := range []error{direct, run} {
		if !errors.Is(err, graph.ErrRefused) || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), o.Name) {
			t.Errorf("%s: %v, want %q and the entry", reason, err, want)
		}
	}
	if e := h.entry(t, o.UID); h.rowsIn(t, `{objects}`) != objects || e.IsRestored() {
		t.Errorf("%s: something came back", reason)
	}
}

// TestSealedTogether: one unreadable entry of a call keeps all of them away.
func TestSealedTogether(t *testing.T) {
	onEach(t, func(t *testing.T, d *database) {
		h := d.withRows(t, `n text`, sealing("photo"))
		a, b, team := h.withRow(t, "a", nil, quoteText("of a")), h.withRow(t, "b", nil, quoteText("of b")), h.mustCreate(t, object("team", "", "t"))
		h.batchOf(t, deletion(a), deletion(b), deletion(team))
		h.setSealed(t, b.UID, h.sealedOf(t, a.UID))
		if _, err := h.RestoreEntries(t.Context(), []archive.Item{item(team), item(a), item(b)}); !errors.Is(err, graph.ErrRefused) || !strings.Contains(err.Error(), "photo/one/b") {
			t.Errorf("%v, want ErrRefused", err)
		}
		if h.rowsIn(t, `{objects}`) != 0 || h.rowsIn(t, h.photos()) != 0 {
			t.Error("a part came back")
		}
	})
}

// TestSealedShape: the columns of a sealed row are those that were sealed with it. Another text in the entry makes it unreadable.
func TestSealedShape(t *testing.T) {
	onEach(t, func(t *testing.T, d *database) {
		h := d.withRows(t, `n text`, sealing("photo"))
		o := h.withRow(t, "a", nil, quoteText("of a"))
		h.removes(t, o, graph.DeleteOptions{})
		h.run(t, h.db, h.archiveText(`UPDATE {archive} SET shape = shape || ' '`))
		if e := h.entry(t, o.UID); !strings.Contains(e.Unreadable, errColumns.Error()) {
			t.Errorf("the entry is unreadable: %q, want %v", e.Unreadable, errColumns)
		}
		if _, err := h.RestoreEntries(t.Context(), []archive.Item{item(o)}); !errors.Is(err, errColumns) || h.rowsIn(t, h.photos()) != 0 {
			t.Errorf("a restore: %v, and %d rows", err, h.rowsIn(t, h.photos()))
		}
	})
}

// TestSealedTampered: no change of a stored payload is restored: a flipped bit, a cut, a piece of another payload, or the whole one.
func TestSealedTampered(t *testing.T) {
	h := newSQLiteDatabase(t).withRows(t, `n text`, sealing("photo"))
	var list []graph.Object
	var good [][]byte
	for i := range 4 {
		o := h.withRow(t, fmt.Sprint("p", i), nil, quoteText(fmt.Sprint("text ", i)))
		h.removes(t, o, graph.DeleteOptions{})
		list, good = append(list, o), append(good, h.sealedOf(t, o.UID))
	}
	rapid.Check(t, func(r *rapid.T) {
		i := rapid.IntRange(0, len(list)-1).Draw(r, "entry")
		other := good[rapid.IntRange(0, len(list)-1).Draw(r, "other")]
		at, end := rapid.IntRange(0, len(good[i])-1).Draw(r, "at"), rapid.IntRange(0, len(good[i])).Draw(r, "end")
		b := bytes.Clone(good[i])
		switch rapid.SampledFrom([]string{"flip", "cut", "append", "piece", "whole"}).Draw(r, "change") {
		case "flip":
			b[at] ^= 1 << rapid.IntRange(0, 7).Draw(r, "bit")
		case "cut":
			b = b[:end]
		case "append":
			b = append(b, other[:min(end, len(other))]...)
		case "piece":
			copy(b[at:], other[min(at, len(other)):])
		case "whole":
			b = bytes.Clone(other)
		}
		h.setSealed(r, list[i].UID, b)
		page, err := h.Entries(t.Context(), archive.Query{UIDs: []graph.UID{list[i].UID}})
		if err != nil {
			r.Fatal(err)
		}
		same := bytes.Equal(b, good[i])
		if readable := page.Entries[0].Unreadable == ""; readable != same {
			r.Fatalf("the payload is readable: %t, it is the stored one: %t", readable, same)
		}
		if same {
			return
		}
		if _, err := h.RestoreEntries(t.Context(), []archive.Item{item(list[i])}); !errors.Is(err, graph.ErrRefused) {
			r.Fatalf("a restore: %v", err)
		}
	})
}
