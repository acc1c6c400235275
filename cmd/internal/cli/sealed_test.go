package cli

import (
	"path/filepath"
	"strings"
	"testing"

	filippo "filippo.io/age"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/printing"
)

// TestSealed: a removal of a sealed kind needs recipients, and a restore needs an identity. Each refusal names the flag, and
// changes nothing.
func TestSealed(t *testing.T) {
	own, other := newKeys(t), newKeys(t)
	d := newSealed(t, own)
	todo, seal, open := d.uid("todo"), []string{"--recipients", own.recipients}, []string{"--identity", own.identity}
	const unread = "its payload cannot be read: it is sealed: give --identity FILE\n"
	for _, c := range []struct {
		args, flags []string
		code        int
		want        string
		left        string // the notes
		reason      string
	}{
		{[]string{"ls"}, nil, 0, "note     1", "1", "a listing needs no keys"},
		{[]string{"delete", "note/s/todo", "--yes"}, nil, 1, "seal the payload of note/s/todo@" + todo + ": give --recipients FILE, with the recipients of the program: refused", "1", "the store refuses"},
		{[]string{"delete", "note/s/todo", "--yes"}, open, 1, "give --recipients FILE", "1", "an identity seals nothing"},
		{[]string{"delete", "team/blue", "--yes", "--act"}, nil, 1, "--act: objects of note go, and the archive seals their payloads: give --recipients FILE", "1", "a cascade that reaches the note"},
		{[]string{"plan", "team/blue"}, nil, 0, "4 objects go", "1", "nothing has gone"},
		{[]string{"delete", "team/red", "--yes", "--act"}, nil, 0, "1 of 1 gone", "1", "a cascade without notes"},
		{[]string{"delete", "team/blue", "--yes", "--act"}, seal, 0, "4 of 4 gone", "0", "with recipients"},
		{[]string{"archive", "show", todo}, nil, 0, "bytes, sealed\nunreadable  it is sealed: give --identity FILE\n", "0", "an entry"},
		{[]string{"archive", "show", todo, "-o", "json"}, open, 0, `"sealed": true`, "0", "the form"},
		{[]string{"restore", todo, "--detach"}, nil, 3, "! note/s/todo cannot come back: " + unread, "0", "a root without an identity"},
		{[]string{"restore", todo, "--detach"}, seal, 3, "! note/s/todo cannot come back: " + unread, "0", "recipients open nothing"},
		{[]string{"restore", todo, "--detach"}, []string{"--identity", other.identity}, 3, "age: no identity of this program opens the payload\n", "0", "another identity"},
		{[]string{"restore", "team/blue", "--dry-run"}, nil, 0, "- note/s/todo stays away: " + unread, "0", "below a root"},
		{[]string{"restore", "team/blue", "--yes"}, nil, 0, "restored: 3 objects\n", "0", "the rest comes back"},
		{[]string{"restore", d.uid("blue"), "--yes"}, open, 0, "restored: 1 object; 3 were back before\n", "1", "the note comes back with an identity"},
	} {
		got := d.call(t, "", append(c.args, c.flags...)...)
		if got.code != c.code || !strings.Contains(got.stdout+got.stderr, c.want) || strings.Contains(got.stdout+got.stderr, "milk") {
			t.Errorf("%v %v: exit %d, want %d and %q: %s\n%s%s", c.args, c.flags, got.code, c.code, c.want, c.reason, got.stdout, got.stderr)
		}
		if left := d.text(t, `SELECT count(*) FROM notes`); left != c.left {
			t.Errorf("%v: %s rows are left, want %s: %s", c.args, left, c.left, c.reason)
		}
	}
	d.mustBeSealed(t)
	if row := d.text(t, `SELECT n.body FROM notes n JOIN og_objects o ON o.uid = n.uid AND o.name = 'todo'`); row != "buy milk" {
		t.Errorf("the row is %q", row)
	}
}

// TestSealedFinalizer: the removal by the last finalizer needs recipients, too.
func TestSealedFinalizer(t *testing.T) {
	own := newKeys(t)
	d := newSealed(t, own)
	todo := d.made["todo"].Key
	if err := d.Patch(t.Context(), todo, graph.Precondition{}, graph.Change{AddFinalizer: graph.FinalizerHold}); err != nil {
		t.Fatal(err)
	}
	d.remove(t, "todo", nil)
	got := d.call(t, "", "approve", "note/s/todo", "--at-most", "0")
	if _, there := d.get(t, "todo"); got.code != printing.ExitFailed || !there || !strings.Contains(got.stderr, "give --recipients FILE") {
		t.Errorf("exit %d, there %t\n%s%s", got.code, there, got.stdout, got.stderr)
	}
	got = d.call(t, "", "approve", "note/s/todo", "--at-most", "0", "--recipients", own.recipients)
	if _, there := d.get(t, "todo"); got.code != printing.ExitDone || there {
		t.Errorf("exit %d, there %t\n%s%s", got.code, there, got.stdout, got.stderr)
	}
	d.mustBeSealed(t)
}

// TestKeyFiles: a broken file of keys, or keys for a store without sealed payloads, is an error that names the flag. It has no
// secret.
func TestKeyFiles(t *testing.T) {
	own := newKeys(t)
	d := newSealed(t, own)
	quantum, err := filippo.GenerateHybridIdentity()
	if err != nil {
		t.Fatal(err)
	}
	text := func(s string) string { return writeKeys(t, s) }
	missing := filepath.Join(t.TempDir(), "none")
	for _, c := range []struct {
		store, flag, file string
		code              int
		want              string
		reason            string
	}{
		{d.flag, "identity", own.identity, 0, "", "an identity with comments"},
		{d.flag, "recipients", own.recipients, 0, "", "a recipient"},
		{d.flag, "identity", missing, 1, "--identity: open " + missing + ": no such file", "no file"},
		{d.flag, "recipients", t.TempDir(), 1, "--recipients ", "a directory"},
		{d.flag, "identity", text(""), 1, ": no identities found", "an empty file"},
		{d.flag, "recipients", text("# none\n"), 1, ": no recipients found", "comments alone"},
		{d.flag, "recipients", own.identity, 1, "error at line 3: unknown recipient type", "an identity in the place of a recipient"},
		{d.flag, "identity", own.recipients, 1, "error at line 1: unknown identity type", "a recipient in the place of an identity"},
		{d.flag, "identity", text(own.secret[:len(own.secret)-2] + "\n"), 1, "error at line 1: malformed secret key", "a cut identity"},
		{d.flag, "recipients", text("age1" + strings.Repeat("x", 60_000) + "\n"), 1, "error at line 1: malformed recipient", "an enormous recipient"},
		{d.flag, "recipients", text(own.recipient.(*filippo.X25519Recipient).String() + "\n" + quantum.Recipient().String() + "\n"), 1, "incompatible recipients", "recipients that do not go together"},
		{d.flag, "identity", "", 2, "--identity is empty", "an unset variable of a shell"},
		{d.flag, "recipients", "", 2, "--recipients is empty", "an unset variable of a shell"},
		{"etcd://localhost:1", "identity", own.identity, 2, "this store has no archive", "another store"},
		{"", "recipients", own.recipients, 2, "want a database with --store", "no store"},
	} {
		args := []string{"ls", "--" + c.flag, c.file}
		if c.store != "" {
			args = append(args, "--store", c.store)
		} else {
			args = append(args, "-f", cluster)
		}
		got := call(t, "", args...)
		if got.code != c.code || !strings.Contains(got.stderr, c.want) || len(got.stderr) > 1000 {
			t.Errorf("%s: exit %d, want %d and %q\n%.1000s", c.reason, got.code, c.code, c.want, got.stderr)
		}
		if strings.Contains(got.stderr, own.secret[20:40]) {
			t.Errorf("%s: the error has a secret: %s", c.reason, got.stderr)
		}
	}
}
