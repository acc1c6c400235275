package main

import (
	"testing"

	"github.com/ownergraph/ownergraph/internal/share"
)

func TestMain(m *testing.M) { share.Main(m, "200ms") }
