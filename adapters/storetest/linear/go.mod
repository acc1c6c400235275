module github.com/ownergraph/ownergraph/adapters/storetest/linear

go 1.25.0

require (
	github.com/anishathalye/porcupine v1.3.1
	github.com/ownergraph/ownergraph v0.0.0
	pgregory.net/rapid v1.3.0
)

require (
	github.com/hashicorp/golang-lru/v2 v2.0.7 // indirect
	golang.org/x/sync v0.22.0 // indirect
)

replace github.com/ownergraph/ownergraph => ../../..
