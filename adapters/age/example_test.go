package ageseal_test

import (
	"context"
	"errors"
	"fmt"
	"log"

	"filippo.io/age"

	ageseal "github.com/ownergraph/ownergraph/adapters/age"
	"github.com/ownergraph/ownergraph/archive"
	"github.com/ownergraph/ownergraph/graph"
)

// A program that writes has recipients alone. The identity opens a payload for its own entry.
func Example() {
	identity, err := age.GenerateX25519Identity()
	if err != nil {
		log.Fatal(err)
	}
	writer := ageseal.New(ageseal.Config{Kinds: []graph.Kind{"token"}, Recipients: []age.Recipient{identity.Recipient()}})
	restorer := ageseal.New(ageseal.Config{Kinds: []graph.Kind{"token"}, Identities: []age.Identity{identity}})

	ctx, key := context.Background(), graph.Key{Kind: "token", Name: "a", UID: "1"}
	sealed, err := writer.SealPayload(ctx, key, []byte("secret"))
	if err != nil {
		log.Fatal(err)
	}
	_, err = writer.OpenPayload(ctx, key, sealed)
	fmt.Println("the writer has no identity:", errors.Is(err, archive.ErrIdentity))

	payload, err := restorer.OpenPayload(ctx, key, sealed)
	fmt.Printf("%s, %v\n", payload, err)

	key.UID = "2"
	_, err = restorer.OpenPayload(ctx, key, sealed)
	fmt.Println(err)
	// Output:
	// the writer has no identity: true
	// secret, <nil>
	// the sealed payload is not that of the entry: it was sealed for uid "1" of kind "token"
}
