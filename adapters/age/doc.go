// Package ageseal encrypts the payloads of an archive for recipients of age (https://age-encryption.org). Package archive
// has the words and the rules.
//
//	recipients, err := age.ParseRecipients(file)
//	store, err := sqlstore.New(db, sqlstore.Config{Kinds: kinds, Policies: true, Archive: &sqlstore.ArchiveConfig{
//		Sealing: ageseal.New(ageseal.Config{Kinds: []graph.Kind{"token"}, Recipients: recipients}),
//	}})
//
// A program that writes needs recipients alone. A restore needs one identity, and so does a program that shows unreadable
// entries. Keep identities away from the programs that write, and from backups of the database.
//
// # New recipients
//
// Recipients are fixed when an entry is sealed. A store with the new recipients and an old identity seals former entries
// anew: see Store.Reseal of package sqlstore, and the command "ownergraph archive reseal". Keep the old identity until that returns
// no kept entry, and until no backup is of use that has the old entries.
//
// # Authors
//
// A payload is authenticated against changes, and is bound to its entry. Recipients are public keys. So a user with the right
// to write the archive, and with the recipients, can seal a payload of their own for an entry. A recipient with a shared
// secret excludes that: then programs that write can open entries, too.
//
// # Cost
//
// An entry for one recipient X25519 has some 290 bytes more than its payload, and 16 bytes for each 64 KiB. It takes some 0.3 ms more
// to write and to read. A recipient for a passphrase (age.ScryptRecipient) takes about a second for each entry, so it fits no
// removals.
package ageseal
