package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	filippo "filippo.io/age"
	"github.com/spf13/cobra"

	ageseal "github.com/ownergraph/ownergraph/adapters/age"
	sqlstore "github.com/ownergraph/ownergraph/adapters/sql"
	"github.com/ownergraph/ownergraph/archive"
	"github.com/ownergraph/ownergraph/internal/printing"
	"github.com/ownergraph/ownergraph/internal/spell"
	"github.com/ownergraph/ownergraph/plan"
)

// keyFlags name the files with the keys of sealed payloads.
type keyFlags struct{ recipients, identity string }

// The flags of keyFlags.
const recipientsFlag, identityFlag = "recipients", "identity"

func (k *keyFlags) add(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&k.recipients, recipientsFlag, "", "file with recipients of age, for which a removal seals the payloads of sealed kinds")
	f.StringVar(&k.identity, identityFlag, "", "file with identities of age, which open sealed payloads")
}

// check refuses keys without a database, which alone has sealed payloads.
func (k *keyFlags) check(store string) error {
	switch {
	case *k == keyFlags{}:
		return nil
	case store == "":
		return printing.UsageError("--recipients, --identity: want a database with --store")
	case !isDatabase(store):
		return printing.UsageError("--recipients, --identity: this store has no archive: want sqlite:FILE or postgres://...")
	}
	return nil
}

var (
	errNoRecipients = errors.New("give --recipients FILE, with the recipients of the program")
	errNoIdentity   = errors.New("it is sealed: give --identity FILE")
)

// read returns the functions of the keys, without kinds. Without recipients Seal returns an error that names the flag.
// Recipients that do not go together are an error here, and not at the first removal.
//
//test:by TestKeyFiles
func (k *keyFlags) read(ctx context.Context) (archive.Sealing, error) {
	var c ageseal.Config
	var err error
	if k.recipients != "" {
		if c.Recipients, err = readKeys(recipientsFlag, k.recipients, filippo.ParseRecipients); err != nil {
			return archive.Sealing{}, err
		}
	}
	if k.identity != "" {
		if c.Identities, err = readKeys(identityFlag, k.identity, filippo.ParseIdentities); err != nil {
			return archive.Sealing{}, err
		}
	}
	s := ageseal.New(c)
	if s.Seal == nil {
		s.Seal = func(context.Context, []byte) ([]byte, error) { return nil, errNoRecipients }
		return s, nil
	}
	if _, err := s.Seal(ctx, nil); err != nil {
		return s, fmt.Errorf("--%s %s: %w", recipientsFlag, k.recipients, err)
	}
	return s, nil
}

// recipientNames returns the recipients as text, so that a person can compare them.
func (k *keyFlags) recipientNames() (names []string, err error) {
	list, err := readKeys(recipientsFlag, k.recipients, filippo.ParseRecipients)
	for _, r := range list {
		names = append(names, spell.Clip(fmt.Sprint(r)))
	}
	return names, err
}

// readKeys reads a file of keys. The parsers bound it, and no error of theirs has a secret.
func readKeys[K any](flag, file string, parse func(io.Reader) ([]K, error)) ([]K, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, fmt.Errorf("--%s: %w", flag, err)
	}
	defer f.Close()
	keys, err := parse(f)
	if err != nil {
		return nil, fmt.Errorf("--%s %s: %.200w", flag, file, err)
	}
	return keys, nil
}

// canSeal refuses a cascade of this command that would stop at an object of a sealed kind. A deletion by the program itself has the
// recipients of the program.
//
//test:by TestSealed
func (s *site) canSeal(made *plan.Plan) error {
	if s.app.source.store.keys.recipients != "" {
		return nil
	}
	var names []string
	for _, t := range made.Totals {
		if t.Removed > 0 && slices.Contains(s.store.sealed, t.Kind) {
			names = append(names, t.Kind.Text())
		}
	}
	if len(names) == 0 {
		return nil
	}
	return fmt.Errorf("--act: objects of %s go, and the archive seals their payloads: %w", spell.Some(names), errNoRecipients)
}

// keyless is a database that is open without an identity. Its entries name the flag.
type keyless struct{ *sqlstore.Store }

// Entries is that of the database.
//
//test:by TestSealed
func (s keyless) Entries(ctx context.Context, q archive.Query) (archive.Page, error) {
	page, err := s.Store.Entries(ctx, q)
	for i := range page.Entries {
		if e := &page.Entries[i]; e.Sealed && e.Unreadable != "" {
			e.Unreadable = errNoIdentity.Error()
		}
	}
	return page, err
}

var _ archive.Store = keyless{}

// resealer is the power of a database to seal its entries anew.
type resealer interface {
	Reseal(ctx context.Context, after string, limit int) (sqlstore.Resealed, error)
}
