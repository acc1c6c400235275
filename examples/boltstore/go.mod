module github.com/ownergraph/ownergraph/examples/boltstore

go 1.26.0

require (
	github.com/ownergraph/ownergraph v0.0.0
	go.etcd.io/bbolt v1.4.3
)

require (
	github.com/hashicorp/golang-lru/v2 v2.0.7 // indirect
	golang.org/x/sync v0.22.0 // indirect
	golang.org/x/sys v0.29.0 // indirect
	pgregory.net/rapid v1.3.0 // indirect
)

replace github.com/ownergraph/ownergraph => ../..
