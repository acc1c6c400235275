package main

import "testing"

// TestPasswords: an error names the store, and no password of it.
func TestPasswords(t *testing.T) {
	for address, want := range map[string]string{
		"sqlite:my folder/controlplane.db":              "sqlite:my folder/controlplane.db",
		"postgres://host/base":                          "postgres://host/base",
		"postgres://user:secret@host:5432/base":         "postgres:...host:5432/base",
		"postgres://user:sec@ret@host/base":             "postgres:...host/base",
		"postgres://host/base?password=secret&user=u":   "postgres://host/base...",
		"postgres://user:sec%ret@host/base":             "postgres:...host/base",
		"postgres://user:secret@host:port/base":         "postgres:...host:port/base",
		"postgres://user:sec\nret@host/base":            "postgres:...host/base",
		"etcd://localhost:2379/controlplane":            "etcd://localhost:2379/controlplane",
		"postgres user=u password='a secret' sslmode=x": "postgres user=u ...",
	} {
		if got := passwords.ReplaceAllString(address, "..."); got != want {
			t.Errorf("%s is shown as %s, want %s", address, got, want)
		}
	}
}
