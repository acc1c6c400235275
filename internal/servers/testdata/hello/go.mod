module github.com/ownergraph/ownergraph/internal/servers/testdata/hello

go 1.25.0
