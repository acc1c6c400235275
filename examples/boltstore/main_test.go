package main

import (
	"testing"

	"github.com/ownergraph/ownergraph/internal/portion"
)

func TestMain(m *testing.M) { portion.Main(m, "200ms") }
