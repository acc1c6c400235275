package main

import (
	"flag"
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/ownergraph/ownergraph/internal/share"
)

// TestMain makes the searching laws of the kit search for a short time, because go test runs
// often. With -whole they search for the kit's two seconds.
func TestMain(m *testing.M) {
	flag.Parse()
	search := time.Duration(share.Number(200, 2000)) * time.Millisecond
	if err := flag.Set("storetest.search", search.String()); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(m.Run())
}
