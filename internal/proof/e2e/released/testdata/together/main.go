// One program has a SQL store and a store of Kubernetes.
package main

import (
	"fmt"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/adapters/clientgo"
	sqlstore "github.com/ownergraph/ownergraph/adapters/sql"
)

func main() {
	for _, s := range []ownergraph.Store{(*sqlstore.Store)(nil), (*clientgo.Store)(nil)} {
		_, fences := ownergraph.As[ownergraph.Fencer](s)
		fmt.Println("fences:", fences)
	}
}
