module github.com/ownergraph/ownergraph/adapters/web

go 1.26.0

require github.com/ownergraph/ownergraph v0.0.0

require (
	github.com/hashicorp/golang-lru/v2 v2.0.7 // indirect
	golang.org/x/sync v0.22.0 // indirect
)

replace github.com/ownergraph/ownergraph => ../..
