package cli

import (
	"database/sql"
	"os"
	"path/filepath"
	"strings"
	"testing"

	filippo "filippo.io/age"

	ageseal "github.com/ownergraph/ownergraph/adapters/age"
	sqlstore "github.com/ownergraph/ownergraph/adapters/sql"
	"github.com/ownergraph/ownergraph/graph"
)

// keyPair is a pair of keys in files, as age-keygen writes them.
type keyPair struct {
	identity, recipients string // names of files
	secret               string
	recipient            filippo.Recipient
}

func newKeys(t *testing.T) keyPair {
	t.Helper()
	id, err := filippo.GenerateX25519Identity()
	if err != nil {
		t.Fatal(err)
	}
	return keyPair{
		identity:   writeKeys(t, "# created: today\n# public key: "+id.Recipient().String()+"\n"+id.String()+"\n"),
		recipients: writeKeys(t, id.Recipient().String()+"\n"), secret: id.String(), recipient: id.Recipient(),
	}
}

func writeKeys(t *testing.T, text string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "keys")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// identitiesOf returns a file with the identities of several pairs.
func identitiesOf(t *testing.T, list ...keyPair) string {
	t.Helper()
	text := ""
	for _, k := range list {
		text += k.secret + "\n"
	}
	return writeKeys(t, text)
}

// sealingOfRig are the settings of a program that seals the notes for a recipient.
func sealingOfRig(k keyPair) sqlstore.Config {
	conf := archiveOfRig()
	conf.Archive.Sealing = ageseal.New(ageseal.Config{Kinds: []graph.Kind{"note"}, Recipients: []filippo.Recipient{k.recipient}})
	return conf
}

// newSealed is newArchived with a program that seals the notes.
func newSealed(t *testing.T, k keyPair) *kept {
	t.Helper()
	file := filepath.Join(t.TempDir(), "sealed.db")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("sqlite", sqliteName(file))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	d := &kept{fill(t, db, sealingOfRig(k), "sqlite:"+file), db}
	d.addRow(t)
	return d
}

// mustBeSealed checks that no column of an entry has the row of the note.
func (d *kept) mustBeSealed(t *testing.T) {
	t.Helper()
	row := d.text(t, `SELECT cast(sealed IS NOT NULL AS text) || coalesce(payload, '') || labels FROM og_archive WHERE uid = '`+d.uid("todo")+`'`)
	if row != "1" && row != "true" || strings.Contains(row, "milk") {
		t.Errorf("the entry has %q", row)
	}
}
