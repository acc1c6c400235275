package cli

import (
	"path/filepath"
	"strings"
)

// Name is the name under which a user calls the program.
type Name uint8

const (
	_ Name = iota
	// Command is "ownergraph". Its objects come from a dump, a store, or a cluster that the flags name.
	Command
	// Plugin is "kubectl ownergraph". Its objects come from the cluster of the kubeconfig, unless
	// the flags name a dump or a store.
	Plugin
)

// String returns the command as users type it.
func (n Name) String() string {
	if n == Plugin {
		return "kubectl ownergraph"
	}
	return "ownergraph"
}

// NameOf returns the name for the file of the program. kubectl finds a plugin by the prefix of its
// file.
//
//test:by TestNameOf
func NameOf(file string) Name {
	if strings.HasPrefix(filepath.Base(file), "kubectl-") {
		return Plugin
	}
	return Command
}
