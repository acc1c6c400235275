package main

import (
	_ "embed"
	"fmt"
	"io"
	"os"
	"strings"
)

// recorded has the objects of a real cluster.
//
//go:embed cluster.json
var recorded string

func open(file string, stdin io.Reader) (cluster, error) {
	switch file {
	case "":
		return load(strings.NewReader(recorded), "cluster.json")
	case "-":
		return load(stdin, "standard input")
	}
	f, err := os.Open(file)
	if err != nil {
		return cluster{}, err
	}
	defer f.Close()
	return load(f, file)
}

// summary counts the objects of c.
func (c cluster) summary() string {
	references, unresolved, finalized := 0, 0, 0
	for _, o := range c.objects {
		references += len(o.Owners)
		for _, ref := range o.Owners {
			if ref.Unresolved {
				unresolved++
			}
		}
		if len(o.Finalizers) > 0 {
			finalized++
		}
	}
	return fmt.Sprintf("%d objects of %d kinds, %d owner references (%d cannot be resolved), %d objects with finalizers",
		len(c.objects), len(c.kinds), references, unresolved, finalized)
}
