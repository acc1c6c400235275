package ageseal

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"filippo.io/age"

	"github.com/ownergraph/ownergraph/archive"
	"github.com/ownergraph/ownergraph/graph"
)

// Config has the keys of a sealing.
type Config struct {
	// Kinds are the kinds whose payloads are sealed.
	Kinds []graph.Kind
	// Recipients may open the payloads, each of them alone. A program that only restores needs none.
	Recipients []age.Recipient
	// Identities open payloads. A program that restores nothing needs none. They answer at once, so none of them asks a person.
	Identities []age.Identity
}

// New returns the functions of a sealing. Several goroutines may call them, as they may call the recipients and identities
// of age. A function that lacks its keys is nil. So a program without recipients removes no object of the kinds, and one without
// identities restores none.
//
// Open returns an error that wraps archive.ErrIdentity, if no identity fits.
//
//test:by TestNew TestTampered TestStores
func New(c Config) archive.Sealing {
	s := archive.Sealing{Kinds: slices.Clone(c.Kinds)}
	if recipients := slices.Clone(c.Recipients); len(recipients) > 0 {
		s.Seal = func(_ context.Context, payload []byte) ([]byte, error) { return seal(payload, recipients) }
	}
	if identities := slices.Clone(c.Identities); len(identities) > 0 {
		s.Open = func(_ context.Context, sealed []byte) ([]byte, error) { return open(sealed, identities) }
	}
	return s
}

func seal(payload []byte, recipients []age.Recipient) ([]byte, error) {
	var b bytes.Buffer
	w, err := age.Encrypt(&b, recipients...)
	if err == nil {
		_, err = w.Write(payload)
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		return nil, fmt.Errorf("age: %w", err)
	}
	return b.Bytes(), nil
}

func open(sealed []byte, identities []age.Identity) ([]byte, error) {
	r, err := age.Decrypt(bytes.NewReader(sealed), identities...)
	var none *age.NoIdentityMatchError
	switch {
	case errors.As(err, &none):
		return nil, fmt.Errorf("age: %w", archive.ErrIdentity)
	case err != nil:
		return nil, fmt.Errorf("age: %w", err)
	}
	payload, err := io.ReadAll(r)
	if err != nil {
		return nil, fmt.Errorf("age: %w", err)
	}
	return payload, nil
}
