module github.com/ownergraph/ownergraph/adapters/web

go 1.26.0

require github.com/ownergraph/ownergraph v0.0.0

replace github.com/ownergraph/ownergraph => ../..
